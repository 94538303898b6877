import { probe } from '../../tools/probe.cts';
import { rewrite } from '../support/proxy.cts';
import { useService } from '../support/service.cts';

const service = useService();

/** Records of others. The probe shows nothing of them, and leaves them. */
let stored: unknown[];
const readStored = async () => [await service.getContainers(), await service.getContacts()];
beforeEach(async () => {
	await service.addContainer({ name: 'Payroll of Frieda Fremd' });
	await service.addContact('frieda.fremd@acme.example', { company: 'acme' });
	stored = await readStored();
});

const run = async (signal?: AbortSignal, apiKey = service.apiKey) => {
	const lines: string[] = [];
	const { ca, baseUrl } = service;
	const access = { ca, baseUrl, apiKey };
	const result = await probe({ access, log: (line) => lines.push(line), signal });
	const shown = [...result.findings, ...lines].join('\n');
	for (const secret of [apiKey, service.origin, service.userId]) {
		expect(shown).not.toContain(secret);
	}
	expect(shown).not.toMatch(/Frieda|Fremd|Payroll|acme/i);
	return result;
};

it('has nothing to say of this service, and leaves nothing in it', async () => {
	expect(await run()).toEqual({ findings: [], leftovers: [] });

	expect(await readStored()).toEqual(stored);
});

it('says what is not as the contract says', async () => {
	service.on(
		{ method: 'GET', path: /\/contacts\?/ },
		rewrite((contacts) => ({ contacts })),
	);
	service.on({ method: 'GET', path: /\/containers\?/ }, async () => ({
		...{ status: 403, body: '{"message":"No","code":"forbidden"}' },
		headers: { 'content-type': 'application/json' },
	}));

	const { findings, leftovers } = await run();

	expect(findings).toEqual(['containers: GET 403 in place of 200', 'contacts: GET: must be array']);
	expect(leftovers).toEqual([]);
});

it.each([
	['after a lost response to the upload', 'POST', /encode$/],
	['when it is stopped', 'PATCH', /\/contacts\//],
])('leaves nothing %s', async (_when, method, path) => {
	const interruption = new AbortController();
	service.on({ method, path }, async (_request, pass) => {
		const reply = await pass();
		if (method === 'POST') return 'cut';
		interruption.abort();
		return reply;
	});

	expect((await run(interruption.signal)).leftovers).toEqual([]);

	expect(await readStored()).toEqual(stored);
});

it('says what the service does not delete', async () => {
	const forbidden = { status: 403, body: '{"message":"No","code":"forbidden"}' };
	service.on({ method: 'DELETE', times: Infinity }, async () => forbidden);

	expect((await run()).leftovers).toEqual([
		expect.stringMatching(/^container "n8n probe \w+ \(can be deleted\)": /),
		expect.stringMatching(/^contact n8n-probe-\w+@example\.com: /),
	]);
});

it('creates nothing with a key that does not work', async () => {
	const { findings } = await run(undefined, 'another-key-of-nobody');

	expect(findings).toEqual(['user: GET 401 in place of 200']);
	expect(await readStored()).toEqual(stored);
});
