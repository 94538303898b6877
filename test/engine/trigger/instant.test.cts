import { cp, rename, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { createVisitor, trusting } from '../../../service/test/support/recipient.cts';
import { activateTrigger, type ActiveTrigger } from '../../support/activeTrigger.cts';
import { useService } from '../../support/service.cts';
import { refuse, rewrite } from '../../support/proxy.cts';
import { stretchTimes } from '../../support/times.cts';
import { findSchemaErrors } from '../support/operations.cts';

const service = useService();
const active: ActiveTrigger[] = [];
let workflows = 0;

afterEach(async () => {
	jest.restoreAllMocks();
	for (const trigger of active.splice(0)) await trigger.close();
	// What it sent just before arrives in its own test.
	await sleep(100);
});

const EVENTS = /\/events\?/;
const WAIT = /[?&]wait=/;

type Options = Partial<Parameters<typeof activateTrigger>[0]>;

/** Activates another workflow, unless it has the ID of one. */
async function activate(parameters: INodeParameters = {}, more: Options = {}) {
	const workflowId = `workflow-${(workflows += 1)}`;
	const created = { actions: ['created'], ...parameters };
	const { credentials } = service;
	const trigger = await activateTrigger({ workflowId, credentials, ...more, parameters: created });
	active.push(trigger);
	return Object.assign(trigger, { workflowId });
}

async function until(condition: () => boolean) {
	while (!condition()) await sleep(20);
}
const listItems = ({ emissions }: ActiveTrigger) => emissions.flatMap(({ items }) => items);
const listNames = (trigger: ActiveTrigger) =>
	listItems(trigger).map(({ container_name: name }) => name);
const addContainer = async (name: string, rules: IDataObject = {}) =>
	await service.addContainer({ name, rules });

/** Before the moment that a trigger begins at where it can't ask for the newest event: clocks are compared to the second. */
async function addOld() {
	await addContainer('Old');
	await sleep(3000);
}

it('starts the workflow at once with what happens, and with nothing old', async () => {
	const recipients = ['ada@example.com'];
	const id = await addContainer('Offer', { recipients });
	const other = await addContainer('Other', { recipients });
	const actions = ['opened', 'created'];
	const trigger = await activate({ actions, nameContains: 'offer' });
	const { origin, mails, ca } = service;
	const dispatcher = trusting(ca);
	for (const uuid of [other, id]) {
		await createVisitor({ url: `${origin}/c/${uuid}`, mails, dispatcher }).signIn(recipients[0]);
	}
	await until(() => trigger.emissions.length > 0);

	const about = { containerId: id, container_id: id, container_name: 'Offer' };
	expect(listItems(trigger)).toMatchObject([
		{ ...about, action: 'container.open', user: 'ada@example.com' },
	]);
	const schema = 'EncryptedContainersInstantTrigger';
	expect(findSchemaErrors(listItems(trigger), schema)).toEqual([]);
});

it('brings what happens while the workflow runs in one execution, in order', async () => {
	// The trigger waits for the workflow for some seconds only.
	stretchTimes(10);
	let end = () => {};
	const running = new Promise<void>((resolve) => (end = resolve));
	const trigger = await activate({}, { run: async () => await running });
	await addContainer('First');
	await until(() => trigger.emissions.length === 1);
	const names = ['One', 'Two', 'Three'];
	for (const name of names) await addContainer(name);
	end();
	await until(() => trigger.emissions.length === 2);

	expect(trigger.emissions.map(({ items }) => items.length)).toEqual([1, 3]);
	expect(listNames(trigger)).toEqual(['First', ...names]);
});

it('does not wait for a workflow that takes long', async () => {
	const trigger = await activate({}, { run: async () => await new Promise(() => undefined) });
	await addContainer('First');
	await until(() => trigger.emissions.length === 1);
	await addContainer('Second');
	await until(() => trigger.emissions.length === 2);

	expect(listNames(trigger)).toEqual(['First', 'Second']);
	const { saved } = trigger.readStored() as { saved: { pending: string[] } };
	expect(saved.pending).toHaveLength(2);
});

it('gives n8n again what n8n might not have begun, with the same key, and then goes on', async () => {
	const trigger = await activate({}, { run: async () => await new Promise(() => undefined) });
	await addContainer('First');
	await until(() => trigger.emissions.length === 1);
	const [{ key, stored }] = trigger.emissions;
	await trigger.close();
	await addContainer('Meanwhile');
	const again = await activate({}, { workflowId: trigger.workflowId, stored });
	await until(() => again.emissions.length === 2);

	expect(listNames(again)).toEqual(['First', 'Meanwhile']);
	expect(again.emissions[0].key).toBe(key);
	expect(again.emissions[1].key).not.toBe(key);
});

it('neither loses nor repeats anything when it is deactivated, and activated again', async () => {
	const trigger = await activate();
	await addContainer('First');
	await until(() => trigger.emissions.length === 1);
	await trigger.close();
	await addContainer('Meanwhile');
	// n8n has stored what it was at the emission.
	const { workflowId, emissions } = trigger;
	const again = await activate({}, { workflowId, stored: emissions[0].stored });
	await until(() => again.emissions.length > 0);
	await sleep(300);

	expect(listNames(again)).toEqual(['Meanwhile']);
});

it('gives n8n again what it could not start', async () => {
	let tries = 0;
	const run = async () => {
		tries += 1;
		if (tries < 3) throw new Error('The database is locked');
	};
	const trigger = await activate({}, { run });
	await addContainer('First');
	await until(() => trigger.emissions.length === 3);

	expect(listNames(trigger)).toEqual(['First', 'First', 'First']);
	expect(new Set(trigger.emissions.map(({ key }) => key)).size).toBe(1);
});

it('a copy begins with what happens from then on', async () => {
	const trigger = await activate();
	await addContainer('First');
	await until(() => trigger.emissions.length === 1);
	const { stored } = trigger.emissions[0];
	const copy = await activate({}, { stored });
	await addContainer('Second');
	await until(() => copy.emissions.length > 0);

	expect(listNames(copy)).toEqual(['Second']);
	expect(copy.emissions[0].key).not.toBe(trigger.emissions[1]?.key);
});

it('misses nothing while the service is down, from its first activation on', async () => {
	await addOld();
	const mend = service.on({ path: /./, times: Infinity }, refuse(503));
	const trigger = await activate();
	await addContainer('Meanwhile');
	expect(trigger.emissions).toEqual([]);
	mend();
	await until(() => trigger.emissions.length > 0);

	expect(listNames(trigger)).toEqual(['Meanwhile']);
});

it('goes on where n8n starts while the key is rejected', async () => {
	await addOld();
	const mend = service.on({ path: /./, times: Infinity }, refuse(401));
	const trigger = await activate({}, { activation: 'init' });
	await addContainer('Meanwhile');
	mend();
	await until(() => trigger.emissions.length > 0);

	expect(listNames(trigger)).toEqual(['Meanwhile']);
});

it.each([500, 401])('goes on after outages (%i), and tells a person once', async (status) => {
	const trigger = await activate({ options: { maxRetries: 1 } });
	const mend = service.on({ path: /./, times: Infinity }, refuse(status));
	await addContainer('Meanwhile');
	await until(() => trigger.problems.length > 0);
	await sleep(3000);
	mend();
	await until(() => trigger.emissions.length > 0);

	expect(listNames(trigger)).toEqual(['Meanwhile']);
	expect(trigger.problems).toHaveLength(1);
	expect(trigger.errors).toEqual([]);
});

it('has n8n start it again where its credential was changed, and works', async () => {
	const credentials = { ...service.credentials, containerUrl: '' };
	const trigger = await activate({}, { credentials });
	const mend = service.on({ path: EVENTS, times: Infinity }, refuse(401));
	credentials.containerUrl = 'https://share.example.com/c/{containerId}';
	await addContainer('Ends the wait');
	await until(() => trigger.errors.length > 0);
	mend();

	expect(trigger.errors).toHaveLength(1);
	expect(trigger.errors[0].message).toContain('API key');
});

it('a restart of the service is no outage', async () => {
	// A person is told after some tries, which a slow machine can need for the restart.
	stretchTimes(4);
	const trigger = await activate();
	await service.restart();
	await addContainer('After the restart');
	await until(() => trigger.emissions.length > 0);

	expect(listNames(trigger)).toEqual(['After the restart']);
	expect([trigger.problems, trigger.errors]).toEqual([[], []]);
});

it('says once that the database of the service was put back, and takes an ID that comes again for another event', async () => {
	const { data } = service;
	const backup = `${data}-backup`;
	await service.restart(async () => await cp(data, backup, { recursive: true }));
	const trigger = await activate({ options: { maxRetries: 20 } });
	await addContainer('Before');
	await until(() => trigger.emissions.length === 1);
	await service.restart(async () => {
		await rm(data, { recursive: true });
		await rename(backup, data);
	});
	await until(() => trigger.problems.length > 0);
	await addContainer('After');
	await until(() => trigger.emissions.length === 2);
	const [before, after] = trigger.emissions;

	expect(listNames(trigger)).toEqual(['Before', 'After']);
	expect(after.items[0].id).toBe(before.items[0].id);
	expect(after.key).not.toBe(before.key);
	expect(trigger.problems.map(({ message }) => message)).toEqual([
		expect.stringContaining('has lost events') as string,
	]);
});

it('a service without events_wait is an error that names the other trigger, in a test too', async () => {
	const withoutWait = rewrite((me) => ({ ...(me as object), features: ['events'] }));
	service.on({ path: /\/me$/, times: Infinity }, withoutWait);
	const message = "The service can't start workflows at once";
	const description = expect.stringContaining('Encrypted Containers Trigger') as string;

	await expect(activate()).rejects.toMatchObject({ message, description });
	const trigger = await activate({}, { mode: 'manual' });
	await expect(trigger.test()).rejects.toMatchObject({ message, description });
});

it('a key that is rejected is an error at activation', async () => {
	const { credentials } = service;
	const wrong = { ...credentials, apiKey: 'wrong' };
	await expect(activate({}, { credentials: wrong })).rejects.toThrow('API key');
});

it('starts over for other actions', async () => {
	const trigger = await activate();
	const id = await addContainer('First');
	await until(() => trigger.emissions.length === 1);
	await trigger.close();
	const { workflowId, emissions } = trigger;
	await service.setRules(id, { opens: 1 });
	const actions = ['created', 'rulesChanged'];
	const again = await activate({ actions }, { workflowId, stored: emissions[0].stored });
	await service.setRules(id, { opens: 2 });
	await until(() => again.emissions.length > 0);

	expect(listItems(again).map(({ action }) => action)).toEqual(['drm.update']);
});

it.each(['trigger', 'manual'] as const)(
	'asks a service that answers at once again after a second: %s',
	async (mode) => {
		const nothing = async () => await Promise.resolve({ status: 200, body: '[]' });
		service.on({ path: WAIT, times: Infinity }, nothing);
		const trigger = await activate({}, { mode });
		void trigger.test().catch(() => undefined);
		const listWaits = () => service.requests.filter(({ path }) => WAIT.test(path));
		await until(() => listWaits().length > 3);

		// Three seconds, less than one of them for a first request that took long to arrive.
		const [first, , , last] = listWaits();
		expect(last.at - first.at).toBeGreaterThan(2000);
	},
);

it('a test shows what happens next, and stores nothing', async () => {
	await addContainer('Old');
	const trigger = await activate({}, { mode: 'manual' });
	const shown = trigger.test();
	await until(() => service.requests.some(({ path }) => WAIT.test(path)));
	const id = await addContainer('New');

	expect(await shown).toMatchObject([{ containerId: id, container_name: 'New' }]);
	expect((await shown)[0]).not.toHaveProperty('sample');
	expect(trigger.readStored()).toEqual({});
});
