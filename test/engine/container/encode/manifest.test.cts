import type { IDataObject } from 'n8n-workflow';
import { mockService } from '../../../support/nock.cts';
import { rowsOf } from '../../../support/texts.cts';
import {
	encode,
	envelope,
	partsOf,
	path,
	settingsOf,
	uploadsTo,
	withManifest,
} from '../../support/encode.cts';
import { newKey, outputOf } from '../../support/operations.cts';

const service = mockService();
const { uploads, manifests, containerSent } = uploadsTo(service);

describe('the body', () => {
	it('has a manifest and a file, each with name and type, and nothing else', async () => {
		service.post(path).reply(200, envelope);

		await encode();

		expect(partsOf(uploads()[0].body)).toEqual([
			{
				head: 'Content-Disposition: form-data; name="manifest.json"; filename="manifest.json"\r\nContent-Type: application/json',
				content: '{"container":{"name":"Invoice","downloadable":false,"drm":{"dynamic":true}}}',
			},
			{
				head: 'Content-Disposition: form-data; name="file"; filename="report.txt"\r\nContent-Type: text/plain',
				content: 'confidential',
			},
		]);
		expect(uploads()[0].headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
		expect(Number(uploads()[0].headers['content-length'])).toBe(
			Buffer.byteLength(String(uploads()[0].body)),
		);
	});

	it('can name its parts as older services do', async () => {
		service.post(path).reply(200, envelope);

		await encode({}, { partNames: 'older' });

		const names = partsOf(uploads()[0].body).map(({ head }) => /name="([^"]*)"/.exec(head)?.[1]);
		expect(names).toEqual(['manifest', 'files']);
	});
});

describe('the manifest from fields', () => {
	/** What the fields of rules become is in the unit tests. */
	const rows = rowsOf<[parameters: IDataObject, container: IDataObject]>(`
		a trimmed name: [{ name: "  Invoice 7 " }, { name: Invoice 7 }]
		recipients: [{ recipients: "anna@example.com; *@example.org", downloadable: true }, { recipients: [anna@example.com, "*@example.org"], downloadable: true }]
		an unmodified password: [{ drmRules: { password: " pass word " } }, { password: " pass word " }]
		a password that is a number: [{ drmRules: { password: "={{ 12345678 }}" } }, { password: "12345678" }]
		rules that are sealed: [{ dynamic: false }, { drm: { dynamic: false } }]
		no end that another choice left in its field: [{ accessEnds: never, timeEnd: 2099-12-31, accessDays: 7 }, {}]
	`);

	it.each(rows)('contains %s', async (_what, [parameters, container]) => {
		service.post(path).reply(200, envelope);

		await outputOf(encode(parameters));

		const usual = { name: 'Invoice', downloadable: false, drm: { dynamic: true } };
		expect(manifests()).toEqual([{ container: { ...usual, ...container } }]);
	});
});

describe('the manifest from JSON', () => {
	const manifest = {
		container: {
			name: 'Invoice',
			password: 'hunter2-hunter2',
			drm: { geo: { allow: [{ city: 'Bern' }] } },
		},
		files: { 'report.txt': { hidden: true } },
		future: [1, null],
	};
	beforeEach(() => service.contract.skipBodies('JSON is sent as the user enters it'));

	it.each([
		['text', JSON.stringify(manifest, null, 2)],
		['an object', `={{ ${JSON.stringify(manifest).replaceAll('}', '} ')} }}`],
		[
			'text with an expression',
			`=${JSON.stringify(manifest).replace('"Invoice"', '{{ JSON.stringify($json.id) }}')}`,
		],
	])('is sent unchanged, from %s', async (_form, text) => {
		service.post(path).reply(200, envelope);

		await outputOf(encode({ ...withManifest(text), name: '', recipients: 'not read' }));

		expect(manifests()).toEqual([manifest]);
	});

	it('can have a number as its password, which is shown nowhere', async () => {
		const container = { name: 'Invoice', password: 471100 };
		service.post(path).reply(200, { uuid: 'c-1', password: '471100' });

		expect(await outputOf(encode(withManifest({ container })))).toEqual([
			{
				containerId: 'c-1',
				uuid: 'c-1',
				password: '[hidden]',
				settings: { name: 'Invoice', recipients: [], emailTo: '', endsOn: null, link: null },
			},
		]);
		expect(containerSent()).toEqual(container);
	});
});

describe('the output', () => {
	it.each<[number, IDataObject]>([
		[201, { uuid: 7 }],
		[202, { uuid: '7', status: 'processing' }],
		[200, { data: { container: { id: '7' } }, errors: ['No preview'] }],
	])('is what the service returned with an ID: %i %j', async (status, record) => {
		service.post(path).reply(status, record);

		expect(await outputOf(encode())).toEqual([
			{ containerId: '7', ...record, settings: settingsOf('Invoice') },
		]);
	});

	const ofCredential = 'https://x.example/{containerId}?of={containerId}';

	it.each<[IDataObject, string]>([
		[{ url: 'https://share.example.com/c/1' }, 'https://share.example.com/c/1'],
		[{}, 'https://x.example/c%2F1?of=c%2F1'],
	])('has the link that the service returned, or that of the credential: %j', async (...row) => {
		const [container, link] = row;
		service.post(path).reply(201, { container: { uuid: 'c/1', ...container } });
		const credentials = { ...newKey(), containerUrl: ofCredential };

		const output = await outputOf(encode({}, {}, { credentials }));

		expect(output).toMatchObject([{ settings: { link } }]);
	});

	it('is an error before anything is sent, where the link of the credential is none', async () => {
		const credentials = { ...newKey(), containerUrl: 'https://x.example/c/' };
		await expect(outputOf(encode({}, {}, { credentials }))).rejects.toThrow('Link to a Container');
	});

	it('has whatever many recipients were sent', async () => {
		service.contract.skipBodies('The service documents at most 10,000 recipients');
		const recipients = Array.from({ length: 10_001 }, (_value, index) => `p${index}@x.example`);
		service.post(path).reply(201, { container: { uuid: 'c-1' } });

		const [{ settings }] = await outputOf(
			encode({
				recipients: `={{ Array.from({ length: 10001 }, (_, n) => 'p' + n + '@x.example') }}`,
			}),
		);

		expect(settings).toMatchObject({ recipients, emailTo: recipients.join(', ') });
	});

	it('has the settings that were sent beside it, from fields, without the password', async () => {
		service.post(path).reply(200, envelope);

		const output = await outputOf(
			encode({
				recipients: 'anna@example.com, Anna Berg <ANNA@Example.com>',
				accessEnds: 'onDate',
				timeEnd: '2099-12-31',
				drmRules: { opens: 3, password: 'pw-4711' },
			}),
		);

		const { password, ...settings } = containerSent();
		expect(password).toBe('pw-4711');
		expect(output).toEqual([
			{
				containerId: 'c-1',
				...envelope,
				settings: { ...settings, emailTo: 'anna@example.com', endsOn: '2099-12-31', link: null },
			},
		]);
		expect(settings).toEqual({
			name: 'Invoice',
			recipients: ['anna@example.com'],
			downloadable: false,
			drm: { dynamic: true, opens: 3, time: { end: '2099-12-31' } },
		});
	});

	it('is an error which says what was received, without a uuid', async () => {
		service.post(path).reply(200, { ...envelope, container: { name: 'A' } });

		const { error } = await encode({}, { maxRetries: 3 });

		expect(error?.message).toMatch(
			/^The service returned a JSON object with the fields org_id, container instead of a container with a uuid/,
		);
		expect(error?.description).toMatch(/might have been created: look for "Invoice"/);
		expect(uploads()).toHaveLength(1);
	});
});

describe('a retry', () => {
	it.each([
		[500, /status 500/],
		['a broken connection', /closed the connection during the upload/],
	])('never follows after %s: the error says that it might exist', async (failure, message) => {
		if (typeof failure === 'number') service.post(path).reply(failure, '', { 'retry-after': '0' });
		else service.post(path).replyWithError(Object.assign(new Error('x'), { code: 'ECONNRESET' }));

		const { error } = await encode({}, { maxRetries: 5 });

		expect(uploads()).toHaveLength(1);
		expect(error?.message).toMatch(message);
		expect(error?.description).toMatch(/might have been created: look for "Invoice".*Get Many/);
	});
});
