import {
	startSandbox,
	type Fault,
	type Sandbox,
	type SandboxSettings,
} from '../../../sandbox/index.cts';
import { operations as served } from '../../../sandbox/operations.cts';
import { trustCertificateAuthority } from '../../../tools/engine/trust.cts';
import { CHECKS, readOpenPoints } from '../../../tools/probe/findings.cts';
import { probe } from '../../../tools/probe.cts';
import { loadOperations } from '../../../tools/probe/walk.cts';
import { repositoryRoot } from '../../support/package.cts';

const FOREIGN = {
	containers: ['Payroll of Frieda Fremd', 'Contract 4711'],
	contacts: ['frieda.fremd@acme.example', 'gustav@acme.example'],
};

/** What no output of the probe can contain. */
const FOREIGN_TEXT = /Frieda|Fremd|Payroll|(?<![-\da-f])4711(?![-\da-f])|gustav|acme|Vault/i;

jest.setTimeout(120_000);

let sandbox: Sandbox;
let untrust: () => void;
beforeAll(async () => {
	sandbox = await startSandbox();
	untrust = trustCertificateAuthority(sandbox.ca);
});
beforeEach(() => {
	sandbox.reset();
	for (const name of FOREIGN.containers) sandbox.addContainer({ name });
	for (const email of FOREIGN.contacts) sandbox.addContact(email, { company: 'acme' });
});
afterAll(async () => {
	untrust();
	await sandbox.stop();
});

/** Everything that the sandbox stores. */
const stored = () => {
	const { state, user } = sandbox;
	return structuredClone([state.containersOf(user.id), [...state.contactsOf(user.id)]]);
};

const run = async (signal?: AbortSignal) => {
	const { url: baseUrl, apiKey } = sandbox;
	const lines: string[] = [];
	const result = await probe({
		credential: { baseUrl, apiKey },
		run: await loadOperations(repositoryRoot),
		log: (line) => lines.push(line),
		signal,
	});
	return { ...result, lines: lines.join('\n') };
};

/** Services that differ at as many open points as possible, and what the report says of them. */
const SHAPES: Record<
	string,
	[settings: Partial<SandboxSettings>, report: RegExp[], faults?: Fault[]]
> = {
	wrapped: [
		{
			containerList: 'items',
			contactList: 'data',
			listEntries: 'record',
			getContainerResponse: 'record',
			containerFields: { status: 'ready', storage: { bucket: 'acme-vault', id: 4711 } },
			drmShape: 'drm',
			drmFields: { version: 3, updated_by: 'Vera Vault' },
			drmTimes: 'timestamp',
			patchDrmResponse: 'empty',
			patchContactResponse: 'message',
			deleteResponse: 'text',
			errorShape: 'nested',
			statuses: { encodeFiles: 201, createContact: 201 },
		},
		[
			/^\| service: The success status.*encode: 201/m,
			/^\| service: States of a container.*"ready"/m,
			/^\| upsertContact: The response.*contact: 201 application\/json \{ message }/m,
			/^\| Deleted: .*deleteContainer: 200 text\/plain/m,
			/^\| DrmRulesResponse: The form.*200 application\/json \{ drm: \{ /m,
			/^\| AccessWindow: .*T00:00:00/m,
			/^\| Error: The form.*unknownContainer: 404 application\/json \{ error: \{/m,
		],
	],
	paged: [
		{
			pageSize: 2,
			nextLink: 'relative',
			listOrder: 'shuffled',
			containerList: 'results',
			filterByQuery: true,
			deleteResponse: 'record',
			errorShape: 'list',
			dates: 'seconds',
		},
		[/^\| service: Rate limits.*retry-after; \d+ requests, 1 /m],
		[{ kind: 'status', status: 429, headers: { 'retry-after': '1' }, path: /\/contacts/, nth: 3 }],
	],
	replacing: [
		{
			patchDrmKeys: 'replace',
			patchContactKeys: 'replace',
			patchDrmResponse: 'noContent',
			patchContactResponse: 'noContent',
			deleteResponse: 'message',
			errorShape: 'text',
			dates: 'none',
			otherUsers: 'notFound',
			requiredManifestFields: ['name', 'recipients', 'drm'],
		},
		[
			/contactRecord: 200, company: "Example Ltd", first_name: "Probe"/,
			/afterPartOfContact: 200, company: "Other Ltd", first_name: not in/,
			/afterPartOfRules: 200, opens: 2, recipients: not in the response/,
		],
	],
};

it.each(Object.entries(SHAPES))(
	'walks all operations of a service, changes only what it created, leaves nothing, and reports: %s',
	async (_name, [settings, expected, faults = []]) => {
		Object.assign(sandbox.settings, settings);
		for (const fault of faults) sandbox.faults.add(fault);
		const before = stored();

		const { report, failed, leftovers, error, lines } = await run();

		expect({ failed, leftovers, error }).toEqual({ failed: [], leftovers: [], error: undefined });
		expect(stored()).toEqual(before);
		const operations = sandbox.requests.flatMap(({ operationId }) => operationId ?? []);
		expect([...new Set(operations)].sort()).toEqual(Object.keys(served).sort());
		const uploads = sandbox.requests.filter(({ method }) => method === 'POST');
		expect(uploads.filter(({ status = 0 }) => status < 300)).toHaveLength(1);
		for (const pattern of expected) expect(report).toMatch(pattern);

		const { user, apiKey, origin } = sandbox;
		for (const text of [report, lines]) {
			expect(text).not.toMatch(FOREIGN_TEXT);
			for (const secret of [apiKey, origin, user.id, user.email, user.root_org_id, 'Olivia']) {
				expect(text).not.toContain(secret);
			}
		}
		const ids = readOpenPoints().map(({ id }) => id);
		const rows = report.split('\n').slice(2);
		expect(rows.map((row) => row.split(' | ')[0].slice(2))).toEqual(ids);
		for (const start of Object.keys(CHECKS)) {
			expect(ids.filter((id) => id.startsWith(start))).toHaveLength(1);
		}
		for (const row of rows) expect(row.split(/ +\| +/)).toHaveLength(3);
	},
);

const ENCODE = { method: 'POST', path: /\/encode$/ };
const CONTACT = { method: 'PATCH', path: /\/contacts\// };

it.each<[string, Fault[]]>([
	[
		'no response to the upload and the contact arrives',
		[
			{ kind: 'resetInResponse', ...ENCODE },
			{ kind: 'resetInResponse', times: 3, ...CONTACT },
		],
	],
	[
		'the response to the upload names no ID, and a deletion fails',
		[
			{ kind: 'body', when: 'effect', body: '{"ok":true}', ...ENCODE },
			{ kind: 'status', status: 500, method: 'DELETE', path: /\/containers\//, times: 2 },
		],
	],
	[
		'the upload has an effect and fails',
		[{ kind: 'status', status: 503, when: 'effect', ...ENCODE }],
	],
])('a failure in the middle leaves nothing in the service: %s', async (_what, faults) => {
	const before = stored();
	for (const fault of faults) sandbox.faults.add(fault);

	const { leftovers, lines } = await run();

	expect(stored()).toEqual(before);
	expect(leftovers).toEqual([]);
	expect(sandbox.requests.some(({ method }) => method === 'POST')).toBe(true);
	expect(lines).not.toMatch(FOREIGN_TEXT);
});

it('leaves nothing when it is stopped after any step', async () => {
	const before = stored();
	for (const requests of [2, 20, 40]) {
		sandbox.clearRequests();
		const interruption = new AbortController();
		sandbox.settings.latency = () => {
			if (sandbox.counts.total >= requests) interruption.abort();
			return 1;
		};

		const { leftovers } = await run(interruption.signal);

		expect(sandbox.counts.total).toBeLessThan(requests + 8);
		expect(stored()).toEqual(before);
		expect(leftovers).toEqual([]);
	}
});

it('says what the service does not delete, and ends access to it', async () => {
	sandbox.faults.add({ kind: 'status', status: 403, method: 'DELETE', times: Infinity });

	const { leftovers, failed } = await run();

	expect(failed).toEqual(['deleteContainer', 'deleteContact']);
	expect(leftovers).toEqual([
		expect.stringMatching(/^container "n8n probe \w+ \(can be deleted\)": The API key has no perm/),
		expect.stringMatching(/^contact n8n-probe-\w+@example\.com: The API key has no permission/),
	]);
	const [container] = sandbox.state.containersOf(sandbox.user.id).slice(-1);
	expect(container.rules.time).toMatchObject({ end: expect.stringMatching(/^202/) });
});

it('says that a container might be left when the service does not show it, and no key that it repeats', async () => {
	sandbox.faults.add({ kind: 'body', when: 'effect', body: '{"ok":true}', ...ENCODE });
	sandbox.faults.add({ kind: 'body', body: '[]', path: /\/containers(\?|$)/, times: Infinity });
	sandbox.faults.add({ kind: 'echo', status: 422, method: 'PATCH', times: 4 });

	const { leftovers, report, lines } = await run();

	expect(leftovers).toEqual([expect.stringContaining('it is not in the list of containers')]);
	expect(report + lines).not.toContain(sandbox.apiKey);
});

it('creates nothing with a key that does not work', async () => {
	sandbox.users[0] = { ...sandbox.user, apiKey: 'another' };

	const { error, leftovers } = await run();

	expect(error).toContain('did not accept the API key');
	expect(leftovers).toEqual([]);
	expect(sandbox.requests.map(({ path }) => path)).toEqual(['/api/v1/me']);
});
