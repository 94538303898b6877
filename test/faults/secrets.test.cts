import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { runListSearch, runPoll, testCredential } from '../support/engine.cts';
import { rewrite, type Handler, type Reply } from '../support/proxy.cts';
import { useService } from '../support/service.cts';
import { operations, runOperation } from './support/operations.cts';
import { API_KEY, encodingsOf, findLeaks, PASSWORD } from './support/secrets.cts';

jest.setTimeout(60_000);

const service = useService({ API_KEY });

/** What a service or a proxy repeats of a request. */
const ECHO = [API_KEY, PASSWORD].flatMap(encodingsOf).join(' | ');
const IN_URL = [API_KEY, PASSWORD].map((secret) => encodeURIComponent(secret)).join('/');

const reply =
	(given: Reply): Handler =>
	async ({ read }) => {
		await read();
		return given;
	};
const json = (value: object, status = 200) => reply({ status, body: JSON.stringify(value) });
const page = { 'content-type': 'text/html' };

/** Where a service can return a secret. */
const places: Record<string, Handler> = {
	'the message of an error': json({ message: ECHO, code: API_KEY }, 400),
	'an error as text': reply({ status: 500, body: ECHO, headers: { 'content-type': 'text/plain' } }),
	'the URL of a redirect': reply({
		status: 302,
		headers: { location: `https://localhost:1/${IN_URL}?key=${IN_URL}` },
	}),
	'an HTML page': reply({ status: 200, body: `<html>${ECHO}</html>`, headers: page }),
	'invalid JSON': reply({ status: 200, body: `{"message":"${API_KEY}", ${ECHO}` }),
	'the URL of the next page': reply({
		status: 200,
		body: '[]',
		headers: { link: `<https://elsewhere.example.com/${IN_URL}>; rel="next"` },
	}),
	'the record': rewrite((record) => ({ ...(record as object), note: ECHO, more: [{ key: ECHO }] })),
	'the complete request': async (request) => {
		await request.read();
		const { headers, body } = request;
		const message = `Refused: ${headers.authorization} ${String(body)}`;
		return { status: 422, body: JSON.stringify({ message, request: { headers } }) };
	},
};

/** Names, identifiers and addresses stay unchanged, also where they contain the password. */
const withoutIdentities = (items: INodeExecutionData[]): INodeExecutionData[] =>
	items.map((item) => ({
		...item,
		json: JSON.parse(
			JSON.stringify(item.json, (key, value: unknown) =>
				/^(id|uuid|name|email|first_name|recipients)$/.test(key) ? undefined : value,
			),
		) as IDataObject,
	}));

const ON_ERROR = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const;

const cases = operations
	.flatMap((operation) =>
		Object.entries(places).map(([place, handler]) => ({ place, operation, handler })),
	)
	.map((one, index) => ({ ...one, name: one.operation.name, onError: ON_ERROR[index % 3] }));

it.each(cases)(
	'an operation shows no API key and no password ($onError): $name, $place',
	async ({ operation, handler, onError }) => {
		const { json: given } = await operation.arrange(service);
		service.on({ ...operation.target, times: Infinity }, handler);

		const options = { ...(operation.parameters.options as object), maxRetries: 0 };
		const parameters = { ...operation.parameters, options };
		const result = await runOperation(service, { ...operation, parameters }, given, { onError });

		expect(service.requests.length).toBeGreaterThan(0);
		const items = [...result.items, ...result.errorItems];
		expect(findLeaks({ ...result, items }, [API_KEY])).toEqual([]);
		if (!operation.name.includes('encode')) return;
		const shown = { error: result.error, log: result.log, items: withoutIdentities(items) };
		expect(findLeaks(shown, [PASSWORD])).toEqual([]);
	},
);

const search = (method: string) => async () => {
	const { results } = await runListSearch({ method, credentials: service.credentials });
	return { items: results.map((entry) => ({ json: { ...entry } })) };
};

const poll = (event: string) => async () => {
	await service.addContainer();
	const parameters = { event, options: { includeExisting: true, maxRetries: 0 } };
	const result = await runPoll({ parameters, credentials: service.credentials });
	const state = result.staticData as IDataObject;
	return { ...result, items: [...(result.items?.[0] ?? []), { json: state }] };
};

/** What else shows something of a response, and the request that gets it. */
const surfaces = {
	'the list of containers in the editor': [/\/containers/, search('searchContainers')],
	'the test of the credential': [
		/\/me$/,
		async () => ({ items: [{ json: { ...(await testCredential(service.credentials)) } }] }),
	],
	'a poll for changed rules': [/\/drm$/, poll('drmChanged')],
} as const;

it.each(
	Object.entries(surfaces).flatMap(([surface, [path, show]]) =>
		Object.entries(places).map(([place, handler]) => ({ surface, place, path, show, handler })),
	),
)('$surface shows no API key: $place', async ({ path, show, handler }) => {
	service.on({ path, times: Infinity }, handler);

	const shown = await show().catch((error: unknown) => ({ error }));

	expect(findLeaks(shown, [API_KEY])).toEqual([]);
	expect(service.requests.length).toBeGreaterThan(0);
});
