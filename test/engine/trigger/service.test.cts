import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import { Agent, request } from 'undici';
import { runNode, runPoll } from '../../support/engine.cts';
import { useService } from '../../support/service.cts';
import { dayFromNow } from '../support/polling.cts';

const service = useService();

const findCode = (email: string) => {
	const names = existsSync(service.mails) ? readdirSync(service.mails).sort().reverse() : [];
	const mails = names.map((name) => readFileSync(join(service.mails, name), 'latin1'));
	const mail = mails.find((text) => text.includes(email));
	return /^(\d{8})\r?$/m.exec(mail ?? '')?.[1];
};

/** Somebody opens a container in a browser: with the code that comes by mail. */
async function open(id: string, email: string) {
	const dispatcher = new Agent({ connect: { ca: service.ca } });
	const post = async (step: string, fields: Record<string, string>) => {
		const { statusCode } = await request(`${service.origin}/c/${id}/${step}`, {
			method: 'POST',
			headers: { 'content-type': 'application/x-www-form-urlencoded' },
			body: new URLSearchParams(fields).toString(),
			dispatcher,
		});
		return statusCode;
	};
	await post('code', { email });
	let code = findCode(email);
	for (let tries = 0; code === undefined && tries < 100; tries += 1) {
		await new Promise((resolve) => setTimeout(resolve, 50));
		code = findCode(email);
	}
	const status = await post('open', { email, code: code ?? '' });
	await dispatcher.close();
	return status;
}

/** A workflow with the trigger. @returns polls, as if n8n was restarted in between */
function watch(event: string, parameters: INodeParameters = {}) {
	let staticData = {};
	return async () => {
		const { credentials } = service;
		const poll = { parameters: { event, ...parameters }, credentials, staticData, timezone: 'UTC' };
		const polled = await runPoll(poll);
		expect(polled.error?.message).toBeUndefined();
		staticData = structuredClone(polled.staticData);
		return (polled.items?.[0] ?? []).map(({ json }) => json);
	};
}

it('what changes starts the workflow once', async () => {
	const [anna, bob, carl] = ['anna@example.com', 'bob@example.com', 'carl@example.com'];
	const rules = { recipients: [anna], time: { end: dayFromNow(40, 'UTC') } };
	const kept = await service.addContainer({ name: 'Kept', rules });
	const gone = await service.addContainer({ name: 'n'.repeat(151), rules });
	for (const email of [anna, bob]) await service.addContact(email, { company: 'One' });
	const watched = {
		...{
			containerCreated: {},
			containerDeleted: {},
			drmChanged: {},
			accessEnding: { withinDays: 3 },
		},
		...{ contactCreated: {}, contactDeleted: {} },
		contactChanged: { options: { fieldsToIgnore: 'seen' } },
	};
	const polls = Object.entries(watched).map(([event, parameters]) => watch(event, parameters));
	const pollAll = async () => await Promise.all(polls.map(async (poll) => await poll()));

	expect(await pollAll()).toEqual(polls.map(() => []));

	const created = await service.addContainer({ name: 'New', rules });
	const endsOn = dayFromNow(3, 'UTC');
	await service.setRules(kept, { opens: 3, recipients: [bob], time: { end: endsOn } });
	await service.deleteContainer(gone);
	await service.addContact(carl, { company: 'One' });
	await service.addContact(anna, { company: 'Two', seen: '2' });
	await service.deleteContact(bob);

	const about = { containerId: kept, name: 'Kept', rules: await service.getRules(kept) };
	expect(await pollAll()).toEqual([
		[expect.objectContaining({ containerId: created, uuid: created, name: 'New' })],
		[{ containerId: gone, name: `${'n'.repeat(150)}…` }],
		[{ ...about, changedRules: ['opens', 'time', 'recipients'], added: { recipients: [bob] } }],
		[{ ...about, endsOn, daysLeft: 3 }],
		[expect.objectContaining({ email: carl, company: 'One' })],
		[{ email: bob }],
		[expect.objectContaining({ email: anna, company: 'Two' })],
	]);

	await service.addContact(anna, { seen: '3' });
	expect(await pollAll()).toEqual(polls.map(() => []));
});

it('who opens a container, and who is refused, starts the workflow once', async () => {
	const { credentials } = service;
	const opened = watch('containerOpened', { nameContains: 'offer' });
	const refused = watch('accessRefused', { nameContains: 'offer' });
	const recipients = ['anna@example.com', 'bob@example.com', 'carl@example.com'];
	const offer = await service.addContainer({ name: 'Offer', rules: { recipients, opens: 1 } });
	const other = await service.addContainer({ name: 'Other', rules: { recipients } });
	for (const poll of [opened, refused]) expect(await poll()).toEqual([]);

	await open(other, 'carl@example.com');
	await open(offer, 'anna@example.com');
	await open(offer, 'bob@example.com');

	const about = { containerId: offer, container_id: offer, container_name: 'Offer' };
	expect(await opened()).toMatchObject([
		{ ...about, action: 'container.open', user: 'anna@example.com' },
	]);
	const reason = { reason: 'opens' };
	expect(await refused()).toMatchObject([
		{ ...about, action: 'container.refuse', user: 'bob@example.com', detail: reason },
	]);
	for (const poll of [opened, refused]) expect(await poll()).toEqual([]);

	const getActivity = async (parameters: INodeParameters) => {
		const activity = { resource: 'container', operation: 'getActivity', ...parameters };
		const { items, error } = await runNode({ parameters: activity, credentials });
		expect(error?.message).toBeUndefined();
		return items.map(({ json }) => [json.action, json.containerId]);
	};
	expect(await getActivity({})).toEqual([
		['container.refuse', offer],
		['container.open', offer],
		['container.open', other],
	]);
	const one = { containers: 'one', containerId: other, actions: ['created', 'opened'] };
	expect(await getActivity({ ...one, limit: 1 })).toEqual([['container.open', other]]);
	expect(await getActivity({ ...one, returnAll: true })).toHaveLength(2);
});
