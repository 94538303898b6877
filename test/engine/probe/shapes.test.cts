import { copyFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OPERATION_IDS } from '../../../sandbox/contract.cts';
import { FINDINGS } from '../../../tools/probe/findings.cts';
import { readOpenPoints } from '../../../tools/probe/openPoints.cts';
import { FOREIGN_TEXT, useProbe } from './support/runProbe.cts';
import { SHAPES } from './support/shapes.cts';

const service = useProbe();

let save: string;
beforeEach(async () => {
	save = await mkdtemp(join(tmpdir(), 'probe-'));
});
afterEach(async () => await rm(save, { recursive: true }));

describe.each(Object.keys(SHAPES))('the probe with the service "%s"', (name) => {
	it('walks all operations, changes only what it created, and leaves nothing', async () => {
		const { sandbox } = service;
		Object.assign(sandbox.settings, SHAPES[name]);
		const before = service.stored();

		const { report, failed, leftovers, error, lines } = await service.run({ save });

		expect({ failed, leftovers, error }).toEqual({ failed: [], leftovers: [], error: undefined });
		expect(service.stored()).toEqual(before);
		const operations = sandbox.requests.map(({ operationId }) => operationId);
		expect([...new Set(operations)].sort()).toEqual([...OPERATION_IDS].sort());
		const uploads = sandbox.requests.filter(({ method }) => method === 'POST');
		expect(uploads.filter(({ status = 0 }) => status < 300)).toHaveLength(1);

		const files = await Promise.all(
			(await readdir(save)).map(async (file) => await readFile(join(save, file), 'utf8')),
		);
		expect(files).toHaveLength(2);
		const { user, apiKey, origin } = sandbox;
		for (const text of [report, ...files, lines.join('\n')]) {
			expect(text).not.toMatch(FOREIGN_TEXT);
			for (const secret of [apiKey, origin, user.id, user.email, user.root_org_id, 'Olivia']) {
				expect(text).not.toContain(secret);
			}
		}
		const { PROBE_ANSWERS } = process.env;
		if (PROBE_ANSWERS !== undefined) {
			await copyFile(join(save, 'answers.json'), join(PROBE_ANSWERS, `${name}.json`));
		}
	}, 120_000);
});

it('has a row for each open point of the contract, and no other', async () => {
	const { report } = await service.run();

	const rows = report.split('\n').slice(2);
	expect(rows.map((row) => row.split(' | ')[0].slice(2))).toEqual(
		readOpenPoints().map(({ id }) => id),
	);
	expect(Object.keys(FINDINGS).sort()).toEqual(
		readOpenPoints()
			.map(({ id }) => id)
			.sort(),
	);
	for (const row of rows) expect(row.split(/ +\| +/)).toHaveLength(3);
});

it('tells what a service does', async () => {
	Object.assign(service.sandbox.settings, SHAPES.wrapped);

	const { report } = await service.run();

	const row = (id: string) => report.split('\n').find((line) => line.startsWith(`| ${id}`));
	expect(row('service: The success status')).toContain('encode 201');
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

	expect(report).toContain('first_name: "Probe", then not in the response');
	expect(report).toMatch(/recipients: \["n8n-probe-0000@example.com"\], then not in the response/);
});
