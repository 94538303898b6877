import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { createVisitor, trusting } from '../../service/test/support/recipient.cts';
import type { N8nServer } from '../../tools/realN8n/server.cts';
import { TRIGGER_TYPE, buildWorkflow } from '../../tools/realN8n/workflow.cts';
import { refuse } from '../support/proxy.cts';
import {
	day,
	pollEvery,
	startTestEnvironment,
	until,
	type TestEnvironment,
} from './support/testEnvironment.cts';

const WATCHED = { nameContains: 'Watched' };
const EVENTS: Record<string, INodeParameters> = {
	containerCreated: {},
	containerDeleted: {},
	drmChanged: WATCHED,
	accessEnding: { ...WATCHED, withinDays: 3 },
	contactCreated: {},
	contactChanged: {},
	contactDeleted: {},
	containerOpened: {},
	accessRefused: {},
};
/** How many workflows read each list. */
const LISTS = { containers: 4, contacts: 3, events: 2 };
const DURABLE_SCHEDULER = {
	N8N_SCHEDULER_ENABLED: 'true',
	N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
	N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
	N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'true',
	N8N_SCHEDULER_MATERIALIZATION_INTERVAL: '2',
};

/** With the seconds between two polls of a workflow. The durable scheduler gives polls that are late one state, so they come more rarely than they can be late. */
describe.each<[string, Record<string, string>, number]>([
	['in a running n8n', {}, 2],
	["with n8n's durable scheduler", DURABLE_SCHEDULER, 20],
])('the trigger %s', (_where, env, seconds) => {
	const workflows: Record<string, string> = {};
	/** The items that each workflow has received, by event. */
	const got: Record<string, IDataObject[]> = Object.fromEntries(
		Object.keys(EVENTS).map((event) => [event, []]),
	);
	let e2e: TestEnvironment;
	let server: N8nServer;

	beforeAll(async () => {
		e2e = await startTestEnvironment({ env });
		server = e2e.server;
	});
	afterAll(async () => await e2e?.stop());

	const container = async (name: string, rules: IDataObject = {}) =>
		await e2e.service.addContainer({ name, rules });
	const contact = async (email: string, company: string) =>
		await e2e.service.addContact(email, { company });

	/** Waits until every active workflow has polled two times more. */
	const untilPolled = async () => {
		const lists = (name: string) =>
			e2e.service.requests.filter(({ path }) => path.split('?')[0].endsWith(`/${name}`)).length;
		for (const [name, workflowsOfList] of Object.entries(LISTS)) {
			const wanted = lists(name) + workflowsOfList * 2;
			await until(`${wanted} lists of ${name}`, () => lists(name) >= wanted);
		}
	};

	/** The items that a workflow has received from its trigger since the last look, oldest first. */
	const newItems = async (event: string): Promise<IDataObject[]> => {
		const started = (await server.executions(workflows[event])).filter(
			({ mode, status }) => mode === 'trigger' && status === 'success',
		);
		const executions = started.map(async ({ id }) => await server.execution(id));
		const items = (await Promise.all(executions)).reverse().flatMap((one) => one.json('Trigger'));
		return items.slice(got[event].length);
	};

	const nameOf = (item: IDataObject): string => {
		const listed = (item.container ?? item) as IDataObject;
		return String(listed.containerId ?? listed.uuid ?? listed.email);
	};

	/** Waits until each workflow has received the expected items, and for two more polls, which must add nothing. */
	const expectEvents = async (expected: Record<string, string[]>) => {
		for (const [event, names] of Object.entries(expected)) {
			await until(event, async () => (await newItems(event)).length >= names.length);
		}
		await untilPolled();
		for (const event of Object.keys(EVENTS)) {
			const items = await newItems(event);
			const names = [...(expected[event] ?? [])].sort();
			expect({ [event]: items.map(nameOf).sort() }).toEqual({ [event]: names });
			got[event].push(...items);
		}
	};

	const ids: Record<string, string> = {};

	it('emits nothing for existing records when it is activated', async () => {
		ids.old = await container('Watched from the start', { opens: 1 });
		ids.gone = await container('Deleted while n8n runs');
		ids.lost = await container('Deleted while n8n is down');
		const recipients = ['ada@example.com', 'bob@example.com'];
		ids.offer = await container('Opened', { recipients, opens: 1 });
		const path = new RegExp(`${await container('Watched but not readable')}/drm$`);
		e2e.service.on({ path, times: Infinity }, refuse(403));
		for (const name of ['ada', 'bob', 'cleo']) await contact(`${name}@example.com`, 'Acme');
		for (const [number, [event, parameters]] of Object.entries(EVENTS).entries()) {
			const trigger = {
				name: 'Trigger',
				type: TRIGGER_TYPE,
				credentials: e2e.credentials,
				parameters: { event, pollTimes: pollEvery(seconds, number), ...parameters },
			};
			const next = { name: 'Next', type: 'n8n-nodes-base.noOp' };
			workflows[event] = await server.createWorkflow(
				buildWorkflow([trigger, next], { name: event }),
			);
			await server.activate(workflows[event]);
		}

		await expectEvents({});
	});

	it('emits each event once', async () => {
		ids.created = await container('Watched and new', { time: { end: day(30) } });
		await e2e.service.deleteContainer(ids.gone);
		await e2e.service.setRules(ids.old, { opens: 2, time: { end: day(2) } });
		await contact('dora@example.com', 'Acme');
		await contact('ada@example.com', 'Globex');
		await e2e.service.deleteContact('bob@example.com');
		const { origin, mails, ca } = e2e.service;
		for (const email of ['ada@example.com', 'bob@example.com']) {
			const dispatcher = trusting(ca);
			await createVisitor({ url: `${origin}/c/${ids.offer}`, mails, dispatcher }).signIn(email);
		}

		await expectEvents({
			containerCreated: [ids.created],
			containerDeleted: [ids.gone],
			drmChanged: [ids.old],
			accessEnding: [ids.old],
			contactCreated: ['dora@example.com'],
			contactChanged: ['ada@example.com'],
			contactDeleted: ['bob@example.com'],
			containerOpened: [ids.offer],
			accessRefused: [ids.offer],
		});
		expect(got.containerDeleted).toEqual([
			{ containerId: ids.gone, name: 'Deleted while n8n runs' },
		]);
		expect(got.accessEnding[0]).toMatchObject({ endsOn: day(2), daysLeft: 2 });
		expect(got.containerOpened[0]).toMatchObject({ user: 'ada@example.com' });
		expect(got.accessRefused[0]).toMatchObject({ user: 'bob@example.com' });
		expect(got.drmChanged[0]).toMatchObject({ changedRules: ['opens', 'time'] });
	});

	it('misses nothing while polls fail, and shows them as failed executions', async () => {
		const path = /\/containers(\?|$)/;
		const mend = e2e.service.on({ path, times: Infinity }, refuse(500));
		ids.meanwhile = await container('Made while the service was down');
		await e2e.service.setRules(ids.created, { opens: 9 });
		const failures = async () =>
			(await server.executions(workflows.containerCreated)).filter(
				({ status }) => status === 'error',
			);
		await until('two failed polls', async () => (await failures()).length >= 2);
		mend();

		const [failure] = await failures();
		const { error } = await server.execution(failure.id);
		expect(error?.message).toContain('could not list the containers');
		await expectEvents({
			containerCreated: [ids.meanwhile],
			drmChanged: [ids.created],
		});
	});

	// After a restart, all polls of the durable scheduler are late: with as many as here, each finds the same.
	if (env !== DURABLE_SCHEDULER) {
		it('misses and repeats nothing after a restart', async () => {
			await server.stop();
			ids.whileDown = await container('Made while n8n was down');
			await e2e.service.deleteContainer(ids.lost);
			await e2e.service.setRules(ids.old, { opens: 3 });
			await e2e.service.setRules(ids.created, { time: { end: day(1) } });
			await contact('emil@example.com', 'Acme');
			await contact('cleo@example.com', 'Globex');
			await e2e.service.deleteContact('ada@example.com');
			server = await e2e.n8n.start();

			await expectEvents({
				containerCreated: [ids.whileDown],
				containerDeleted: [ids.lost],
				drmChanged: [ids.old, ids.created],
				accessEnding: [ids.created],
				contactCreated: ['emil@example.com'],
				contactChanged: ['cleo@example.com'],
				contactDeleted: ['ada@example.com'],
			});
		});
	}

	it('says in the log what it could not read, and shows no API key', async () => {
		expect(await e2e.n8n.log()).toMatch(
			/Trigger: The access rules of 1 of \d+ .*Watched but not readable/,
		);
		expect(await e2e.n8n.log()).not.toContain(e2e.service.apiKey);
		expect(JSON.stringify(got)).not.toContain(e2e.service.apiKey);
	});
});
