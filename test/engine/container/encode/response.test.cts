import type { INodeParameters } from 'n8n-workflow';
import { mockService } from '../../../support/nock.cts';
import { uploadsTo, encode, envelope, path, withoutSettings } from '../../support/encode.cts';
import { headersOf, invalidRecords } from '../../support/shapes.cts';

const service = mockService();
const { uploads, containerSent } = uploadsTo(service);

describe('the response', () => {
	it.each([
		['an envelope', envelope],
		['a plain record', { uuid: 'c-1', name: 'Invoice' }],
		['an envelope with status 201', envelope],
		['a record without a name', { uuid: 7 }],
	])('is returned unchanged: %s', async (shape, body) => {
		service
			.scope()
			.post(path)
			.reply(shape.endsWith('201') ? 201 : 200, body);

		const { items } = await encode();

		expect(withoutSettings(items)).toEqual([body]);
		expect(items[0].pairedItem).toEqual({ item: 0 });
	});

	it.each(invalidRecords)(
		'without a record is an error which says that a container might exist: $shape',
		async (shape) => {
			service.scope().post(path).reply(shape.status, shape.body, headersOf(shape));

			const { error } = await encode();

			expect(`${error?.message} ${error?.description}`).toMatch(shape.message);
			expect(error?.description).toMatch(/[Ll]ook for "Invoice"/);
			expect(uploads()).toHaveLength(1);
		},
	);

	it.each([
		['an empty JSON object', {}],
		['a JSON object with the fields org_id, container', { ...envelope, container: { name: 'A' } }],
		['a JSON object with the fields container', { container: [{ uuid: 'c-1' }] }],
		['a JSON object with the fields uuid', { uuid: '' }],
	])('without a uuid is an error which says that: %s', async (received, body) => {
		service.scope().post(path).reply(200, body);

		const { error } = await encode();

		expect(error?.message).toBe(
			`The service returned ${received} instead of a container with a uuid for the request to encode the files [item 0]`,
		);
		expect(error?.description).toMatch(/might have been created: look for "Invoice"/);
	});

	it('never shows the password, even when the service returns it', async () => {
		const password = 'correct horse battery';
		service
			.scope()
			.post(path)
			.reply(200, { uuid: 'c-1', echoed: `It is ${password}.`, password, [password]: 1 });

		const { items, log } = await encode({ drmRules: { password } });

		expect(JSON.stringify(items) + log.join('\n')).not.toContain(password);
		expect(items[0].json).toMatchObject({ uuid: 'c-1', password: '[hidden]' });
	});

	describe('with the settings that were sent', () => {
		const withSettings = async (parameters: INodeParameters) => {
			service.scope().post(path).reply(200, envelope);
			const { items } = await encode(parameters);
			expect(uploads()).toHaveLength(1);
			return items[0].json;
		};

		it('has them beside the envelope, from fields, without the password', async () => {
			const json = await withSettings({
				recipients: 'anna@example.com',
				accessEnds: 'onDate',
				timeEnd: '2099-12-31',
				drmRules: { opens: 3, password: 'pw-4711' },
			});

			const { password, ...settings } = containerSent();
			expect(password).toBe('pw-4711');
			expect(json).toEqual({
				...envelope,
				settings: { ...settings, emailTo: 'anna@example.com', endsOn: '2099-12-31' },
			});
			expect(settings).toEqual({
				name: 'Invoice',
				recipients: ['anna@example.com'],
				downloadable: false,
				drm: { dynamic: true, opens: 3, time: { end: '2099-12-31' } },
			});
		});

		it.each<[string, unknown]>([
			['text', 'pw-4711'],
			['an object', { value: 'pw-4711' }],
			['a list', ['pw-4711']],
		])('has them from JSON, without a password anywhere: %s', async (_form, password) => {
			service.contract.skipBodies('JSON is sent as the user enters it');
			const container = {
				name: 'Invoice',
				password: 'correct horse',
				drm: { Password: password, geo: { allow: [{ city: 'Bern', passphrase: password }] } },
			};
			const json = await withSettings({
				specifyManifest: 'json',
				manifestJson: JSON.stringify({ container }),
			});

			expect(containerSent()).toEqual(container);
			expect(json.settings).toEqual({
				name: 'Invoice',
				drm: { geo: { allow: [{ city: 'Bern' }] } },
				recipients: [],
				emailTo: '',
				endsOn: null,
			});
		});
	});

	it('has the recipients as a list, and whom to email, where JSON has them in one text', async () => {
		service.contract.skipBodies('JSON is sent as the user enters it');
		service.scope().post(path).reply(200, envelope);
		const container = { name: 'Invoice', recipients: 'anna@example.com, *@example.org' };

		const { items } = await encode({
			specifyManifest: 'json',
			manifestJson: JSON.stringify({ container }),
		});

		expect(containerSent()).toEqual(container);
		expect(items[0].json.settings).toEqual({
			name: 'Invoice',
			recipients: ['anna@example.com', '*@example.org'],
			emailTo: 'anna@example.com',
			endsOn: null,
		});
	});

	it('never shows the password in an error', async () => {
		const password = 'pw-4711';
		service
			.scope()
			.post(path)
			.reply(422, { message: `The password ${password} is too weak` });

		const { items } = await encode(
			{ drmRules: { password } },
			{},
			{ onError: 'continueRegularOutput' },
		);

		expect(items[0].json.error).toContain('The password [hidden] is too weak');
		expect(JSON.stringify(items[0].json)).not.toContain(password);
	});
});
