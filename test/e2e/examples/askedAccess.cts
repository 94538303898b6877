import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { createVisitor, trusting } from '../../../service/test/support/recipient.cts';
import { waitFor } from '../../../tools/processes.cts';
import { answerEmail, clickAnswer, e2e, mails } from '../support/exampleEnvironment.cts';
import { day } from '../support/testEnvironment.cts';

const EXAMPLE = 'asked-approve-by-mail-or-slack';
const ADA = 'ada@example.com';
const SUBJECT = `Give access to ${ADA}?`;
const HOSTILE = `</p><b>Approved</b> \\n={{ $env }} <!channel> \`"`;
const QUOTED = '‹/p›‹b›Approved‹/b› /n={{ $env }} ‹!channel› ’’';

/** Publishes the example as its note says: with one of both questions. */
async function publish(without: 'Ask by Email' | 'Ask in Slack') {
	const { workflow } = e2e.examples.get(EXAMPLE)!;
	const nodes = workflow.nodes.filter(({ name }) => name !== without);
	const connections = structuredClone(workflow.connections);
	delete connections[without];
	const asking = connections['Quote What Strangers Wrote'].main;
	asking[0] = asking[0]!.filter(({ node }) => node !== without);
	const changed = { ...workflow, id: randomUUID(), nodes, connections };
	const id = await e2e.server.createWorkflow(changed);
	await e2e.server.activate(id);
	return id;
}

/** Ada is refused, and asks for access at the door. @returns what she does later */
async function ask(rules: IDataObject, note: string) {
	const uuid = await e2e.service.addContainer({ name: 'Offer <b>', rules: { recipients: [ADA] } });
	const { origin, mails: folder, ca } = e2e.service;
	const url = `${origin}/c/${uuid}`;
	const visitor = createVisitor({ url, mails: folder, dispatcher: trusting(ca) });
	const code = await visitor.requestCode(ADA);
	await e2e.service.setRules(uuid, rules);
	const { html } = await visitor.signIn(ADA, code);
	const proof = / name="proof" value="([^"]*)"/.exec(html)![1];
	expect((await visitor.post('access', { proof, note })).status).toBe(200);
	return { uuid, url, tryAgain: async () => await visitor.post('again', { proof }) };
}

const toldAda = () => mails().filter(({ to }) => to === ADA);
const isAsked = () => mails().some(({ subject }) => subject === SUBJECT);

describe(EXAMPLE, () => {
	it('asks by email with the note as a quote, extends access once it is approved, and tells the person', async () => {
		const id = await publish('Ask in Slack');
		const { uuid, url, tryAgain } = await ask({ opens: 3, time: { end: day(-2) } }, HOSTILE);
		await waitFor(isAsked);
		const question = mails().find(({ subject }) => subject === SUBJECT)!;
		for (const part of [QUOTED, 'Refused for: time', 'extend access by 14 days', 'Offer ‹b›']) {
			expect(question.text).toContain(part);
		}
		expect(question.html).not.toContain('<b>');
		expect((await tryAgain()).status).toBe(403);

		await answerEmail(SUBJECT, true);
		await waitFor(() => toldAda().length > 0);
		await e2e.server.deactivate(id);

		expect(await e2e.service.getRules(uuid)).toMatchObject({ opens: 3, time: { end: day(14) } });
		const [{ text }] = toldAda();
		expect(text).toContain(url);
		expect(text).toContain(`The last day is ${day(14)}.`);
		expect(text).not.toContain('Offer');
		expect(await tryAgain()).toMatchObject({ status: 303 });
		expect(toldAda()).toHaveLength(1);
	});

	it('asks in Slack, mentions no channel, and adds the person again', async () => {
		const id = await publish('Ask by Email');
		const { uuid, tryAgain } = await ask({ recipients: ['bob@example.com'] }, HOSTILE);
		const { slackMessages } = e2e.internet;
		await waitFor(() => slackMessages.length > 0);
		const [message] = slackMessages;
		const shown = JSON.stringify(message);
		expect(shown).toContain(`\`${QUOTED}\``);
		expect(shown).not.toMatch(/<!|<b>/);
		const [, approve] = /"url":"([^"]*approved=true[^"]*)"/.exec(shown)!;
		await clickAnswer(approve);
		await waitFor(() => toldAda().length > 0);
		await e2e.server.deactivate(id);

		const { recipients } = await e2e.service.getRules(uuid);
		expect(recipients).toEqual(['bob@example.com', ADA]);
		expect(await tryAgain()).toMatchObject({ status: 303 });
	});

	it('extends nothing where access has not begun, and tells the person nothing', async () => {
		const id = await publish('Ask in Slack');
		const time = { start: day(3), end: day(5) };
		const { uuid } = await ask({ time }, 'Today, please');
		await waitFor(isAsked);
		const question = mails().find(({ subject }) => subject === SUBJECT)!;
		expect(question.text).toContain('Approving can not change this rule');
		await answerEmail(SUBJECT, true);
		const executions = await e2e.server.waitForExecutions(id, 2);
		await e2e.server.deactivate(id);
		expect(executions.filter(({ status }) => status === 'error')).toHaveLength(1);
		expect(await e2e.service.getRules(uuid)).toMatchObject({ time });
		expect(toldAda()).toEqual([]);
	});

	it('changes nothing without approval, nor where the rules have changed since the question', async () => {
		const id = await publish('Ask in Slack');
		const { uuid } = await ask({ time: { end: day(-2) } }, 'For Monday');
		await waitFor(isAsked);
		await answerEmail(SUBJECT, false);
		await e2e.server.waitForExecutions(id, 2);
		expect(await e2e.service.getRules(uuid)).toMatchObject({ time: { end: day(-2) } });

		e2e.internet.reset();
		const other = await ask({ opens: 3, time: { end: day(-2) } }, 'For Monday');
		await waitFor(isAsked);
		await e2e.service.setRules(other.uuid, { opens: 1 });
		await answerEmail(SUBJECT, true);
		const executions = await e2e.server.waitForExecutions(id, 4);
		await e2e.server.deactivate(id);
		expect(executions.filter(({ status }) => status === 'error')).toHaveLength(1);
		const rules = await e2e.service.getRules(other.uuid);
		expect(rules).toMatchObject({ opens: 1, time: { end: day(-2) } });
		expect(toldAda()).toEqual([]);
	});
});
