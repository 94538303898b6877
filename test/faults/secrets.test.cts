import type { Fault } from '../../sandbox/index.cts';
import { runListSearch, runNode, runPoll, testCredential } from '../support/engine.cts';
import { trustCertificateAuthority } from '../support/trust.cts';
import { startSandbox, type Sandbox } from '../../sandbox/index.cts';
import { operations, type OperationCase } from './support/operations.cts';
import { API_KEY, leaksOf, PASSWORD, spellingsOf } from './support/secrets.cts';

const PATIENCE = 60_000;

let sandbox: Sandbox;
let distrust: () => void;

beforeAll(async () => {
	sandbox = await startSandbox({ apiKey: API_KEY });
	distrust = trustCertificateAuthority(sandbox.ca);
});

afterEach(() => sandbox.reset());

afterAll(async () => {
	distrust();
	await sandbox.stop();
});

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** A secret in every way in which services, proxies and programs echo what they were sent. */
function echoes(secret: string): string {
	const whole = Object.entries(spellingsOf(secret)).filter(([form]) => !form.endsWith(' half'));
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

/** Where a service puts what it should not say. */
const places: Array<{ place: string; fault: Fault }> = [
	{ place: 'the message of an error', fault: json({ message: ECHO, code: API_KEY }) },
	{
		place: 'the list of what a validator found',
		fault: json({ errors: { [API_KEY]: [ECHO], password: [PASSWORD] } }, 422),
	},
	{
		place: 'an error that is cut where the secret stands',
		fault: json({ message: `${'x'.repeat(480)} ${API_KEY} ${'x'.repeat(480)} ${PASSWORD}` }),
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
		place: 'the address of a redirect',
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
	{ place: 'a web page', fault: { kind: 'body', body: `<html><body>${ECHO}</body></html>` } },
	{ place: 'JSON that breaks', fault: { kind: 'body', body: `{"message":"${API_KEY}", ${ECHO}` } },
	{ place: 'text where JSON belongs', fault: { kind: 'body', body: ECHO } },
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
		place: 'the address of the next page',
		fault: {
			kind: 'status',
			status: 200,
			body: '[]',
			headers: {
				link: `<https://${encodeURIComponent(API_KEY)}.example.com/${IN_URL}>; rel="next"`,
			},
		},
	},
	{
		place: 'an error with an error of its own inside',
		fault: json({ error: { details: [{ reason: `Token ${base64(`Bearer ${API_KEY}`)}` }] } }, 404),
	},
	{ place: 'everything that was sent', fault: { kind: 'echo' } },
	{ place: 'everything that was sent, as a success', fault: { kind: 'echo', status: 200 } },
];

/** Each operation once at the request that tells most: the first of its rows, encode with its password. */
const rows = operations.filter(
	({ name }) => !/in one|stored|at the (present|list|user)/.test(name) || /reuse/.test(name),
);
const secretsOf = ({ name }: OperationCase) =>
	name.includes('encode') ? [API_KEY, PASSWORD] : [API_KEY];

const cases = rows.flatMap((operation) =>
	places.map(({ place, fault }) => ({ operation, fault, name: `${operation.name}: ${place}` })),
);

describe.each(['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const)(
	'no key and no password comes out of an operation (%s)',
	(onError) => {
		const modes = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'];
		const own = cases.filter((_case, index) => index % 3 === modes.indexOf(onError));

		it.each(own)(
			'$name',
			async ({ operation, fault }) => {
				const arranged = await operation.arrange(sandbox);
				sandbox.faults.add({ ...fault, ...operation.target, times: Number.POSITIVE_INFINITY });

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
				expect(leaksOf({ ...result, items }, secretsOf(operation))).toEqual([]);
			},
			PATIENCE,
		);
	},
);

describe('no key comes out of a list to choose from', () => {
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

		expect(leaksOf(outcome, [API_KEY])).toEqual([]);
	});
});

describe('no key comes out of the test of a credential', () => {
	it.each(places)('$place', async ({ fault }) => {
		sandbox.faults.add({ ...fault, times: 9 });

		const { message, status } = await testCredential({ baseUrl: sandbox.url, apiKey: API_KEY });

		expect(leaksOf({ items: [{ json: { message, status } }] }, [API_KEY])).toEqual([]);
	});
});

describe('no key comes out of a poll, nor into what it remembers', () => {
	const events = [
		{ event: 'containerCreated', path: /\/containers$/ },
		{ event: 'containerDeleted', path: /\/containers$/ },
		{ event: 'drmChanged', path: /\/drm$/ },
		{ event: 'accessEnding', path: /\/drm$/ },
		{ event: 'contactCreated', path: /\/contacts$/ },
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
		expect(leaksOf({ items: [...(items?.[0] ?? []), remembered], error, log }, [API_KEY])).toEqual(
			[],
		);
	});
});

describe('what the user typed', () => {
	it.each<[string, object]>([
		['a recipient that is none', { recipients: 'nobody' }],
		[
			'an unreadable manifest',
			{
				specifyManifest: 'json',
				manifestJson: `{"container": {"password": "${PASSWORD.replace(/["\\]/g, '')}", ]`,
			},
		],
		[
			'a manifest without a container',
			{ specifyManifest: 'json', manifestJson: JSON.stringify({ password: PASSWORD }) },
		],
	])('is not in the log when the input is refused: %s', async (_what, parameters) => {
		const arranged = await operations[0].arrange(sandbox);

		const result = await runNode({
			parameters: { ...arranged.parameters, ...(parameters as typeof arranged.parameters) },
			items: arranged.items,
			credentials: { baseUrl: sandbox.url, apiKey: API_KEY },
		});

		expect(result.error?.message).toBeDefined();
		expect(leaksOf(result, [API_KEY, PASSWORD, PASSWORD.replace(/["\\]/g, '')])).toEqual([]);
		expect(sandbox.requests).toEqual([]);
	});
});

describe("the service's own words", () => {
	it.each(['ECONNRESET', 'ENOENT: no such file', 'the keeperm file', 'ETIMEDOUT'])(
		'are kept whatever they mention: %s',
		async (words) => {
			sandbox.faults.add(json({ message: words }));

			const { error } = await runNode({
				parameters: { resource: 'user', operation: 'getMe' },
				credentials: { baseUrl: sandbox.url, apiKey: API_KEY },
			});

			expect(error?.message).toBe(
				`The service did not accept the request to get the user of the API key: ${words} [item 0]`,
			);
		},
	);
});

describe('the key goes nowhere else', () => {
	it(
		'neither along a redirect nor to the next page of another origin',
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
		PATIENCE,
	);
});
