import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { Fault } from '../../sandbox/index.cts';
import { runListSearch, runNode, runPoll, testCredential } from '../support/engine.cts';
import { trustCertificateAuthority } from '../../tools/engine/trust.cts';
import { startSandbox, type Sandbox } from '../../sandbox/index.cts';
import { operations, type OperationCase } from './support/operations.cts';
import { API_KEY, findLeaks, PASSWORD, getEncodings } from './support/secrets.cts';

const TIMEOUT = 60_000;

let sandbox: Sandbox;
let untrust: () => void;

beforeAll(async () => {
	sandbox = await startSandbox({ apiKey: API_KEY });
	untrust = trustCertificateAuthority(sandbox.ca);
}, TIMEOUT);

afterEach(() => sandbox.reset());

afterAll(async () => {
	untrust();
	await sandbox.stop();
});

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** A secret in every form in which services, proxies and programs return it. */
function echoes(secret: string): string {
	// Those in Base64 are looked for without the digits that other bytes change; what is returned has all digits.
	const whole = Object.entries(getEncodings(secret)).filter(
		([form]) => !form.endsWith(' half') && !form.startsWith('in Base64'),
	);
	return [
		`Bearer ${secret}`,
		...whole.map(([, spelling]) => spelling),
		base64(secret),
		base64(`Bearer ${secret}`),
		base64(JSON.stringify({ container: { password: secret } })),
		Buffer.from(`x:${secret}`).toString('base64url'),
		JSON.stringify({ container: { name: 'x', password: secret } }),
		`authorization=Bearer+${encodeURIComponent(secret)}&x=1`,
	].join(' | ');
}

const ECHO = `${echoes(API_KEY)} | ${echoes(PASSWORD)}`;
const IN_URL = [API_KEY, PASSWORD].map((secret) => encodeURIComponent(secret)).join('/');
const json = (value: unknown, status = 400): Fault => ({
	kind: 'status',
	status,
	body: JSON.stringify(value),
	contentType: 'application/json',
});

/** Where a service can return a secret. */
const places: Array<{ place: string; fault: Fault }> = [
	{ place: 'the message of an error', fault: json({ message: ECHO, code: API_KEY }) },
	{
		place: 'the list of validation errors',
		fault: json({ errors: { [API_KEY]: [ECHO], password: [PASSWORD] } }, 422),
	},
	{
		place: 'an error that is cut in the middle of the password',
		fault: json({ message: `${'x'.repeat(488)} ${PASSWORD}` }, 403),
	},
	{
		place: 'an error as text',
		fault: { kind: 'status', status: 500, body: ECHO, contentType: 'text/plain' },
	},
	{
		place: 'the URL of a redirect',
		fault: { kind: 'redirect', location: `https://localhost:1/${IN_URL}?key=${IN_URL}` },
	},
	{
		place: 'headers',
		fault: {
			kind: 'status',
			status: 429,
			body: '{}',
			headers: {
				'retry-after': API_KEY,
				'x-echo': API_KEY,
				'www-authenticate': `Bearer ${API_KEY}`,
			},
		},
	},
	{ place: 'an HTML page', fault: { kind: 'body', body: `<html><body>${ECHO}</body></html>` } },
	{ place: 'invalid JSON', fault: { kind: 'body', body: `{"message":"${API_KEY}", ${ECHO}` } },
	{
		place: 'the record',
		fault: {
			kind: 'body',
			body: JSON.stringify({
				id: ECHO,
				uuid: '1',
				[ECHO]: ECHO,
				[API_KEY]: { deep: [ECHO, { api_key: API_KEY, password: PASSWORD, Passphrase: PASSWORD }] },
				recipients: [ECHO],
				time: { end: ECHO },
				message: ECHO,
			}),
		},
	},
	{
		place: 'the entries of a list',
		fault: {
			kind: 'body',
			body: JSON.stringify([
				{ uuid: '1', name: ECHO, email: ECHO, first_name: ECHO },
				ECHO,
				[ECHO],
				{ [ECHO]: { [API_KEY]: ECHO } },
			]),
		},
	},
	{
		place: 'the URL of the next page',
		fault: {
			kind: 'status',
			status: 200,
			body: '[]',
			headers: {
				link: `<https://${encodeURIComponent(API_KEY)}.example.com/${IN_URL}>; rel="next"`,
			},
		},
	},
	{ place: 'the complete request', fault: { kind: 'echo' } },
	{ place: 'the complete request, with a status of success', fault: { kind: 'echo', status: 200 } },
];

/** Each operation once, at the request that changes most. Encode has a password. */
const rows = operations.filter(
	({ name }) => !/in one|stored|at the (current|list|user)/.test(name) || /reuse/.test(name),
);
const secretsOf = ({ name }: OperationCase) =>
	name.includes('encode') ? [API_KEY, PASSWORD] : [API_KEY];

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

const cases = rows.flatMap((operation) =>
	places.map(({ place, fault }) => ({ operation, fault, name: `${operation.name}: ${place}` })),
);

const ON_ERROR = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const;

it.each(cases.map((one, index) => ({ ...one, onError: ON_ERROR[index % 3] })))(
	'an operation shows no API key and no password ($onError): $name',
	async ({ operation, fault, onError }) => {
		const arranged = await operation.arrange(sandbox);
		sandbox.faults.add({ ...fault, ...operation.target, times: Infinity });

		const result = await runNode({
			parameters: {
				...arranged.parameters,
				options: { ...(arranged.parameters.options as object), maxRetries: 0 },
			},
			items: arranged.items,
			credentials: { baseUrl: sandbox.url, apiKey: arranged.apiKey ?? API_KEY },
			onError,
		});

		expect(sandbox.requests.length).toBeGreaterThan(0);
		const items = [...result.items, ...result.errorItems];
		expect(findLeaks({ ...result, items }, [API_KEY])).toEqual([]);
		const { error, log } = result;
		const shown = { error, log, items: withoutIdentities(items) };
		expect(findLeaks(shown, secretsOf(operation))).toEqual([]);
	},
	TIMEOUT,
);

describe('a list in the editor shows no API key', () => {
	it.each(
		['searchContainers', 'searchContacts'].flatMap((method) =>
			places.map(({ place, fault }) => ({ method, place, fault })),
		),
	)('$method: $place', async ({ method, fault }) => {
		sandbox.faults.add({ ...fault, path: /\/(containers|contacts)$/, times: 9 });
		const credentials = { baseUrl: sandbox.url, apiKey: API_KEY };

		const outcome = await runListSearch({ method, credentials }).then(
			({ results }) => ({ items: results.map((entry) => ({ json: { ...entry } })) }),
			(error: unknown) => ({ error }),
		);

		expect(findLeaks(outcome, [API_KEY])).toEqual([]);
	});
});

describe('the credential test shows no API key', () => {
	it.each(places)('$place', async ({ fault }) => {
		sandbox.faults.add({ ...fault, times: 9 });

		const { message, status } = await testCredential({ baseUrl: sandbox.url, apiKey: API_KEY });

		expect(findLeaks({ items: [{ json: { message, status } }] }, [API_KEY])).toEqual([]);
	});
});

describe('a poll emits and stores no API key', () => {
	const events = [
		{ event: 'containerCreated', path: /\/containers$/ },
		{ event: 'drmChanged', path: /\/drm$/ },
		{ event: 'contactChanged', path: /\/contacts$/ },
	];

	it.each(
		events.flatMap(({ event, path }) =>
			places.map(({ place, fault }) => ({ event, path, place, fault })),
		),
	)('$event: $place', async ({ event, path, fault }) => {
		sandbox.addContainer({ rules: { dynamic: true } });
		sandbox.faults.add({ ...fault, path, times: 9 });

		const { items, error, log, staticData } = await runPoll({
			parameters: { event, options: { includeExisting: true, maxRetries: 0 } },
			credentials: { baseUrl: sandbox.url, apiKey: API_KEY },
		});

		const remembered = { json: staticData as never };
		expect(
			findLeaks({ items: [...(items?.[0] ?? []), remembered], error, log }, [API_KEY]),
		).toEqual([]);
	});
});

describe('the API key', () => {
	it(
		'is sent neither to a redirect nor to the next page on another origin',
		async () => {
			const other = await startSandbox();
			const elsewhere = `${other.url}/me`;
			for (const status of [301, 302, 303, 307, 308]) {
				sandbox.faults.add({ kind: 'redirect', location: elsewhere, status });
				await runNode({
					parameters: { resource: 'user', operation: 'getMe' },
					credentials: { baseUrl: sandbox.url, apiKey: API_KEY },
				});
				sandbox.faults.add({ kind: 'redirect', location: elsewhere, status });
				await testCredential({ baseUrl: sandbox.url, apiKey: API_KEY });
			}
			Object.assign(sandbox.settings, {
				pageSize: 1,
				nextLink: 'otherOrigin',
				otherOrigin: other.origin,
			});
			sandbox.addContainer();
			sandbox.addContainer();
			const { error } = await runNode({
				parameters: { resource: 'container', operation: 'getAll', returnAll: true },
				credentials: { baseUrl: sandbox.url, apiKey: API_KEY },
			});

			expect(error?.message).toMatch(/where the API key is not sent/);
			expect(other.counts.total).toBe(0);
			expect(other.counts.connections).toBe(0);
			await other.stop();
		},
		TIMEOUT,
	);
});
