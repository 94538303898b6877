import { mockService } from '../../../support/nock.cts';
import {
	encode,
	envelope,
	invoice,
	path,
	uploadsTo,
	withManifest,
	withoutSettings,
} from '../../support/encode.cts';
import {
	containersPath as listPath,
	expectRefusal,
	itemsWith,
	outputOf,
	userId,
} from '../../support/operations.cts';
import { emptyLists, invalidLists, listShapes } from '../../support/shapes.cts';

const service = mockService();
const { uploads } = uploadsTo(service);

const existing = [
	{ org_id: userId, container: { uuid: 'c-old', name: 'Invoice' } },
	{ uuid: 'c-plain', name: 'Plain', org_id: 'owner' },
	{ uuid: 'c-second', name: 'Invoice' },
];
const reuse = { ifExists: 'reuse' };
const fail = { ifExists: 'fail' };
const both = [...invoice, ...invoice];
/** The rules of a container without recipients and without an end, as the items ask for. */
const showRules = (id: string, times = 1) =>
	service.get(`/containers/${id}/drm`).times(times).reply(200, { dynamic: true });
const show = (...containers: unknown[]) => service.get(listPath).reply(200, containers);

describe('an existing container', () => {
	it.each(listShapes(existing))('is found in a list of the shape: $shape', async ({ reply }) => {
		service.get(listPath).reply(...reply);
		showRules('c-old');
		showRules('c-plain');

		const { items, error } = await encode({}, reuse, { items: itemsWith('Invoice', 'Plain') });

		expect(error).toBeUndefined();
		expect(withoutSettings(items)).toEqual([
			{ ...existing[0], reused: true },
			{ org_id: 'owner', container: { uuid: 'c-plain', name: 'Plain' }, reused: true },
		]);
		expect(service.requests).toHaveLength(3);
	});

	it.each(emptyLists)(
		'is not found, and is created, when the list is $shape',
		async ({ reply }) => {
			service.get(listPath).reply(...reply);
			service.post(path).reply(200, envelope);

			const { items } = await encode({}, reuse);

			expect(withoutSettings(items)[0]).toEqual({ ...envelope, reused: false });
		},
	);

	it.each([
		...invalidLists.slice(-2),
		{
			shape: 'one without names',
			reply: [200, '[{"uuid":"c-1"}]'] as [number, string],
			message: /entries without a name instead of containers with a name/,
		},
	])('cannot be found, and nothing is created, when the list is $shape', async (shape) => {
		service.get(listPath).reply(...shape.reply);

		expect((await encode({}, reuse)).error?.message).toMatch(shape.message);
	});

	it.each([
		['another name', 'Invoice 2'],
		['another case', 'invoice'],
	])('has exactly the same name: a container with %s is created', async (_what, id) => {
		show(...existing);
		service.post(path).reply(200, envelope);

		await encode({}, reuse, { items: itemsWith(id) });

		expect(uploads()).toHaveLength(1);
	});

	it('is the same in another Unicode form, and with spaces around its name', async () => {
		const [composed, decomposed] = ['NFC', 'NFD'].map((form) => 'Prüfung'.normalize(form));
		show({ uuid: 'c-1', name: composed });
		showRules('c-1');

		expect(await outputOf(encode({}, reuse, { items: itemsWith(` ${decomposed}`) }))).toMatchObject(
			[{ container: { uuid: 'c-1' }, reused: true }],
		);
	});

	it('is found on any page of the list', async () => {
		service.get(listPath).reply(200, [{ uuid: 'x', name: 'X' }], { link: '<?page=2>; rel="next"' });
		service.get(`${listPath}?page=2`).reply(200, existing);
		showRules('c-old');

		const { items } = await encode({}, reuse);

		expect(withoutSettings(items)[0]).toEqual({ ...existing[0], reused: true });
	});

	it('stops with an error that names it under "fail", and nothing is sent', async () => {
		show(...existing);
		service.get('/containers/c-old').reply(200, existing[0]);

		const { error } = await encode({}, fail);

		expect(error?.message).toMatch(/A container named "Invoice" already exists \[item 0\]/);
		expect(error?.description).toBe(
			'Nothing was uploaded. The ID of the existing container is c-old. Change "Container Name", delete the existing container, or set "If Container Exists" to Reuse Existing.',
		);
	});

	it('stops with an error under "fail" also where the list shows no ID', async () => {
		show({ name: 'Invoice' }, ...existing.slice(1));

		const { error } = await encode({}, fail);

		expect(error?.description).toMatch(/^Nothing was uploaded\. Change "Container Name", /);
	});

	it('that was deleted since does not count under "fail"', async () => {
		show(existing[0]);
		service.get('/containers/c-old').reply(404);
		service.post(path).reply(200, envelope);

		await outputOf(encode({}, fail));
	});

	it.each([
		['reuse', { reused: false }],
		['fail', {}],
	])('of another user does not count under "%s"', async (ifExists, added) => {
		show(...existing);
		if (ifExists === 'reuse') showRules('c-old');
		else service.get('/containers/c-old').reply(200, existing[0]);
		service.get('/users/user-2/containers').reply(200, []);
		service.post('/users/user-2/containers/encode').reply(200, envelope);
		const items = [userId, 'user-2'].map((user) => ({ json: { id: 'Invoice', user } }));

		const { items: output } = await encode(
			{},
			{ ifExists, userId: '={{ $json.user }}' },
			{ items, onError: 'continueRegularOutput' },
		);

		expect(output).toHaveLength(2);
		expect(withoutSettings(output)[1]).toEqual({ ...envelope, ...added });
	});

	it('is found when another execution has created it since the list was fetched', async () => {
		const created = { uuid: 'c-1', name: 'Invoice' };
		service.get(listPath).times(2).reply(200, []);
		service.post(path, /"Other"/).reply(200, { uuid: 'c-2', name: 'Other' });
		service
			.post(path, /"Invoice"/)
			.delay(300)
			.reply(200, () => {
				showRules('c-1');
				return created;
			});

		const other = encode({}, reuse);
		const output = await outputOf(encode({}, reuse, { items: itemsWith('Other', 'Invoice') }));

		expect(output.map(({ reused }) => reused)).toEqual([false, true]);
		expect(withoutSettings((await other).items)[0]).toEqual({ ...created, reused: false });
	});

	it('is another one of the same name after what was created here was deleted', async () => {
		show();
		service.post(path).reply(200, envelope);
		await encode({}, reuse);
		service.get('/containers/c-1/drm').reply(404);
		show(existing[0]);
		showRules('c-old');

		const { items } = await encode({}, reuse);

		expect(withoutSettings(items)[0]).toEqual({ ...existing[0], reused: true });
		expect(uploads()).toHaveLength(1);
	});

	it('has no digests, because nothing was sent', async () => {
		show(...existing);
		showRules('c-old');

		expect(await outputOf(encode({}, { ...reuse, includeFileDigests: true }))).toEqual([
			{
				...existing[0],
				reused: true,
				files: [],
				settings: { name: 'Invoice', recipients: [], emailTo: '', endsOn: null },
			},
		]);
	});

	it('cannot be looked up by a manifest with a name that is not text', async () => {
		await expectRefusal(
			service,
			encode(withManifest({ container: { name: 5 } }), reuse),
			/The manifest contains no container name/,
		);
	});
});

describe('two items with the same name', () => {
	it('create one container under "reuse"', async () => {
		show();
		service.post(path).delay(20).reply(200, envelope);
		showRules('c-1');

		const { items } = await encode({}, { ...reuse, maxConcurrent: 5 }, { items: both });

		expect(withoutSettings(items).map((json, index) => [json, items[index].pairedItem])).toEqual([
			[{ ...envelope, reused: false }, { item: 0 }],
			[{ ...envelope, reused: true }, { item: 1 }],
		]);
		expect(service.requests).toHaveLength(3);
	});

	it('create one container under "fail", and the second item fails', async () => {
		show();
		service.post(path).reply(200, envelope);
		service.get('/containers/c-1').reply(200, envelope);

		const { items, errorItems } = await encode(
			{},
			{ ...fail, maxConcurrent: 5 },
			{ items: both, onError: 'continueErrorOutput' },
		);

		expect(withoutSettings(items)).toEqual([envelope]);
		expect(errorItems[0].json).toMatchObject({
			name: 'Invoice',
			error: expect.stringContaining('already exists'),
		});
	});
});
