import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { runListSearch, runNode } from '../../support/engine.cts';
import { rewrite } from '../../support/proxy.cts';
import { useService } from '../../support/service.cts';
import { outputOf, withoutFilter } from '../support/operations.cts';

const ANNA = 'anna@x.example';

const service = useService();

const hold = async (containers: Record<string, string[]>) => {
	const ids: Record<string, string> = {};
	for (const [name, recipients] of Object.entries(containers)) {
		ids[name] = await service.addContainer({ name, rules: { recipients } });
	}
	return ids;
};
const people = {
	'a 1': ['Anna@X.example', 'b@y.example'],
	'a 2': ['*@x.example', ANNA],
	'b 3': ['b@y.example', '*@y.example'],
	'a 4': ['*@x.example'],
	'b 5': [],
};
const getMany = async (options: IDataObject, parameters: IDataObject = { returnAll: true }) =>
	await runNode({
		credentials: service.credentials,
		parameters: {
			...{ resource: 'container', operation: 'getAll', ...parameters },
			options: { maxRetries: 0, ...options },
		} as INodeParameters,
	});
const reads = () => service.requests.filter(({ path }) => path.endsWith('/drm')).length;

describe.each([
	['where the service finds them', (): void => undefined, 0],
	['where it does not', () => service.on({ path: /\/me$/, times: Infinity }, withoutFilter), 5],
])('Get Many by recipient, %s,', (_title, prepare, read) => {
	it.each<[string, IDataObject]>([
		[
			' <ANNA@x.example>',
			{ 'a 1': ['Anna@X.example'], 'a 2': ['*@x.example', ANNA], 'a 4': ['*@x.example'] },
		],
		['*@X.example', { 'a 2': ['*@x.example'], 'a 4': ['*@x.example'] }],
		['b@y.example', { 'a 1': ['b@y.example'], 'b 3': ['b@y.example', '*@y.example'] }],
		['nobody@z.example', {}],
	])('%s returns each with what matched', async (recipient, expected) => {
		prepare();
		const ids = await hold(people);

		const result = await getMany({ recipient });

		const found = result.items.map(({ json }) => [json.name, json.matched]);
		expect([result.error, Object.fromEntries(found)]).toEqual([undefined, expected]);
		for (const { json } of result.items) {
			const { containerId, link, name } = json;
			expect([containerId, link]).toEqual([ids[String(name)], json.url]);
		}
		expect(reads()).toBe(read);
	});

	it('goes together with name, limit and rules', async () => {
		prepare();
		await hold(people);
		const options = { recipient: ANNA, nameContains: 'a', includeRules: true };

		const output = await outputOf(getMany(options, { returnAll: false, limit: 2 }));

		expect(output.map(({ name }) => name)).toEqual(['a 1', 'a 2']);
		expect(output[1]).toMatchObject({ rules: { recipients: people['a 2'] } });
	});
});

it.each([
	['', /"Recipient" in .*|"" in "Recipient" is not an email address|"Recipient" is empty/],
	['anna', /"anna" in "Recipient" is not an email address/],
	['a@x.example, b@y.example', /in "Recipient" is not an email address/],
])('Get Many refuses %j as a recipient before it sends anything', async (recipient, message) => {
	const { error } = await getMany({ recipient });

	expect(error?.message).toMatch(message);
	expect(service.requests).toEqual([]);
});

it('Get Many says that the service did not filter, where an entry does not say what matched', async () => {
	await hold(people);
	const unfiltered = (list: unknown) =>
		(list as IDataObject[]).map(({ uuid, name }) => ({ uuid, name }));
	service.on({ path: /\/containers\?/ }, rewrite(unfiltered));

	const { error, items } = await getMany({ recipient: ANNA });

	expect(`${error?.message} ${error?.description}`).toMatch(
		/an entry without them instead of containers with a uuid and "matched"/,
	);
	expect(items).toEqual([]);
});

it('the picker finds containers by an address that is typed, and by its place in a name', async () => {
	await hold({ ...people, 'For anna@x.example': ['b@y.example'] });
	const search = async (filter: string) => {
		const options = { method: 'searchContainers', credentials: service.credentials, filter };
		const { results } = await runListSearch(options);
		return results.map(({ name }) => name.replace(/ \([^()]*\)$/, '')).sort();
	};

	expect(await search(` ${ANNA}`)).toEqual(['For anna@x.example', 'a 1', 'a 2', 'a 4']);
	expect(await search('nobody@y.example')).toEqual(['b 3']);
	expect(await search('anna@x')).toEqual(['For anna@x.example']);
	service.on({ path: /\/me$/, times: Infinity }, withoutFilter);
	expect(await search(ANNA)).toEqual(['For anna@x.example']);
});

it.each<[string, (id: string) => unknown]>([
	['its link', (id) => ({ __rl: true, mode: 'url', value: `${service.origin}/c/${id}` })],
	[
		'what a browser shows',
		(id) => ({ __rl: true, mode: 'url', value: `localhost/c/${id}/files/0?x` }),
	],
	['its link as an ID', (id) => ({ __rl: true, mode: 'id', value: `${service.origin}/c/${id}` })],
	['its link from an expression', (id) => `${service.origin}/c/${id}`],
])('a container is picked by %s', async (_title, toValue) => {
	const id = await service.addContainer({ name: 'One' });
	const parameters = { resource: 'drm', operation: 'get', containerId: toValue(id) };
	const { credentials } = service;

	const output = await outputOf(
		runNode({ credentials, parameters: parameters as INodeParameters }),
	);

	expect(output).toMatchObject([{ containerId: id, dynamic: true }]);
});

it('what is no link is refused by the name of the field, before anything is sent', async () => {
	const containerId = { __rl: true, mode: 'url', value: 'https://share.example.com/' };
	const parameters = { resource: 'container', operation: 'delete', containerId, options: {} };
	const { credentials } = service;

	const { error } = await runNode({ credentials, parameters });

	expect(error?.message).toMatch(/"Container" is not a link with an ID/);
	expect(service.requests).toEqual([]);
});

/** Runs an operation for containers by name. @returns the names that the service was asked for */
async function askedNames(own: IDataObject, options: IDataObject): Promise<string[]> {
	const base = { resource: 'drm', containers: 'byName', email: ANNA, dryRun: true };
	const parameters = { ...base, ...own, options } as INodeParameters;
	const { error } = await runNode({ credentials: service.credentials, parameters });
	expect(error).toBeUndefined();
	const list = service.requests.find(({ path }) => /\/(containers|requests)(\?|$)/.test(path));
	return new URL(list?.path ?? '', service.origin).searchParams.getAll('name');
}

it.each<[IDataObject, IDataObject, string[]]>([
	[{ resource: 'container', operation: 'getAll' }, { nameContains: 'A*project ?' }, ['project']],
	[{ resource: 'request', operation: 'getAll' }, { nameContains: 'tax*6' }, ['tax']],
	[{ operation: 'syncRecipients', nameContains: ' Project A' }, {}, ['Project A']],
	[{ operation: 'check', nameContains: 'A*project ?' }, {}, ['project']],
	[{ operation: 'check', nameContains: '*' }, {}, []],
	[
		{ operation: 'check', nameContains: 'A' },
		{ query: { parameters: [{ name: 'name', value: 'Pro' }] } },
		['Pro'],
	],
])('%j %j lets the service look for the name', async (own, options, names) => {
	expect(await askedNames(own, options)).toEqual(names);
});

it('a service that does not say what it can do is not asked for a name', async () => {
	const silent = rewrite((me) => ({ ...(me as object), features: undefined }));
	service.on({ path: /\/me$/, times: Infinity }, silent);

	expect(await askedNames({ operation: 'check', nameContains: 'A' }, {})).toEqual([]);
});
