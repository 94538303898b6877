import type { IDataObject } from 'n8n-workflow';
import { runListSearch, runNode, type RunNodeOptions } from '../support/engine.cts';
import { refuse, rewrite } from '../support/proxy.cts';
import { NOON_ZONE } from '../support/noon.cts';
import { useService } from '../support/service.cts';
import { dayFromNow, expectRefusal, findSchemaErrors } from './support/operations.cts';

const service = useService({ TIME_ZONE: NOON_ZONE });

const NAME = 'Documents for 2025';
const ANNA = 'anna@example.com';
const POST = { method: 'POST', path: /\/requests$/ };

const run = async (
	operation: string,
	{ options, ...parameters }: IDataObject = {},
	more: Partial<RunNodeOptions> = {},
) =>
	await runNode({
		credentials: service.credentials,
		...more,
		parameters: {
			...{ resource: 'request', operation, ...parameters },
			options: { maxRetries: 0, ...(options as object) },
		} as never,
	});
const create = async (parameters: IDataObject = {}, more?: Partial<RunNodeOptions>) =>
	await run('create', { name: NAME, senders: ANNA, ...parameters }, more);
const createOne = async (parameters?: IDataObject) => (await create(parameters)).items[0].json;
const list = async () => (await run('getAll', { returnAll: true })).items.map(({ json }) => json);
const by = (mode: string, value: unknown) => ({ requestId: { __rl: true, mode, value } });
const outputOf = ({ items: [item] }: Awaited<ReturnType<typeof run>>) => item?.json;

describe('File Request > Create', () => {
	it('returns where senders go, and until when', async () => {
		const { items, error } = await create({ message: 'Receipts,\ntoo.', requestDays: 3 });

		expect(error).toBeUndefined();
		const [{ json }] = items;
		expect(json).toMatchObject({
			...{ requestId: json.uuid, link: json.url, name: NAME, senders: [ANNA] },
			...{ message: 'Receipts,\ntoo.', time: { end: dayFromNow(3, NOON_ZONE) }, delivered: 0 },
		});
		expect(String(json.link)).toMatch(new RegExp(`/r/${String(json.uuid)}$`));
		expect(findSchemaErrors([json], 'EncryptedContainers', 'request/create')).toEqual([]);
	});

	it('sends only the limits that were added, and no end where there is none', async () => {
		await create({ requestEnds: 'never' });
		const options = { maxFiles: 3, maxMegabytes: 25, deliveries: 1 };
		await create({ requestEnds: 'onDate', timeEnd: '2099-12-31', options });

		const posts = service.requests.filter(({ method }) => method === 'POST');
		expect(posts.map(({ body }) => JSON.parse(String(body)) as object)).toEqual([
			{ name: NAME, senders: [ANNA] },
			{
				...{ name: NAME, senders: [ANNA], time: { end: '2099-12-31' } },
				...{ max_files: 3, max_bytes: 25_000_000, deliveries: 1 },
			},
		]);
	});

	it.each<[RegExp, IDataObject, IDataObject?]>([
		[/"Senders" is empty/, { senders: '={{ $json.none }}' }],
		[/"anna" in "Senders" is not an email address/, { senders: 'anna' }],
		[/"\*@\*" in "Senders" stands for everybody/, { senders: '*@*' }],
		[/An expression in "Senders" returned "\*@/, { senders: "={{ '*@example.com' }}" }],
		[/"Allowed Recipients" in the node/, { options: { allowedRecipients: '*@example.org' } }],
		[/"Allowed Recipients" in the credential/, {}, { allowedRecipients: '*@example.org' }],
		[/"Request Name" is empty/, { name: '={{ $json.none }}' }],
		[/"Message" has more than 1000/, { message: 'x'.repeat(1001) }],
		[
			/"Open Until" \(2020-01-01\) is in the past/,
			{ requestEnds: 'onDate', timeEnd: '2020-01-01' },
		],
		[/"Days Until Request Ends" must be/, { requestDays: '={{ -1 }}' }],
	])(
		'refuses what makes no sense, and sends nothing: %s',
		async (message, parameters, more = {}) => {
			const credentials = { ...service.credentials, ...more };

			await expectRefusal(service, create(parameters, { credentials }), message);
		},
	);

	it('creates one, also where the response is lost', async () => {
		service.on(POST, async (_request, pass) => {
			await pass();
			return 'cut';
		});

		const { items } = await create({ options: { maxRetries: 1 } });

		expect(await list()).toEqual([items[0].json]);
	});

	it('creates one in two tries of Retry On Fail', async () => {
		service.on(POST, async (_request, pass) => {
			await pass();
			return 'cut';
		});

		const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
		const { items } = await create({}, settings);

		expect(await list()).toEqual([items[0].json]);
	});

	it('names what might have been created, and creates it in no later try', async () => {
		const withoutKeys = rewrite((me) => ({ ...(me as object), features: ['requests'] }));
		service.on({ path: /\/me$/, times: Infinity }, withoutKeys);
		service.on(POST, async (_request, pass) => {
			await pass();
			return 'cut';
		});

		const { error } = await create({}, { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 });

		expect(await list()).toHaveLength(1);
		expect(error?.description).toMatch(
			/The file request might have been created: look for "Documents for 2025" with .*did not send it again\. Might have been created: file request "Documents for 2025"\./,
		);
	});

	it('says what the service refuses', async () => {
		service.on(POST, refuse(422, 'Words of the service'));

		const { error } = await create();

		expect(error?.message).toMatch(/create the file request: Words of the service/);
	});
});

describe('File Request', () => {
	it('is found by its ID and its link, and closed', async () => {
		const created = await createOne();
		const { uuid, link } = created;

		expect(outputOf(await run('get', by('id', uuid)))).toEqual(created);
		expect(outputOf(await run('get', by('url', `${String(link)}?lang=de`)))).toEqual(created);
		const [closed] = (await run('delete', by('url', link))).items;
		expect(closed.json).toEqual({ deleted: true, requestId: uuid });
		const { error } = await run('get', by('id', uuid));
		expect(error?.message).toMatch(/^The file request ".+" was not found/);
	});

	it('is listed, by its name, and in the editor', async () => {
		for (const name of ['Tax 2025', 'Tax 2026', 'Lease']) await create({ name });
		const find = async (nameContains: string) => {
			const { items } = await run('getAll', { options: { nameContains } });
			return items.map(({ json }) => json.name);
		};

		expect(await find('tax*6')).toEqual(['Tax 2026']);
		expect(await find('')).toEqual(expect.arrayContaining(['Tax 2025', 'Tax 2026', 'Lease']));
		const { credentials } = service;
		const shown = await runListSearch({ method: 'searchRequests', filter: 'lease', credentials });
		expect(shown.results.map(({ name }) => name)).toEqual([expect.stringMatching(/^Lease \(/)]);
	});

	it.each(['create', 'get', 'getAll', 'delete'])(
		'%s sends nothing where the service has none',
		async (operation) => {
			const features = ['etag'];
			service.on(
				{ path: /\/me$/ },
				rewrite((user) => ({ ...(user as object), features })),
			);
			const parameters = { name: NAME, senders: ANNA, requestEnds: 'never', ...by('id', 'r-1') };

			const running = run(operation, parameters);
			await expectRefusal(service, running, /doesn't take files from others/);
		},
	);
});
