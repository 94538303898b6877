import type { IDataObject } from 'n8n-workflow';
import { waitFor } from '../../../tools/processes.cts';
import {
	answerEmail,
	changes,
	containers,
	e2e,
	mails,
	openAs,
	uuidOf,
} from '../support/exampleEnvironment.cts';
import { day } from '../support/testEnvironment.cts';

const DAY_MS = 86_400_000;
type Visitors = Array<Awaited<ReturnType<typeof openAs>>>;
const add = async (name: string, rules: IDataObject) =>
	await e2e.service.addContainer({ name, rules });
const addOld = async (name: string, rules: IDataObject, days: number) => {
	const id = await add(name, rules);
	e2e.service.setCreatedDate(id, new Date(Date.now() - days * DAY_MS));
	return id;
};
const rulesOf = async (uuid: string) => await e2e.service.getRules(uuid);
const ended = { end: expect.stringMatching(/^\d{4}-/) };

describe('remove-a-person-from-all-containers', () => {
	const both = ['Ada@Example.com', 'bob@example.com'];
	const submit = async (meanwhile?: () => Promise<void>) =>
		await e2e.submit('remove-a-person-from-all-containers', ['ada@example.com'], meanwhile);

	it('asks for a login, ends the access everywhere, says so, and changes nothing the second time', async () => {
		const shared = await add('Shared', { opens: 5, recipients: both });
		const alone = await add('Alone', { recipients: ['ada@example.com'] });
		const other = await add('Other', { recipients: ['bob@example.com'] });

		const { page, error } = await submit(async () => {
			expect((await e2e.server.call('/form/remove-a-person')).status).toBe(401);
		});

		expect(error).toBeUndefined();
		expect(page).toContain('Removed from all containers of this user');
		for (const name of ['Shared: removed', 'Alone: revoked']) expect(page).toContain(name);
		expect(page).not.toContain('Other:');
		expect(await rulesOf(shared)).toMatchObject({ opens: 5, recipients: ['bob@example.com'] });
		expect(await rulesOf(alone)).toMatchObject({ time: ended });
		expect(await rulesOf(other)).toEqual({ dynamic: true, recipients: ['bob@example.com'] });
		const { length } = changes();
		expect((await submit()).page).toContain('could open no container of this user');
		expect(changes()).toHaveLength(length);
	});

	it('names where the person still has access, and fails', async () => {
		await add('Sealed', { dynamic: false, recipients: both });
		await add('Wide', { recipients: ['*@example.com', 'bob@example.org'] });
		const good = await add('Good', { recipients: both });

		const { page, error } = await submit();

		expect(page).toContain('Not removed everywhere');
		for (const name of ['Sealed', 'Wide: skipped', 'Good: removed']) expect(page).toContain(name);
		expect((await rulesOf(good)).recipients).toEqual(['bob@example.com']);
		expect(error?.message).toMatch(/^Not removed everywhere\..*Sealed/);
		expect(error?.message).not.toContain('Good');
	});
});

it('end-access-after-90-days ends access to old containers, and emails once what changed and what failed', async () => {
	const recipients = ['ada@example.com'];
	const old = await addOld('Old', { recipients }, 91);
	const young = await addOld('Young', { recipients }, 80);
	await addOld('Sealed', { dynamic: false, recipients }, 200);

	const { error } = await e2e.run('end-access-after-90-days');

	expect(error).toBeUndefined();
	expect(await rulesOf(old)).toMatchObject({ time: ended });
	expect(await rulesOf(young)).toEqual({ dynamic: true, recipients });
	expect(mails()).toMatchObject([
		{ to: 'owner@example.com', subject: 'Access ended: 1 containers, failed: 1' },
	]);
	expect(mails()[0].text).toMatch(/Old: access ended\n.*Sealed: .+|Sealed: .+\nOld: access ended/s);
});

/** The items of the instant trigger. */
async function listEvents(action: string, uuid: string) {
	const events = (await e2e.service.getEvents(action)).filter(
		(event) => event.container_id === uuid,
	);
	return events.map((event) => ({ json: { containerId: uuid, ...event } }));
}

it('alarm-for-three-refusals sends one email when a person is refused for the third time', async () => {
	const recipients = ['ada@example.com', 'bob@example.com'];
	const uuid = await add('Offer', { recipients });
	const [ada, bob] = [await openAs(recipients[0], uuid), await openAs(recipients[1], uuid)];
	const refuse = async (rules: IDataObject, visitors: Visitors) => {
		await e2e.service.setRules(uuid, { time: null, ip: null, ...rules });
		for (const visitor of visitors) expect(await visitor.go()).toMatchObject({ status: 403 });
	};
	// Who tries again at once is refused once.
	await refuse({ time: { end: day(-1) } }, [ada, ada, ada, ada, bob, bob]);
	await refuse({ time: { start: day(1) } }, [ada, bob]);
	await refuse({ ip: { allow: ['192.0.2.1'] } }, [ada, bob]);
	await refuse({ recipients: ['bob@example.com'] }, [ada, ada]);

	const refused = await listEvents('container.refuse', uuid);
	const trigger = { 'When Access Is Refused': refused };
	const { error } = await e2e.run('alarm-for-three-refusals', {}, trigger);

	expect(error).toBeUndefined();
	const subject = 'Refused three times: ada@example.com';
	expect(mails()).toMatchObject([{ to: 'owner@example.com', subject }]);
	const [{ text }] = mails();
	expect(text).toContain(`Container: ${uuid}`);
	expect(text).toContain('The rule that was not met: recipient');
});

it('remind-who-has-not-opened writes to them three days after the container was created', async () => {
	const recipients = ['Ada@Example.com', 'bob@example.com', '*@acme.example.com'];
	const rules = { recipients, time: { end: day(5) } };
	const uuid = await addOld('Offer', rules, 3);
	await e2e.service.setRules(await addOld('Ended', rules, 3), { time: { end: day(-2) } });
	await add('New', { recipients });
	await openAs('ada@example.com', uuid);

	const { error } = await e2e.run('remind-who-has-not-opened');

	expect(error).toBeUndefined();
	expect(mails().map(({ to }) => to)).toEqual(['bob@example.com']);
	const [{ text }] = mails();
	expect(text).toContain('we encrypted "Offer" for you');
	expect(text).toContain(`/c/${uuid} by ${day(5)}: enter your email address`);
});

it('check-rules-every-night emails once what breaks the guardrails of the credential, and changes nothing', async () => {
	const { id, name } = e2e.credentials.encryptedContainersApi;
	const save = async (guardrails: object) =>
		await e2e.server.rest('PATCH', `/rest/credentials/${id}`, {
			...{ id, name, type: 'encryptedContainersApi' },
			data: { ...e2e.service.credentials, ...guardrails },
		});
	await add('Good', { recipients: ['ada@example.com'], time: { end: day(3) } });
	await add('Wide', { recipients: ['eve@elsewhere.example'], time: { end: day(3) } });
	await save({ allowedRecipients: '*@example.com', maxAccessDays: '30' });
	const { error } = await e2e.run('check-rules-every-night').finally(async () => await save({}));

	expect(error).toBeUndefined();
	const subject = 'Containers that break the policy: 1';
	expect(mails()).toMatchObject([{ to: 'owner@example.com', subject }]);
	const [{ text }] = mails();
	expect(text).toMatch(/Wide: Allowed Recipients is .*eve@elsewhere\.example/);
	expect(text).not.toContain('Good');
	expect(changes()).toEqual([]);
});

it('recipients-follow-a-google-sheet makes the recipients those of the sheet, after a dry run, and refuses an empty one', async () => {
	const { sheet } = e2e.internet;
	const uuid = await add('Board papers', { recipients: ['ada@example.com', 'gone@example.com'] });
	const run = async (dryRun: boolean) => {
		const containerId = { __rl: true, mode: 'id', value: uuid };
		const sync = { containerId, dryRun, options: { maxRemovals: 100 } };
		return await e2e.run('recipients-follow-a-google-sheet', { 'Sync the Recipients': sync });
	};
	const recipients = ['ada@example.com', 'new@example.com'];
	sheet.push(['Email'], ...recipients.map((email) => [email]));

	expect((await run(true)).error).toBeUndefined();
	expect(changes()).toEqual([]);
	const { json } = await run(false);
	expect(json('Sync the Recipients')).toMatchObject([
		{ action: 'updated', added: ['new@example.com'], removed: ['gone@example.com'] },
	]);
	expect((await rulesOf(uuid)).recipients).toEqual(recipients);

	sheet.length = 1;
	expect((await run(false)).status).toBe('error');
	expect((await rulesOf(uuid)).recipients).toEqual(recipients);
});

it('extend-access-after-approval asks for all containers at once, one that fails does not hold up the others, and no approval gives back what was revoked meanwhile', async () => {
	const example = 'extend-access-after-approval';
	const rules = { opens: 3, time: { end: day(3) } };
	const names = ['Approved', 'Declined', 'Deleted', 'Revoked', 'Unanswered'];
	for (const name of names) await add(name, rules);
	await add('Later', { time: { end: day(60) } });
	const question = (name: string) => `Extend access to ${name}?`;

	const { error } = await e2e.run(example);

	expect(error).toBeUndefined();
	await waitFor(() => mails().length >= 5);
	const asked = mails().find(({ subject }) => subject === question('Approved'));
	expect(asked?.text).toContain(`ends on ${day(3)}`);
	await e2e.service.deleteContainer(await uuidOf('Deleted'));
	const revoked = { time: { end: day(-2) } };
	await e2e.service.setRules(await uuidOf('Revoked'), revoked);
	await answerEmail(question('Revoked'), true);
	await answerEmail(question('Deleted'), true);
	await answerEmail(question('Declined'), false);
	await answerEmail(question('Approved'), true);
	const executions = await e2e.server.waitForExecutions(e2e.exampleId(example), 5);

	expect(executions.filter(({ status }) => status === 'error')).toHaveLength(2);
	expect(mails()).toHaveLength(5);
	expect(await containers()).toMatchObject([
		{ name: 'Approved', rules: { opens: 3, time: { end: day(33) } } },
		{ name: 'Declined', rules },
		{ name: 'Later' },
		{ name: 'Revoked', rules: revoked },
		{ name: 'Unanswered', rules },
	]);
});

it('slack-alarm-for-changed-rules says what changed, and never mentions a whole channel', async () => {
	const event = {
		containerId: 'c-1',
		name: 'Offer <!channel>',
		changedRules: ['recipients'],
		added: { recipients: ['eve@example.com'] },
		removed: { recipients: ['ada@example.com'] },
		before: { recipients: ['ada@example.com'], opens: 3 },
		rules: { recipients: ['eve@example.com'], opens: 3 },
	};

	const pinData = { 'When Access Rules Change': [{ json: event }] };
	const { error } = await e2e.run('slack-alarm-for-changed-rules', {}, pinData);

	expect(error).toBeUndefined();
	const text = [
		'The access rules of "Offer &lt;!channel>" changed.',
		'New recipients: ["eve@example.com"]',
		'Removed recipients: ["ada@example.com"]',
		'Before: {"recipients":["ada@example.com"],"opens":3}',
		'After: {"recipients":["eve@example.com"],"opens":3}',
	].join('\n');
	expect(e2e.internet.slackMessages).toMatchObject([{ channel: 'C0123456789', text }]);
});

it('slack-message-for-first-opening says once who opened a container first', async () => {
	const example = 'slack-message-for-first-opening';
	const trigger = 'When a Container Is Opened';
	const recipients = ['ada@example.com', 'bob@example.com'];
	const uuid = await add('Offer <!channel>', { recipients });
	for (const email of recipients) await openAs(email, uuid);

	const opened = await listEvents('container.open', uuid);
	const first = await e2e.run(example, {}, { [trigger]: opened });
	const second = await e2e.run(example, {}, { [trigger]: opened.slice(1) });

	expect([first.error, second.error]).toEqual([undefined, undefined]);
	expect(opened).toHaveLength(2);
	const title = '"Offer &lt;!channel>" was opened for the first time';
	const said = e2e.internet.slackMessages.filter(({ text }) => text.startsWith(title));
	expect(said).toMatchObject([
		{ channel: 'C0123456789', text: expect.stringMatching(/, by ada@example\.com\.\nWhen: 20/) },
	]);
});

it('slack-message-for-opening tells each opening, as soon as the workflow is published', async () => {
	const recipients = ['ada@example.com', 'bob@example.com'];
	const uuid = await add('Offer <!channel>', { recipients });
	const id = e2e.exampleId('slack-message-for-opening');
	await e2e.server.activate(id);
	for (const [index, email] of recipients.entries()) {
		await openAs(email, uuid);
		await e2e.server.waitForExecutions(id, index + 1);
	}
	await e2e.server.deactivate(id);

	const title = '"Offer &lt;!channel>" was opened by';
	const said = e2e.internet.slackMessages.filter(({ text }) => text.startsWith(title));
	expect(said.map(({ text }) => text.split('\n')[0])).toEqual([
		`${title} ada@example.com.`,
		`${title} bob@example.com.`,
	]);
});

it('who-can-open-what encrypts a spreadsheet of all containers and their recipients', async () => {
	const recipients = ['ada@example.com', '*@acme.example.com'];
	const uuid = await add('Offer', { opens: 3, recipients, time: { end: '2030-12-31' } });
	await add('Open to nobody', {});

	const { error, json } = await e2e.run('who-can-open-what');

	expect(error).toBeUndefined();
	expect(json('Write One Row Each')).toEqual([
		{
			...{ Container: 'Offer', ID: uuid, Recipients: recipients.join(', ') },
			...{ 'First Day': '', 'Last Day': '2030-12-31', Opens: 3 },
			...{ Downloadable: '', 'Can Change': true },
		},
		expect.objectContaining({ Container: 'Open to nobody', Recipients: '' }),
	]);
	expect((await containers()).at(-1)).toMatchObject({
		name: `Who can open what on ${day(0)}`,
		rules: { recipients: ['auditor@example.com'] },
		files: [{ name: 'who-can-open-what.xlsx' }],
	});
});
