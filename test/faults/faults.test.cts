import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { runListSearch, runPoll, testCredential } from '../support/engine.cts';
import { rewrite, type Handler, type Reply } from '../support/proxy.cts';
import { useService } from '../support/service.cts';
import { operations, runOperation } from './support/operations.cts';
import { API_KEY, encodingsOf, findLeaks, PASSWORD } from './support/secrets.cts';

const service = useService({ API_KEY });

it.each(operations)(
	'does what it is for, once, and shows no secret, when the response is lost: $name',
	async (operation) => {
		const { json, isDone } = await operation.arrange(service);
		service.on(operation.target, async (_request, pass) => {
			await pass();
			return 'cut';
		});

		const result = await runOperation(service, operation, json);

		expect(result.error).toBeUndefined();
		expect(result.items.length).toBeGreaterThan(0);
		if (isDone) expect(await isDone()).toBe(true);
		expect(findLeaks(result)).toEqual([]);
	},
);

/** What a service or a proxy repeats of a request. */
const ECHO = [API_KEY, PASSWORD].flatMap(encodingsOf).join(' | ');
const IN_URL = [API_KEY, PASSWORD].map((secret) => encodeURIComponent(secret)).join('/');

const reply =
	(given: Reply): Handler =>
	async ({ read }) => {
		await read();
		return given;
	};

/** Where a service can return a secret. */
const places: Record<string, Handler> = {
	'the message of an error': reply({
		status: 400,
		body: JSON.stringify({ message: ECHO, code: API_KEY }),
	}),
	'an error as text': reply({ status: 500, body: ECHO, headers: { 'content-type': 'text/plain' } }),
	'the URL of a redirect': reply({
		status: 302,
		headers: { location: `https://localhost:1/${IN_URL}?key=${IN_URL}` },
	}),
	'an HTML page': reply({
		...{ status: 200, body: `<html>${ECHO}</html>`, headers: { 'content-type': 'text/html' } },
	}),
	'invalid JSON': reply({ status: 200, body: `{"message":"${API_KEY}", ${ECHO}` }),
	'the URL of the next page': reply({
		...{ status: 200, body: '[]' },
		headers: { link: `<https://[${IN_URL}>; rel="next"` },
	}),
	'the record': rewrite((record) => ({ ...(record as object), note: ECHO, more: [{ key: ECHO }] })),
	'the complete request': async (request) => {
		await request.read();
		const { headers, body } = request;
		const message = `Refused: ${headers.authorization} ${String(body)}`;
		return { status: 422, body: JSON.stringify({ message, request: { headers } }) };
	},
};
const placeNames = Object.keys(places);
const ON_ERROR = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const;

/** Names, identifiers and addresses stay unchanged, also where they contain the password. */
const withoutIdentities = (items: INodeExecutionData[]): INodeExecutionData[] =>
	items.map(({ json, ...item }) => {
		const text = JSON.stringify(json, (key, value: unknown) =>
			/^(id|uuid|name|email|first_name|recipients)$/.test(key) ? undefined : value,
		);
		return { ...item, json: JSON.parse(text) as IDataObject };
	});

/** Each operation once, and the one that sends a password with each place. */
const cases = [
	...operations.map((operation, index) => ({ operation, place: placeNames[index % 8] })),
	...placeNames.map((place) => ({
		...{ place, operation: operations.find(({ name }) => name === 'container encode')! },
	})),
].map((one, index) => ({ ...one, name: one.operation.name, onError: ON_ERROR[index % 3] }));

it.each(cases)(
	'an operation shows no API key and no password ($onError): $name, $place',
	async ({ operation, place, onError }) => {
		const { json: given } = await operation.arrange(service);
		service.on({ ...operation.target, times: Infinity }, places[place]);

		const options = { ...(operation.parameters.options as object), maxRetries: 0 };
		const parameters = { ...operation.parameters, options };
		const result = await runOperation(service, { ...operation, parameters }, given, { onError });

		expect(service.requests.length).toBeGreaterThan(0);
		const items = [...result.items, ...result.errorItems];
		expect(findLeaks({ ...result, items }, [API_KEY])).toEqual([]);
		if (!JSON.stringify(operation.parameters).includes(PASSWORD)) return;
		const { error, log } = result;
		expect(findLeaks({ error, log, items: withoutIdentities(items) }, [PASSWORD])).toEqual([]);
	},
);

/** What else shows something of a response, and the request that gets it. */
const surfaces = {
	'the list of containers in the editor': [
		/\/containers/,
		async () => {
			const { credentials } = service;
			const { results } = await runListSearch({ method: 'searchContainers', credentials });
			return { items: results.map((entry) => ({ json: { ...entry } })) };
		},
	],
	'the test of the credential': [
		/\/me$/,
		async () => ({ items: [{ json: { ...(await testCredential(service.credentials)) } }] }),
	],
	'a poll for changed rules': [
		/\/drm$/,
		async () => {
			await service.addContainer();
			const options = { includeExisting: true, maxRetries: 0 };
			const parameters = { event: 'drmChanged', options };
			const polled = await runPoll({ parameters, credentials: service.credentials });
			const state = { json: polled.staticData as IDataObject };
			return { ...polled, items: [...(polled.items?.[0] ?? []), state] };
		},
	],
} as const;

it.each(
	Object.entries(surfaces).flatMap(([surface, [path, show]]) =>
		placeNames.map((place) => ({ surface, place, path, show })),
	),
)('$surface shows no API key: $place', async ({ path, show, place }) => {
	service.on({ path, times: Infinity }, places[place]);

	const shown = await show().catch((error: unknown) => ({ error }));

	expect(findLeaks(shown, [API_KEY])).toEqual([]);
	expect(service.requests.length).toBeGreaterThan(0);
});
