import { OPERATION_IDS } from '../../../sandbox/contract.cts';
import type { SandboxSettings } from '../../../sandbox/index.cts';
import { CHECKS, readOpenPoints } from '../../../tools/probe/findings.cts';
import { FOREIGN_TEXT, useProbe } from './support/runProbe.cts';

const service = useProbe();

/** Services that differ at as many open points as possible. */
const SHAPES: Record<string, Partial<SandboxSettings>> = {
	plain: {},
	wrapped: {
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
	paged: {
		pageSize: 2,
		nextLink: 'relative',
		listOrder: 'shuffled',
		containerList: 'results',
		filterByQuery: true,
		deleteResponse: 'record',
		errorShape: 'list',
		dates: 'seconds',
	},
	replacing: {
		patchDrmKeys: 'replace',
		patchContactKeys: 'replace',
		patchDrmResponse: 'noContent',
		patchContactResponse: 'noContent',
		deleteResponse: 'message',
		errorShape: 'text',
		dates: 'none',
	},
	strict: {
		otherUsers: 'notFound',
		contactFields: ['first_name', 'last_name', 'company', 'phone_number'],
		requiredManifestFields: ['name', 'recipients', 'drm'],
		deleteResponse: 'message',
		errorShape: 'html',
	},
	busy: {
		rateLimit: { perMinute: 12, windowMs: 1500, retryAfter: 'seconds' },
		patchDrmResponse: 'text',
		patchContactResponse: 'text',
		deleteResponse: 'empty',
		errorShape: 'empty',
	},
};

describe.each(Object.keys(SHAPES))('the probe with the service "%s"', (name) => {
	it('walks all operations, changes only what it created, and leaves nothing', async () => {
		const { sandbox } = service;
		Object.assign(sandbox.settings, SHAPES[name]);
		const before = service.stored();

		const { report, failed, leftovers, error, lines } = await service.run();

		expect({ failed, leftovers, error }).toEqual({ failed: [], leftovers: [], error: undefined });
		expect(service.stored()).toEqual(before);
		const operations = sandbox.requests.map(({ operationId }) => operationId);
		expect([...new Set(operations)].sort()).toEqual([...OPERATION_IDS].sort());
		const uploads = sandbox.requests.filter(({ method }) => method === 'POST');
		expect(uploads.filter(({ status = 0 }) => status < 300)).toHaveLength(1);

		const { user, apiKey, origin } = sandbox;
		for (const text of [report, lines.join('\n')]) {
			expect(text).not.toMatch(FOREIGN_TEXT);
			for (const secret of [apiKey, origin, user.id, user.email, user.root_org_id, 'Olivia']) {
				expect(text).not.toContain(secret);
			}
		}
	}, 120_000);
});

it('has a row for each open point of the contract, and no other', async () => {
	const { report } = await service.run();

	const ids = readOpenPoints().map(({ id }) => id);
	const rows = report.split('\n').slice(2);
	expect(rows.map((row) => row.split(' | ')[0].slice(2))).toEqual(ids);
	expect(ids).toEqual(expect.arrayContaining(Object.keys(CHECKS)));
	for (const row of rows) expect(row.split(/ +\| +/)).toHaveLength(3);
});

it('tells what a service does', async () => {
	Object.assign(service.sandbox.settings, SHAPES.wrapped);

	const { report } = await service.run();

	const row = (id: string) => report.split('\n').find((line) => line.startsWith(`| ${id}`));
	expect(row('service: The success status')).toContain('encode: 201');
	expect(row('service: States of a container')).toContain('"ready"');
	expect(row('upsertContact: The response')).toContain('contact: 201 application/json { message }');
	expect(row('Deleted: ')).toContain('deleteContainer: 200 text/plain');
	expect(row('DrmRulesResponse: The form')).toContain('200 application/json { drm: { ');
	expect(row('AccessWindow: ')).toContain('T00:00:00');
	expect(row('Error: The form')).toContain('unknownContainer: 404 application/json { error: {');
});

it('tells what is lost when a service replaces records', async () => {
	Object.assign(service.sandbox.settings, SHAPES.replacing);

	const { report } = await service.run();

	expect(report).toContain('contactRecord: 200, company: "Example Ltd", first_name: "Probe"');
	expect(report).toMatch(/afterPartOfContact: 200, company: "Other Ltd", first_name: not in/);
	expect(report).toMatch(/afterPartOfRules: 200, opens: 2, recipients: not in the response/);
});
