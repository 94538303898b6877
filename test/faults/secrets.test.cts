import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { Fault } from '../../sandbox/index.cts';
import { runListSearch, runNode, runPoll, testCredential } from '../support/engine.cts';
import { trustCertificateAuthority } from '../../tools/engine/trust.cts';
import { startSandbox, type Sandbox } from '../../sandbox/index.cts';
import { operations, type OperationCase } from './support/operations.cts';
import {
	API_KEY,
	findLeaks,
	getEncodings,
	PASSWORD,
	type VisibleResult,
} from './support/secrets.cts';

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
const rows = operations.filter(({ name }) => !/, (in one|stored|current|user|rules)/.test(name));
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

const atSandbox = () => ({ baseUrl: sandbox.url, apiKey: API_KEY });

const search = (method: string) => async () =>
	await runListSearch({ method, credentials: atSandbox() }).then(
		({ results }) => ({ items: results.map((entry) => ({ json: { ...entry } })) }),
		(error: unknown) => ({ error }),
	);

const poll = (event: string) => async () => {
	sandbox.addContainer({ rules: { dynamic: true } });
	const options = { includeExisting: true, maxRetries: 0 };
	const parameters = { event, options };
	const { items, error, log, staticData } = await runPoll({ parameters, credentials: atSandbox() });
	return { items: [...(items?.[0] ?? []), { json: staticData as IDataObject }], error, log };
};

/** What else shows something of a response, and the request that gets it. */
const surfaces: Record<string, [path: RegExp, show: () => Promise<VisibleResult>]> = {
	'the list of containers in the editor': [/\/containers$/, search('searchContainers')],
	'the list of contacts in the editor': [/\/contacts$/, search('searchContacts')],
	'the test of the credential': [
		/\/me$/,
		async () => ({ items: [{ json: { ...(await testCredential(atSandbox())) } }] }),
	],
	'a poll for new containers': [/\/containers$/, poll('containerCreated')],
	'a poll for changed rules': [/\/drm$/, poll('drmChanged')],
	'a poll for changed contacts': [/\/contacts$/, poll('contactChanged')],
};

it.each(
	Object.entries(surfaces).flatMap(([surface, [path, show]]) =>
		places.map(({ place, fault }) => ({ surface, place, path, show, fault })),
	),
)('$surface shows no API key: $place', async ({ path, show, fault }) => {
	sandbox.faults.add({ ...fault, path, times: 9 });

	expect(findLeaks(await show(), [API_KEY])).toEqual([]);
	expect(sandbox.requests.length).toBeGreaterThan(0);
});

it(
	'the API key is sent neither to a redirect nor to the next page on another origin',
	async () => {
		const other = await startSandbox();
		const credentials = atSandbox();
		for (const status of [301, 302, 303, 307, 308]) {
			const redirect: Fault = { kind: 'redirect', location: `${other.url}/me`, status };
			sandbox.faults.add(redirect);
			await runNode({ parameters: { resource: 'user', operation: 'getMe' }, credentials });
			sandbox.faults.add(redirect);
			await testCredential(credentials);
		}
		const next = { nextLink: 'otherOrigin', otherOrigin: other.origin } as const;
		Object.assign(sandbox.settings, { pageSize: 1, ...next });
		for (const name of ['A', 'B']) sandbox.addContainer({ name });
		const parameters = { resource: 'container', operation: 'getAll', returnAll: true };
		const { error } = await runNode({ parameters, credentials });

		expect(error?.message).toMatch(/a link to a URL that is not below/);
		expect(other.counts).toMatchObject({ total: 0, connections: 0 });
		await other.stop();
	},
	TIMEOUT,
);
