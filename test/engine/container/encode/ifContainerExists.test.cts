import type { INodeParameters } from 'n8n-workflow';
import { runNode } from '../../../support/engine.cts';
import { mockService } from '../../../support/nock.cts';
import {
	uploadsTo,
	base,
	encode,
	envelope,
	invoice,
	listPath,
	path,
	withoutSettings,
} from '../../support/encode.cts';
import { newKey, sequential, userId } from '../../support/parameters.cts';
import { emptyLists, headersOf, listShapes, invalidLists } from '../../support/shapes.cts';

const service = mockService();
const { uploads } = uploadsTo(service);

describe('an existing container', () => {
	const existing = [
		{ org_id: userId, container: { uuid: 'c-old', name: 'Invoice' } },
		{ uuid: 'c-plain', name: 'Plain', org_id: 'owner' },
		{ uuid: 'c-second', name: 'Invoice' },
	];
	const reuse = { ifExists: 'reuse' };
	/** The rules of a container without recipients and without an end, as the items ask for. */
	const mockRules = (id: string, times = 1) =>
		service.scope().get(`/containers/${id}/drm`).times(times).reply(200, { dynamic: true });
	const fail = { ifExists: 'fail' };

	it.each(listShapes(existing))('is found in a list of the shape: $shape', async (shape) => {
		service.scope().get(listPath).reply(shape.status, shape.body, headersOf(shape));
		mockRules('c-old');
		mockRules('c-plain');

		const { items, error } = await encode({}, reuse, {
			items: [{ json: { id: 'Invoice' } }, { json: { id: 'Plain' } }],
		});

		expect(error).toBeUndefined();
		expect(withoutSettings(items)).toEqual([
			{ ...existing[0], reused: true },
			{ org_id: 'owner', container: { uuid: 'c-plain', name: 'Plain' }, reused: true },
		]);
		expect(service.requests).toHaveLength(3);
	});

	it.each(emptyLists)('is not found, and is created, when the list is $shape', async (shape) => {
		service.scope().get(listPath).reply(shape.status, shape.body, headersOf(shape));
		service.scope().post(path).reply(200, envelope);

		const { items } = await encode({}, reuse);

		expect(withoutSettings(items)[0]).toEqual({ ...envelope, reused: false });
	});

	it.each(invalidLists)(
		'cannot be found, and nothing is created, when the list is $shape',
		async (shape) => {
			service.scope().get(listPath).reply(shape.status, shape.body, headersOf(shape));

			const { error } = await encode({}, reuse);

			expect(error?.message).toMatch(shape.message);
		},
	);

	it('cannot be found, and nothing is created, when the list shows no names', async () => {
		service
			.scope()
			.get(listPath)
			.reply(200, [{ uuid: 'c-1' }]);

		const { error } = await encode({}, reuse);

		expect(error?.message).toMatch(/entries without a name instead of containers with a name/);
	});

	it.each([
		['another name', 'Invoice 2'],
		['another case', 'invoice'],
	])('has exactly the same name: a container with %s is created', async (_what, id) => {
		service.scope().get(listPath).reply(200, existing);
		service.scope().post(path).reply(200, envelope);

		await encode({}, reuse, { items: [{ json: { id } }] });

		expect(uploads()).toHaveLength(1);
	});

	it('is found on any page of the list', async () => {
		service
			.scope()
			.get(listPath)
			.reply(200, [{ uuid: 'x', name: 'X' }], { link: '<?page=2>; rel="next"' });
		service.scope().get(`${listPath}?page=2`).reply(200, existing);
		mockRules('c-old');

		const { items } = await encode({}, reuse);

		expect(withoutSettings(items)[0]).toEqual({ ...existing[0], reused: true });
	});

	it('stops with an error that names it under "fail", and nothing is sent', async () => {
		service.scope().get(listPath).reply(200, existing);
		service.scope().get('/containers/c-old').reply(200, existing[0]);

		const { error } = await encode({}, fail);

		expect(error?.message).toMatch(/A container named "Invoice" already exists \[item 0\]/);
		expect(error?.description).toBe(
			'Nothing was uploaded. The ID of the existing container is c-old. Change "Container Name", delete the existing container, or set "If Container Exists" to Reuse Existing.',
		);
	});

	it.each([
		['reuse', { reused: false }],
		['fail', {}],
	])('of another user does not count under "%s"', async (ifExists, added) => {
		service.scope().get(listPath).reply(200, existing);
		if (ifExists === 'reuse') mockRules('c-old');
		else service.scope().get('/containers/c-old').reply(200, existing[0]);
		service.scope().get('/users/user-2/containers').reply(200, []);
		service.scope().post('/users/user-2/containers/encode').reply(200, envelope);

		const { items } = await encode(
			{},
			{ ifExists, userId: '={{ $json.user }}' },
			{
				items: [userId, 'user-2'].map((user) => ({ json: { id: 'Invoice', user } })),
				onError: 'continueRegularOutput',
			},
		);

		expect(items).toHaveLength(2);
		expect(withoutSettings(items)[1]).toEqual({ ...envelope, ...added });
	});

	it('is found when another execution has created it since the list was fetched', async () => {
		const created = { uuid: 'c-1', name: 'Invoice' };
		service.scope().get(listPath).times(2).reply(200, []);
		service
			.scope()
			.post(path, /"Other"/)
			.reply(200, { uuid: 'c-2', name: 'Other' });
		service
			.scope()
			.post(path, /"Invoice"/)
			.delay(500)
			.reply(200, () => {
				mockRules('c-1');
				return created;
			});

		const other = encode({}, reuse);
		const { items, error } = await encode({}, reuse, {
			items: [{ json: { id: 'Other' } }, { json: { id: 'Invoice' } }],
		});

		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json.reused)).toEqual([false, true]);
		expect(withoutSettings((await other).items)[0]).toEqual({ ...created, reused: false });
	});

	it('that was deleted since does not count under "fail"', async () => {
		service.scope().get(listPath).reply(200, existing.slice(0, 1));
		service.scope().get('/containers/c-old').reply(404);
		service.scope().post(path).reply(200, envelope);

		const { error } = await encode({}, fail);

		expect(error).toBeUndefined();
	});

	it('is another one of the same name after what was created here was deleted', async () => {
		const credentials = newKey();
		service.scope().get(listPath).reply(200, []);
		service.scope().post(path).reply(200, envelope);
		await encode({}, reuse, { credentials });
		service.scope().get('/containers/c-1/drm').reply(404);
		service.scope().get(listPath).reply(200, existing.slice(0, 1));
		mockRules('c-old');

		const { items } = await encode({}, reuse, { credentials });

		expect(withoutSettings(items)[0]).toEqual({ ...existing[0], reused: true });
		expect(uploads()).toHaveLength(1);
	});

	it('stops with an error under "fail" also where the list shows no ID', async () => {
		service
			.scope()
			.get(listPath)
			.reply(200, [{ name: 'Invoice' }, ...existing.slice(1)]);

		const { error } = await encode({}, fail);

		expect(error?.description).toMatch(/^Nothing was uploaded\. Change "Container Name", /);
	});

	it('is ignored, and no list is fetched, under "create"', async () => {
		service.scope().post(path).reply(200, envelope);

		await encode({}, { ifExists: 'create' });

		expect(service.requests).toHaveLength(1);
	});

	it('has no digests, because nothing was sent', async () => {
		service.scope().get(listPath).reply(200, existing);
		mockRules('c-old');

		const options = { ...reuse, includeFileDigests: true };
		const { items } = await encode({}, options);

		expect(items[0].json).toEqual({
			...existing[0],
			reused: true,
			files: [],
			settings: { name: 'Invoice', recipients: [], emailTo: '', endsOn: null },
		});
	});

	it('is created once for two items with the same name under "reuse"', async () => {
		service.scope().get(listPath).reply(200, []);
		service.scope().post(path).delay(20).reply(200, envelope);
		mockRules('c-1');

		const { items } = await encode(
			{},
			{ ...reuse, maxConcurrent: 5 },
			{ items: [{ json: { id: 'Invoice' } }, { json: { id: 'Invoice' } }] },
		);

		expect(withoutSettings(items).map((json, index) => [json, items[index].pairedItem])).toEqual([
			[{ ...envelope, reused: false }, { item: 0 }],
			[{ ...envelope, reused: true }, { item: 1 }],
		]);
		expect(service.requests).toHaveLength(3);
	});

	it('is the same in another Unicode form, and with spaces around its name', async () => {
		const [composed, decomposed] = ['NFC', 'NFD'].map((form) => 'Prüfung'.normalize(form));
		service
			.scope()
			.get(listPath)
			.reply(200, [{ uuid: 'c-1', name: composed }]);
		mockRules('c-1');

		const { items, error } = await encode({}, reuse, {
			items: [{ json: { id: ` ${decomposed}` } }],
		});

		expect(error).toBeUndefined();
		expect(items[0].json).toMatchObject({ container: { uuid: 'c-1' }, reused: true });
	});

	it('is created once for two items with the same name under "fail", and the second item fails', async () => {
		service.scope().get(listPath).reply(200, []);
		service.scope().post(path).reply(200, envelope);
		service.scope().get('/containers/c-1').reply(200, envelope);

		const { items, errorItems } = await encode(
			{},
			{ ...fail, maxConcurrent: 5 },
			{
				items: [{ json: { id: 'Invoice' } }, { json: { id: 'Invoice' } }],
				onError: 'continueErrorOutput',
			},
		);

		expect(withoutSettings(items)).toEqual([envelope]);
		expect(errorItems[0].json).toMatchObject({
			name: 'Invoice',
			error: expect.stringContaining('already exists'),
		});
	});

	it('is created for the second item when it could not be created for the first', async () => {
		service.scope().get(listPath).reply(200, []);
		service.scope().post(path).reply(422, {});
		service.scope().post(path).reply(200, envelope);

		const { items } = await encode(
			{},
			{ ...reuse, maxConcurrent: 5 },
			{
				items: [{ json: { id: 'Invoice' } }, { json: { id: 'Invoice' } }],
				onError: 'continueRegularOutput',
			},
		);

		expect(items[0].json.error).toEqual(expect.any(String));
		expect(withoutSettings(items)[1]).toEqual({ ...envelope, reused: false });
	});

	it('is looked up again for the second item when the response for the first was lost', async () => {
		const created = { uuid: 'c-1', name: 'Invoice' };
		service.scope().get(listPath).reply(200, []);
		service.scope().post(path).reply(504);
		service.scope().get(listPath).reply(200, [created]);
		mockRules('c-1');

		const { items } = await encode({}, reuse, {
			items: [{ json: { id: 'Invoice' } }, { json: { id: 'Invoice' } }],
			onError: 'continueRegularOutput',
		});

		expect(items[0].json.errorDescription).toMatch(/The container might have been created/);
		expect(withoutSettings(items)[1]).toStrictEqual({ container: created, reused: true });
		expect(uploads()).toHaveLength(1);
	});

	it.each([
		['no name', '{ "container": {} }'],
		['an empty name', '{ "container": { "name": "" } }'],
		['a name that is not text', '{ "container": { "name": 5 } }'],
	])('cannot be looked up by a manifest with %s', async (_what, manifestJson) => {
		const { error } = await encode({ specifyManifest: 'json', manifestJson }, reuse);

		expect(error?.message).toMatch(/The manifest contains no container name \[item 0\]/);
		expect(service.requests).toEqual([]);
	});

	it("of the API key's user is looked up with one request", async () => {
		service.scope().get('/me').reply(200, { id: userId });
		service.scope().get(listPath).reply(200, existing);
		mockRules('c-old', 2);

		const { items } = await runNode({
			parameters: {
				...base,
				options: { ...sequential, ...reuse, allowNoRecipients: true },
			} as INodeParameters,
			items: [...invoice, ...invoice],
			credentials: newKey(),
		});

		expect(items).toHaveLength(2);
		expect(service.requests).toHaveLength(4);
	});
});
