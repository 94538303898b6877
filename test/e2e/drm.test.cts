import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { Execution } from '../../tools/realN8n/execution.cts';
import { code } from './support/nodes.cts';
import { startTestEnvironment, type TestEnvironment } from './support/testEnvironment.cts';

const HOUR = 3_600_000;
/** The last day that is over everywhere. */
const lastDay = () => new Date(Date.now() - 36 * HOUR).toISOString().slice(0, 10);
const RULES = { dynamic: true, opens: 3, recipients: ['ada@example.com', 'bob@example.com'] };
const FAR = Date.UTC(2099, 11, 31);

describe('ending and changing access in the real n8n', () => {
	let e2e: TestEnvironment;
	beforeAll(async () => {
		e2e = await startTestEnvironment();
	});
	beforeEach(() => e2e.sandbox.reset());
	afterAll(async () => await e2e?.stop());

	/** Responses to the next requests for rules, of this method. */
	const respond = (method: string, ...bodies: unknown[]) => {
		for (const body of bodies) {
			e2e.sandbox.faults.add({ kind: 'body', method, path: /\/drm$/, body: JSON.stringify(body) });
		}
	};
	const run = async (
		ids: string[],
		operation: string,
		parameters: INodeParameters = {},
	): Promise<Execution> =>
		await e2e.runWorkflow([
			code('Items', `return ${JSON.stringify(ids)}.map((uuid) => ({ json: { uuid } }));`),
			e2e.node(
				'Operation',
				{
					resource: 'drm',
					operation,
					containerId: { __rl: true, mode: 'id', value: '={{ $json.uuid }}' },
					...parameters,
					options: { maxConcurrent: 1, maxRetries: 0 },
				},
				{ onError: 'continueRegularOutput' },
			),
		]);
	const container = (rules: IDataObject = RULES) =>
		e2e.sandbox.addContainer({ name: 'A container', rules: { ...rules } }).uuid;
	const held = (uuid: string) => e2e.sandbox.state.containers.get(uuid)?.rules;
	const methods = () => e2e.sandbox.requests.map(({ method }) => method).join(' ');
	const changes = () =>
		e2e.sandbox.requests.filter(({ method }) => method === 'PATCH').map(({ body }) => body);

	it('revokes access whatever the service shows as the end', async () => {
		const ends = [
			'',
			null,
			'0001-01-01T00:00:00Z',
			'0000-00-00',
			'12/31/2099',
			`/Date(${FAR})/`,
			FAR / 1000,
			FAR,
			new Date(Date.now() - 10 * HOUR).toISOString().replace('Z', '-12:00'),
		];
		const ids = ends.map(() => container());
		respond('GET', ...ends.map((end) => ({ ...RULES, time: { end } })));

		const execution = await run(ids, 'revoke');

		const ended = { ...RULES, time: { end: lastDay() } };
		expect(execution.error).toBeUndefined();
		expect(changes()).toEqual(ends.map(() => ended));
		expect(ids.map(held)).toEqual(ends.map(() => ended));
		expect(execution.json('Operation')).toEqual(
			ids.map((containerId) => ({ containerId, changed: true, ...ended })),
		);
	});

	it('accepts the new end in any form that can be read, and no other', async () => {
		const moment = Date.parse(lastDay());
		const ends = [moment / 1000, moment, `${lastDay()}T00:00:00.000Z`];
		// An end that differs from the one before could be another program's: the node would try again.
		const others = ['12/31/2099', FAR].map((end) => ({ ...RULES, time: { end } }));
		const ids = [...ends.map(() => container()), ...others.map(container)];
		respond('PATCH', ...ends.map((end) => ({ ...RULES, time: { end } })), ...others);

		const execution = await run(ids, 'revoke');

		expect(execution.json('Operation')).toEqual([
			...ends.map((end, index) => ({
				containerId: ids[index],
				changed: true,
				...RULES,
				time: { end },
			})),
			expect.objectContaining({
				error: expect.stringContaining('an end that is no date (12/31/2099)'),
			}),
			expect.objectContaining({ error: expect.stringContaining(`still end on ${FAR}`) }),
		]);
		// The sandbox holds the two other ends here, which no documented service has.
		e2e.sandbox.violations.clear();
	});

	it('moves a window in the future as a whole, in one request', async () => {
		const uuid = container({ ...RULES, time: { start: '2099-01-01', end: '2099-12-31' } });

		await run([uuid], 'revoke');

		expect(changes()).toEqual([{ ...RULES, time: { start: lastDay(), end: lastDay() } }]);
	});

	it('adds and removes recipients wherever the service shows them', async () => {
		const { recipients, ...others } = RULES;
		const shown = [
			{ ...others, recipients: recipients.map((email) => ({ email })) },
			{ container: { recipients }, drm: others },
			{ data: RULES, time: { took: 3 } },
			{ ...RULES, audit: { recipients: 'nobody', opens: 17 } },
		];
		const ids = shown.map(() => container());
		respond('GET', ...shown);

		const execution = await run(ids, 'update', {
			rules: { addRecipients: 'carl@example.com', removeRecipients: 'bob@example.com' },
		});

		expect(execution.error).toBeUndefined();
		for (const uuid of ids) {
			expect(held(uuid)).toMatchObject({
				...others,
				recipients: ['ada@example.com', 'carl@example.com'],
			});
		}
	});

	it('sends nothing where it does not know the rules for certain', async () => {
		const shown = [
			{ drm: { Dynamic: false } },
			{ ...RULES, recipients: [{ id: 1 }] },
			{ recipients: ['carl@example.com'], drm: RULES },
			{ time: { took: 3 } },
		];
		const ids = shown.map(() => container());
		respond('GET', ...shown);

		const execution = await run(ids, 'update', { rules: { removeRecipients: 'bob@example.com' } });

		expect(execution.json('Operation')).toEqual(
			ids.map((containerId) =>
				expect.objectContaining({
					containerId,
					error: expect.stringContaining('instead of access rules'),
				}),
			),
		);
		expect(methods()).toBe('GET GET GET GET');
		expect(ids.map(held)).toEqual(ids.map(() => RULES));
	});

	it('sends nothing that changes nothing, and refuses what would have no effect', async () => {
		const fixed = { ...RULES, dynamic: false };
		const wild = { ...RULES, recipients: [...RULES.recipients, '*@example.com'] };
		const ids = [container(), container(fixed), container(wild)];

		const execution = await run(ids, 'update', { rules: { removeRecipients: 'zoe@example.com' } });

		expect(execution.json('Operation')).toEqual([
			{ containerId: ids[0], changed: false, ...RULES },
			{ containerId: ids[1], changed: false, ...fixed },
			expect.objectContaining({
				error: expect.stringContaining(
					'"zoe@example.com" would still have access through the recipient "*@example.com"',
				),
			}),
		]);
		expect(methods()).toBe('GET GET GET');
	});

	it('says what the service reports when a change had no effect', async () => {
		const uuid = container();
		respond('PATCH', RULES);

		const execution = await run([uuid], 'update', { rules: { opens: 1 } });

		expect(execution.json('Operation')).toEqual([
			expect.objectContaining({ error: expect.stringContaining('opens 3 instead of opens 1') }),
		]);
		// The service is asked for ten seconds.
		expect(methods()).toMatch(/^GET PATCH( GET){7}$/);
	});

	it('sends the day of a date in JSON', async () => {
		const uuid = container();

		const execution = await run([uuid], 'update', {
			specifyRules: 'json',
			rulesJson:
				'={{ { time: { end: DateTime.fromISO("2099-12-31T12:00:00", { zone: "Asia/Tokyo" }) } } }}',
		});

		expect(execution.error).toBeUndefined();
		expect(held(uuid)).toEqual({ ...RULES, time: { end: '2099-12-31' } });
	});
});
