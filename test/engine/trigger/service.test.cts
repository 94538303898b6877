import { cp, rm } from 'node:fs/promises';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { createVisitor, trusting } from '../../../service/test/support/recipient.cts';
import { readBinary, runNode, runPoll } from '../../support/engine.cts';
import { mockService } from '../../support/nock.cts';
import { NOON_ZONE } from '../../support/noon.cts';
import { useService } from '../../support/service.cts';
import { dayFromNow, findSchemaErrors } from '../support/operations.cts';
import { containers, pollingsOf } from '../support/polling.cts';

const service = useService({ TIME_ZONE: NOON_ZONE });

/** Somebody opens a container in a browser: with the code that comes by mail. Whoever is refused can ask for access. */
async function open(id: string, email: string) {
	const { origin, mails, ca } = service;
	const dispatcher = trusting(ca);
	const visitor = createVisitor({ url: `${origin}/c/${id}`, mails, dispatcher });
	const { html } = await visitor.signIn(email);
	const proof = / name="proof" value="([^"]*)"/.exec(html)?.[1] ?? '';
	return async (note: string) => await visitor.post('access', { proof, note });
}

/** A workflow with the trigger. @returns polls, as if n8n was restarted in between */
function watch(event: string, parameters: INodeParameters = {}, mode?: 'manual') {
	let staticData = {};
	return async () => {
		const { credentials } = service;
		const poll = { parameters: { event, ...parameters }, credentials, staticData, mode };
		const polled = await runPoll({ ...poll, timezone: 'UTC' });
		expect(polled.error?.message).toBeUndefined();
		staticData = structuredClone(polled.staticData);
		if (mode === 'manual') expect(staticData).toEqual({});
		const outputs = (polled.items?.[0] ?? []).map(({ json }) => json);
		expect(findSchemaErrors(outputs, 'EncryptedContainersTrigger')).toEqual([]);
		return outputs;
	};
}

it('what changes starts the workflow once', async () => {
	const [anna, bob, carl] = ['anna@example.com', 'bob@example.com', 'carl@example.com'];
	const rules = { recipients: [anna], time: { end: dayFromNow(40, NOON_ZONE) } };
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
	const endsOn = dayFromNow(3, NOON_ZONE);
	await service.setRules(kept, { opens: 3, recipients: [bob], time: { end: endsOn } });
	await service.deleteContainer(gone);
	await service.addContact(carl, { company: 'One' });
	await service.addContact(anna, { company: 'Two', seen: '2' });
	await service.deleteContact(bob);

	const link = `${service.origin}/c/${kept}`;
	const shown = await service.getRules(kept);
	const about = { containerId: kept, link, name: 'Kept', rules: shown };
	expect(await pollAll()).toEqual([
		[
			expect.objectContaining({
				...{ containerId: created, uuid: created, name: 'New' },
				link: `${service.origin}/c/${created}`,
			}),
		],
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

it('who opens a container, is refused or asks for access, starts the workflow once', async () => {
	const { credentials } = service;
	const opened = watch('containerOpened', { nameContains: 'offer' });
	const refused = watch('accessRefused', { nameContains: 'offer' });
	const requested = watch('accessRequested', { nameContains: 'offer' });
	const polls = [opened, refused, requested];
	const recipients = ['anna@example.com', 'bob@example.com', 'carl@example.com'];
	const offer = await service.addContainer({ name: 'Offer', rules: { recipients, opens: 1 } });
	const other = await service.addContainer({ name: 'Other', rules: { recipients } });
	for (const poll of polls) expect(await poll()).toEqual([]);

	await open(other, 'carl@example.com');
	await open(offer, 'anna@example.com');
	const ask = await open(offer, 'bob@example.com');
	await ask('={{ 1 + 1 }} <b>');

	const about = { containerId: offer, container_id: offer, container_name: 'Offer' };
	expect(await opened()).toMatchObject([
		{ ...about, action: 'container.open', user: 'anna@example.com' },
	]);
	const reason = { reason: 'opens' };
	expect(await refused()).toMatchObject([
		{ ...about, action: 'container.refuse', user: 'bob@example.com', detail: reason },
	]);
	const request = { reason: 'opens', note: '={{ 1 + 1 }} <b>' };
	const link = `${service.origin}/c/${offer}`;
	expect(await requested()).toMatchObject([
		{ ...about, link, action: 'access.request', user: 'bob@example.com', detail: request },
	]);
	// A poll that finds nothing does not begin anew.
	for (const poll of [...polls, ...polls]) expect(await poll()).toEqual([]);

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
	expect(await getActivity({ actions: ['accessRequested'] })).toEqual([['access.request', offer]]);
	const one = { containers: 'one', containerId: other, actions: ['created', 'opened'] };
	expect(await getActivity({ ...one, limit: 1 })).toEqual([['container.open', other]]);
	expect(await getActivity({ ...one, returnAll: true })).toHaveLength(2);
});

it('files that somebody sends start the workflow with who sent them, and come back byte for byte', async () => {
	const { origin, mails, ca, credentials } = service;
	const anna = 'anna@example.com';
	const request = await service.addRequest('Tax return', [anna]);
	const poll = watch('filesReceived', { nameContains: 'tax' });
	expect(await poll()).toEqual([]);

	const url = `${origin}/r/${request}`;
	const sender = createVisitor({ url, mails, dispatcher: trusting(ca) });
	await sender.signIn(anna);
	const name = 'Beleg 1.txt';
	const head = `--boundary\r\nContent-Disposition: form-data; name="files"; filename="${name}"`;
	const form = `${head}\r\nContent-Type: text/plain\r\n\r\nreceipts\r\n--boundary--\r\n`;
	expect(await sender.sendFiles(Buffer.from(form))).toMatchObject({ status: 303 });

	const [event, ...others] = await poll();
	expect(others).toEqual([]);
	const { containerId } = event;
	expect(event).toMatchObject({
		...{ action: 'request.deliver', user: anna, request_id: request, container_name: 'Tax return' },
		...{ container_id: containerId, link: `${origin}/c/${String(containerId)}` },
	});
	const parameters = { resource: 'container', operation: 'decode', containerId } as never;
	const { items } = await runNode({ parameters, credentials });
	expect(items.map(({ json }) => json.name)).toEqual([name]);
	expect(String(await readBinary(items[0].binary!.data))).toBe('receipts');
	expect(await poll()).toEqual([]);
});

it('a service that was restored from a backup starts the workflow again, and n8n says once what is lost', async () => {
	const poll = { parameters: { event: 'containerOpened' }, credentials: service.credentials };
	let staticData = {};
	const pollOnce = async () => {
		const { error, problems, items, ...polled } = await runPoll({ ...poll, staticData });
		expect(error?.message).toBeUndefined();
		staticData = structuredClone(polled.staticData);
		const opened = (items?.[0] ?? []).map(({ json }) => json.container_name);
		return { opened, problems: problems.map(({ message }) => message) };
	};
	const backup = `${service.data}-backup`;
	const rules = { recipients: ['anna@example.com'] };
	const kept = await service.addContainer({ name: 'Kept', rules });
	await service.restart(async () => await cp(service.data, backup, { recursive: true }));
	await service.addContainer({ name: 'Lost', rules });
	await service.addContainer({ name: 'Lost as well', rules });
	expect(await pollOnce()).toEqual({ opened: [], problems: [] });

	await service.restart(async () => {
		await rm(service.data, { recursive: true });
		await cp(backup, service.data, { recursive: true });
	});
	expect(await pollOnce()).toEqual({
		opened: [],
		problems: [expect.stringContaining('The service has lost events') as string],
	});
	expect(await pollOnce()).toEqual({ opened: [], problems: [] });
	await open(kept, 'anna@example.com');
	expect(await pollOnce()).toEqual({ opened: ['Kept'], problems: [] });
	await rm(backup, { recursive: true });
});

it('a test in the editor shows the newest five as the event would return them, and saves nothing', async () => {
	const ids: string[] = [];
	for (let number = 0; number < 7; number += 1) {
		const rules = { opens: 3, time: { end: dayFromNow(number * 2, NOON_ZONE) } };
		ids.push(await service.addContainer({ name: `Number ${number}`, rules }));
		service.setCreatedDate(ids[number], new Date(Date.UTC(2026, 0, 1 + number)));
	}
	await service.addContact('anna@example.com', { company: 'One' });
	const newest = ids.slice(2).reverse();
	const sample = expect.stringContaining('an example') as string;
	const expected: Record<string, object[]> = {
		containerCreated: newest.map((uuid) => ({ sample, containerId: uuid, uuid })),
		containerDeleted: newest.map((containerId) => ({ sample, containerId })),
		drmChanged: newest.map((containerId) => ({ sample, containerId, rules: { opens: 3 } })),
		accessEnding: [0, 2, 4, 6].map((daysLeft) => ({ sample, daysLeft })),
		contactCreated: [{ sample, email: 'anna@example.com', company: 'One' }],
		contactDeleted: [{ sample, email: 'anna@example.com' }],
	};
	for (const [event, outputs] of Object.entries(expected)) {
		const shown = await watch(event, { withinDays: 7 }, 'manual')();
		const byDays = shown.sort((one, other) => Number(one.daysLeft) - Number(other.daysLeft));
		expect(byDays).toMatchObject(outputs);
	}
});

describe('with any service', () => {
	const start = pollingsOf(mockService());

	/** It is never the same day in both. */
	it.each([
		['that of the service', 'Etc/GMT+12', { time_zone: 'Pacific/Kiritimati' }],
		['that of the workflow, where the service says none', 'Pacific/Kiritimati', {}],
	])('Access Ending counts days in one time zone: %s', async (_what, timezone, me) => {
		const end = dayFromNow(2, 'Pacific/Kiritimati');
		const options = { maxRetries: 0, includeExisting: true, userId: 'user-1' };
		const polling = start('accessEnding', { withinDays: 2, options }, { timezone });

		const { emitted } = await polling.poll({
			me,
			containers: containers('a'),
			rules: { a: { time: { end } } },
		});

		expect(emitted).toMatchObject([{ endsOn: end, daysLeft: 2 }]);
	});
});

describe('the events of any service', () => {
	const service = mockService();
	const start = pollingsOf(service);
	const path = '/users/user-1/events';
	const since = (after?: string) => ({ limit: '1000', ...(after === undefined ? {} : { after }) });
	const newest = { order: 'desc', limit: '1' };
	const sample = { ...newest, limit: '1000' };
	const respond = (query: IDataObject, ...events: IDataObject[]) =>
		service
			.get(path)
			.query(query as never)
			.reply(200, events);

	const event = (id: number, action: string, name = 'Invoice'): IDataObject => ({
		...{ id: String(id), action: `container.${action}`, container_id: 'c-1', container_name: name },
		...{ user: 'ada@example.com', detail: { ip: '192.0.2.7' } },
	});

	it('are neither lost nor repeated when a page fails', async () => {
		const polling = start('accessRefused');
		respond(newest, event(1, 'refuse'));
		await polling.poll({});
		const link = `<${path.replace('/', '/api/v1/')}?cursor=x>; rel="next"`;
		const polls = [];
		for (const status of [500, 200]) {
			service
				.get(path)
				.query(since('1'))
				.reply(200, [event(2, 'refuse')], { link });
			service
				.get(path)
				.query({ cursor: 'x' })
				.reply(status, [event(3, 'refuse')]);
			polls.push(await polling.poll({}));
		}

		expect(polls.map(({ error }) => error === undefined)).toEqual([false, true]);
		expect(polls.flatMap(({ emitted }) => emitted.map(({ id }) => id))).toEqual(['2', '3']);
	});

	it('are not read again for another name', async () => {
		const polling = start('containerOpened', { nameContains: 'inv*2026' });
		respond(newest, event(1, 'open'));
		await polling.poll({});
		respond(since('1'), event(2, 'open', 'Invoice 2026'), event(3, 'open', 'Contract'));
		const { emitted } = await polling.poll({});
		polling.set({ nameContains: '' });
		respond(since('3'), event(4, 'open', 'Contract'));

		expect(emitted.map(({ id }) => id)).toEqual(['2']);
		expect((await polling.poll({})).emitted.map(({ id }) => id)).toEqual(['4']);
	});

	it('are shown in a test, the newest first', async () => {
		const many = [6, 5, 4, 3, 2, 1].map((id) => event(id, 'open'));
		respond(sample, event(7, 'refuse'), ...many);

		const { emitted, staticData } = await start('containerOpened').poll({}, { mode: 'manual' });

		expect(emitted.map(({ id }) => id)).toEqual(['6', '5', '4', '3', '2']);
		// They have happened.
		expect(emitted[0]).not.toHaveProperty('sample');
		expect(staticData).toEqual({});
	});
});
