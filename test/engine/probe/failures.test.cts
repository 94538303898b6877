import type { Fault } from '../../../sandbox/index.cts';
import { FOREIGN_TEXT, useProbe } from './support/runProbe.cts';

const service = useProbe();

const ENCODE = { method: 'POST', path: /\/encode$/ };
const CONTACT = { method: 'PATCH', path: /\/contacts\// };

describe('a failure in the middle leaves nothing in the service', () => {
	it.each<[string, Fault[]]>([
		['no response to the upload arrives', [{ kind: 'resetInResponse', ...ENCODE }]],
		['the response to the upload is cut off', [{ kind: 'cutJson', ...ENCODE }]],
		[
			'the response to the upload names no ID',
			[{ kind: 'body', when: 'effect', body: '{"ok":true}', ...ENCODE }],
		],
		[
			'the upload has an effect and fails',
			[{ kind: 'status', status: 503, when: 'effect', ...ENCODE }],
		],
		['no response to the contact arrives', [{ kind: 'resetInResponse', times: 3, ...CONTACT }]],
		[
			'a deletion fails',
			[{ kind: 'status', status: 500, method: 'DELETE', path: /\/containers\//, times: 3 }],
		],
		[
			'the service is away for a while',
			[{ kind: 'reset', method: 'GET', path: /\/containers\/|\/drm$/, times: 15 }],
		],
	])(
		'%s',
		async (_what, faults) => {
			const { sandbox } = service;
			const before = service.stored();
			for (const fault of faults) sandbox.faults.add(fault);

			const { leftovers, lines } = await service.run();

			expect(service.stored()).toEqual(before);
			expect(leftovers).toEqual([]);
			expect(sandbox.requests.some(({ method }) => method === 'POST')).toBe(true);
			expect(lines.join('\n')).not.toMatch(FOREIGN_TEXT);
		},
		120_000,
	);

	it('also when it is stopped after any step', async () => {
		const { sandbox } = service;
		const before = service.stored();
		for (const requests of [2, 3, 20, 40]) {
			sandbox.clearRequests();
			const interruption = new AbortController();
			sandbox.settings.latency = () => {
				if (sandbox.counts.total >= requests) interruption.abort();
				return 1;
			};

			const { leftovers } = await service.run({ signal: interruption.signal });

			expect(sandbox.counts.total).toBeLessThan(requests + 6);
			expect(service.stored()).toEqual(before);
			expect(leftovers).toEqual([]);
		}
	}, 120_000);
});

it('says what the service does not delete', async () => {
	const { sandbox } = service;
	sandbox.faults.add({ kind: 'status', status: 403, method: 'DELETE', times: Infinity });

	const { leftovers, failed } = await service.run();

	expect(failed).toEqual(['deleteContainer', 'deleteContact']);
	expect(leftovers).toEqual([
		expect.stringMatching(
			/^container "n8n probe \w+ \(can be deleted\)": The API key has no permission/,
		),
		expect.stringMatching(/^contact n8n-probe-\w+@example\.com: The API key has no permission/),
	]);
	const [container] = sandbox.state.containersOf(sandbox.user.id).slice(-1);
	expect(container.rules.time).toMatchObject({ end: expect.stringMatching(/^202/) });
}, 120_000);

it('says that a container might be left when the service does not show it', async () => {
	const { sandbox } = service;
	sandbox.faults.add({ kind: 'body', when: 'effect', body: '{"ok":true}', ...ENCODE });
	sandbox.faults.add({ kind: 'body', body: '[]', path: /\/containers(\?|$)/, times: Infinity });

	const { leftovers } = await service.run();

	expect(leftovers).toEqual([expect.stringContaining('it is not in the list of containers')]);
}, 120_000);

it('creates nothing with a key that does not work', async () => {
	const { sandbox } = service;
	sandbox.users[0] = { ...sandbox.user, apiKey: 'another' };

	const { error, leftovers } = await service.run();

	expect(error).toContain('did not accept the API key');
	expect(leftovers).toEqual([]);
	expect(sandbox.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
		'GET /api/v1/me',
	]);
});

it('shows no key that the service repeats', async () => {
	const { sandbox } = service;
	sandbox.faults.add({ kind: 'echo', status: 422, method: 'PATCH', times: 4 });

	const { report, lines } = await service.run();

	expect(`${report}\n${lines.join('\n')}`).not.toContain(sandbox.apiKey);
}, 120_000);
