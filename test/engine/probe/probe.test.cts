import { probe, readOptions } from '../../../tools/probe.cts';
import { loadOperations } from '../../../tools/probe/walk.cts';
import { repositoryRoot } from '../../support/package.cts';
import { rewrite } from '../../support/proxy.cts';
import { useService } from '../../support/service.cts';

const service = useService();

jest.setTimeout(60_000);

/** Records of others. The probe shows nothing of them. */
beforeEach(async () => {
	await service.addContainer({ name: 'Payroll of Frieda Fremd' });
	await service.addContact('frieda.fremd@acme.example', { company: 'acme' });
});

const stored = async () => [await service.getContainers(), await service.getContacts()];

const run = async (credential = service.credentials, signal?: AbortSignal) => {
	const lines: string[] = [];
	const result = await probe({
		credential,
		run: await loadOperations(repositoryRoot),
		log: (line) => lines.push(line),
		signal,
	});
	const shown = [...result.findings, ...lines].join('\n');
	for (const secret of [credential.apiKey, service.origin, service.userId]) {
		expect(shown).not.toContain(secret);
	}
	expect(shown).not.toMatch(/Frieda|Fremd|Payroll|acme/i);
	return result;
};

it('has nothing to say of this service, and leaves nothing in it', async () => {
	const before = await stored();

	expect(await run()).toEqual({ findings: [], leftovers: [] });

	expect(await stored()).toEqual(before);
});

it('says what is not as the contract says', async () => {
	service.on(
		{ method: 'GET', path: /\/contacts$/ },
		rewrite((contacts) => ({ contacts })),
	);
	service.on(
		{ method: 'PATCH', path: /\/contacts\// },
		rewrite(() => ({ message: 'Saved' })),
	);

	const { findings, leftovers } = await run();

	expect(findings).toEqual(
		expect.arrayContaining([
			'contacts: GET 200: must be array',
			expect.stringMatching(/^contact: PATCH 201: .*required property 'email'/),
		]),
	);
	expect(leftovers).toEqual([]);
});

it('leaves nothing after a lost response to the upload', async () => {
	const before = await stored();
	service.on({ method: 'POST' }, async (_request, pass) => {
		await pass();
		return 'cut';
	});

	expect((await run()).leftovers).toEqual([]);

	expect(await stored()).toEqual(before);
});

it('leaves nothing when it is stopped', async () => {
	const before = await stored();
	const interruption = new AbortController();
	service.on({ method: 'PATCH', path: /\/contacts\// }, async (_request, pass) => {
		interruption.abort();
		return await pass();
	});

	expect((await run(service.credentials, interruption.signal)).leftovers).toEqual([]);

	expect(await stored()).toEqual(before);
});

it('says what the service does not delete', async () => {
	const forbidden = { status: 403, body: '{"message":"No","code":"forbidden"}' };
	service.on({ method: 'DELETE', times: Infinity }, async () => forbidden);

	const { leftovers } = await run();

	expect(leftovers).toEqual([
		expect.stringMatching(/^container "n8n probe \w+ \(can be deleted\)": /),
		expect.stringMatching(/^contact n8n-probe-\w+@example\.com: /),
	]);
});

it('creates nothing with a key that does not work', async () => {
	const before = await stored();

	const { findings } = await run({ ...service.credentials, apiKey: 'another-key-of-nobody' });

	expect(findings).toEqual([expect.stringContaining('did not accept the API key')]);
	expect(await stored()).toEqual(before);
});

it.each<[string, string[], string]>([
	['no base URL', [], '--base-url is missing'],
	['plain HTTP', ['--base-url', 'http://a.example'], 'https'],
	['no key', ['--base-url', 'https://a.example'], 'PROBE_API_KEY must contain the API key'],
])('refuses %s', async (_what, args, message) => {
	await expect(readOptions(args, {})).rejects.toThrow(message);
});
