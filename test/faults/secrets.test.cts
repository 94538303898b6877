import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { startSandbox, type Fault, type Sandbox } from '../../sandbox/index.cts';
import { trustCertificateAuthority } from '../../tools/engine/trust.cts';
import { runListSearch, runNode, runPoll, testCredential } from '../support/engine.cts';
import { operations } from './support/operations.cts';
import { API_KEY, findLeaks, getEncodings, PASSWORD } from './support/secrets.cts';

jest.setTimeout(60_000);

let sandbox: Sandbox;
let untrust: () => void;

beforeAll(async () => {
	sandbox = await startSandbox({ apiKey: API_KEY });
	untrust = trustCertificateAuthority(sandbox.ca);
});

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
const DEEP = [ECHO, { api_key: API_KEY, password: PASSWORD, Passphrase: PASSWORD }];
const RECORD = { id: ECHO, uuid: '1', recipients: [ECHO], time: { end: ECHO }, message: ECHO };
const ENTRY = { uuid: '1', name: ECHO, email: ECHO, first_name: ECHO };

const json = (value: unknown): Fault => ({ kind: 'body', body: JSON.stringify(value) });
const error = (message: string, status: number): Fault => ({
	...{ kind: 'status', status, contentType: 'application/json' },
	body: JSON.stringify({ message, code: API_KEY }),
});
const withHeaders = (status: number, body: string, headers: Record<string, string>): Fault => ({
	...{ kind: 'status', status, body, headers },
});

/** Where a service can return a secret. */
const places: Record<string, Fault> = {
	'the message of an error': error(ECHO, 400),
	'an error that is cut in the middle of the password': error('x'.repeat(488) + PASSWORD, 403),
	'an error as text': { kind: 'status', status: 500, body: ECHO, contentType: 'text/plain' },
	'the URL of a redirect': {
		kind: 'redirect',
		location: `https://localhost:1/${IN_URL}?key=${IN_URL}`,
	},
	headers: withHeaders(429, '{}', {
		'retry-after': API_KEY,
		'x-echo': API_KEY,
		'www-authenticate': `Bearer ${API_KEY}`,
	}),
	'an HTML page': { kind: 'body', body: `<html><body>${ECHO}</body></html>` },
	'invalid JSON': { kind: 'body', body: `{"message":"${API_KEY}", ${ECHO}` },
	'the record': json({ ...RECORD, [ECHO]: ECHO, [API_KEY]: { deep: DEEP } }),
	'the entries of a list': json([ENTRY, ECHO, [ECHO], { [ECHO]: { [API_KEY]: ECHO } }]),
	'the URL of the next page': withHeaders(200, '[]', {
		link: `<https://${encodeURIComponent(API_KEY)}.example.com/${IN_URL}>; rel="next"`,
	}),
	'the complete request': { kind: 'echo' },
	'the complete request, with a status of success': { kind: 'echo', status: 200 },
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

/** Each operation once, at the request that changes most. Encode has a password. */
const cases = operations
	.filter(({ name }) => !/, (in one|stored|current|user|rules)/.test(name))
	.flatMap((operation) =>
		Object.entries(places).map(([place, fault]) => ({ place, operation, fault })),
	)
	.map((one, index) => ({ ...one, name: one.operation.name, onError: ON_ERROR[index % 3] }));

it.each(cases)(
	'an operation shows no API key and no password ($onError): $name, $place',
	async ({ operation, fault, onError }) => {
		const { parameters, items: given } = await operation.arrange(sandbox);
		sandbox.faults.add({ ...fault, ...operation.target, times: Infinity });
		const options = { ...(parameters.options as object), maxRetries: 0 };

		const result = await runNode({
			parameters: { ...parameters, options },
			items: given,
			credentials: atSandbox(),
			onError,
		});

		expect(sandbox.requests.length).toBeGreaterThan(0);
		const items = [...result.items, ...result.errorItems];
		expect(findLeaks({ ...result, items }, [API_KEY])).toEqual([]);
		if (!operation.name.includes('encode')) return;
		const shown = { error: result.error, log: result.log, items: withoutIdentities(items) };
		expect(findLeaks(shown, [PASSWORD])).toEqual([]);
	},
);

const atSandbox = () => ({ baseUrl: sandbox.url, apiKey: API_KEY });

const search = (method: string) => async () => {
	const { results } = await runListSearch({ method, credentials: atSandbox() });
	return { items: results.map((entry) => ({ json: { ...entry } })) };
};

const poll = (event: string) => async () => {
	sandbox.addContainer({ rules: { dynamic: true } });
	const parameters = { event, options: { includeExisting: true, maxRetries: 0 } };
	const result = await runPoll({ parameters, credentials: atSandbox() });
	const json = result.staticData as IDataObject;
	return { ...result, items: [...(result.items?.[0] ?? []), { json }] };
};

/** What else shows something of a response, and the request that gets it. */
const surfaces = {
	'the list of containers in the editor': [/\/containers$/, search('searchContainers')],
	'the list of contacts in the editor': [/\/contacts$/, search('searchContacts')],
	'the test of the credential': [
		/\/me$/,
		async () => ({ items: [{ json: { ...(await testCredential(atSandbox())) } }] }),
	],
	'a poll for new containers': [/\/containers$/, poll('containerCreated')],
	'a poll for changed rules': [/\/drm$/, poll('drmChanged')],
	'a poll for changed contacts': [/\/contacts$/, poll('contactChanged')],
} as const;

it.each(
	Object.entries(surfaces).flatMap(([surface, [path, show]]) =>
		Object.entries(places).map(([place, fault]) => ({ surface, place, path, show, fault })),
	),
)('$surface shows no API key: $place', async ({ path, show, fault }) => {
	sandbox.faults.add({ ...fault, path, times: 9 });

	const shown = await show().catch((error: unknown) => ({ error }));

	expect(findLeaks(shown, [API_KEY])).toEqual([]);
	expect(sandbox.requests.length).toBeGreaterThan(0);
});

it('the API key is sent neither to a redirect nor to the next page on another origin', async () => {
	const other = await startSandbox();
	const credentials = atSandbox();
	for (const status of [301, 302, 303, 307, 308]) {
		const redirect: Fault = { kind: 'redirect', location: `${other.url}/me`, status, times: 2 };
		sandbox.faults.add(redirect);
		await runNode({ parameters: { resource: 'user', operation: 'getMe' }, credentials });
		await testCredential(credentials);
	}
	const link = `<${other.url}/users/${sandbox.user.id}/containers>; rel="next"`;
	sandbox.faults.add({ ...withHeaders(200, '[{"uuid":"1"}]', { link }), path: /\/containers/ });
	const parameters = { resource: 'container', operation: 'getAll', returnAll: true };
	const { error: refusal } = await runNode({ parameters, credentials });

	expect(refusal?.message).toMatch(/a link to a URL that is not below/);
	expect(other.counts).toMatchObject({ total: 0, connections: 0 });
	await other.stop();
});
