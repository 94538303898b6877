import { readFile } from 'node:fs/promises';
import type { INodeParameters } from 'n8n-workflow';
import type { Browser } from 'playwright-core';
import { copyExampleFile, exampleFile } from '../../tools/examples.cts';
import { buildWorkflow, TRIGGER_TYPE } from '../../tools/realN8n/workflow.cts';
import { startChromium } from '../support/programs.cts';
import { startMockSmtp } from './support/mocks/mail.cts';
import { openRecipient, type Recipient } from './support/recipient.cts';
import {
	code,
	pollEvery,
	readFiles,
	startTestEnvironment,
	until,
	type TestEnvironment,
} from './support/testEnvironment.cts';

const [ADA, BOB] = ['ada@example.com', 'bob@example.com'];
const FILE = 'invoice-2026-0042.pdf';
/** An address in the United States, and the proxy that says so. */
const ip = '8.8.8.8';
const TRUST_PROXY = '127.0.0.1,::1';

const dayIn = (days: number) => new Date(Date.now() + days * 86_400_000);
const onPage = (date: Date) =>
	date.toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

describe('from a file in n8n to a recipient in a browser', () => {
	let smtp: Awaited<ReturnType<typeof startMockSmtp>>;
	let e2e: TestEnvironment;
	let browser: Browser;
	let recipients: Recipient[] = [];
	let smtpCredential: { id: string; name: string };
	let pdf: string;

	beforeAll(async () => {
		smtp = await startMockSmtp();
		const { user, password, port } = smtp;
		const SMTP_URL = `smtp://${user}:${password}@localhost:${port}`;
		e2e = await startTestEnvironment({ settings: { SMTP_URL, TRUST_PROXY } });
		browser = await startChromium(e2e.service.paths.cert);
		const data = { user, password, port, host: 'localhost', secure: false, disableStartTls: true };
		const id = await e2e.server.createCredential({ name: 'SMTP', type: 'smtp', data });
		smtpCredential = { id, name: 'SMTP' };
		pdf = await copyExampleFile(e2e.n8n.files);
	});
	afterEach(async () => {
		await Promise.all(recipients.map(async (recipient) => await recipient.close()));
		recipients = [];
		smtp.mails.length = 0;
	});
	afterAll(async () => {
		await browser?.close();
		await e2e?.stop();
		await smtp?.stop();
	});

	const invite = async (email: string) => {
		const recipient = await openRecipient(browser, { email, ip, mails: smtp.mails });
		recipients.push(recipient);
		return recipient;
	};
	/** Encrypts the PDF for both and mails them its link, in one workflow. */
	const share = async (parameters: INodeParameters = {}) => {
		const encode = { resource: 'container', operation: 'encode', name: FILE };
		const mail = {
			fromEmail: 'n8n@example.com',
			toEmail: '={{ $json.settings.emailTo }}',
			subject: 'A file for you',
			emailFormat: 'text',
			text: '=Open it at {{ $json.settings.link }}',
			options: { appendAttribution: false },
		};
		const execution = await e2e.runWorkflow([
			readFiles('Read', pdf),
			e2e.node('Encode', { ...encode, recipients: `${ADA}, ${BOB}`, ...parameters }),
			{
				...{ name: 'Mail', type: 'n8n-nodes-base.emailSend', typeVersion: 2.1 },
				...{ credentials: { smtp: smtpCredential }, parameters: mail },
			},
		]);
		expect(execution.error).toBeUndefined();
		const [{ container }] = execution.json('Encode') as Array<{ container: { uuid: string } }>;
		return container.uuid;
	};
	/** Shares the PDF, and opens the link of the mail as Ada. */
	const shareWithAda = async (parameters?: INodeParameters) => {
		const uuid = await share(parameters);
		const ada = await invite(ADA);
		const link = await ada.readLink();
		await ada.signIn(link);
		await ada.see(FILE);
		return { uuid, ada, link };
	};
	const runNode = async (parameters: INodeParameters, input: object[] = [{}]) => {
		const items = `return ${JSON.stringify(input)}.map((json) => ({ json }));`;
		const execution = await e2e.runWorkflow([code('Input', items), e2e.node('Node', parameters)]);
		expect(execution.error).toBeUndefined();
		return execution.json('Node');
	};
	const byId = (value: string) => ({ __rl: true, mode: 'id', value });
	const change = async (uuid: string, rules: INodeParameters) =>
		await runNode({ resource: 'drm', operation: 'update', containerId: byId(uuid), rules });

	it('opens the mailed link with the mailed code, and saves the file byte for byte', async () => {
		const { ada } = await shareWithAda({ downloadable: true });

		expect(await ada.download(FILE)).toEqual(await readFile(exampleFile));
	});

	it('sees a later end, and a limit of opens, when the node sets them', async () => {
		const { uuid, ada, link } = await shareWithAda();
		await ada.see(`Available until ${onPage(dayIn(30))}`);

		await change(uuid, { extendByDays: 10, opens: 2 });

		await ada.reload();
		await ada.see(`Available until ${onPage(dayIn(40))}`);
		await ada.see('1 opening left');
		const bob = await invite(BOB);
		await bob.signIn(link);
		await bob.see('No openings left');
		const late = await invite(BOB);
		await late.signIn(link);
		await late.see('This container has been opened 2 times, as often as allowed.');
	});

	it.each<[string, INodeParameters, string]>([
		['is removed', { removeRecipients: ADA }, `This container isn't shared with ${ADA}.`],
		['is in another country', { geoAllow: ['CH'] }, "can't be opened from your country"],
	])('is refused in the middle of a session when she %s', async (_what, rules, sentence) => {
		const { uuid, ada, link } = await shareWithAda();
		expect(await ada.openFile(link)).toBe(200);

		await change(uuid, rules);

		expect(await ada.openFile(link)).toBe(403);
		await ada.reload();
		await ada.see(sentence);
	});

	it('is locked out by offboarding and by Sync Recipients in the middle of a session', async () => {
		const { uuid, ada, link } = await shareWithAda();
		const bob = await invite(BOB);
		await bob.signIn(link);
		await bob.see(FILE);
		const drm = (operation: string, more: INodeParameters) => ({
			...{ resource: 'drm', operation },
			...more,
		});

		await runNode(drm('removeEverywhere', { email: ADA }));

		expect(await ada.openFile(link)).toBe(403);
		expect(await bob.openFile(link)).toBe(200);
		const group = { containerId: byId(uuid), email: '={{ $json.email }}' };
		await runNode(drm('syncRecipients', group), [{ email: 'cleo@example.com' }]);

		await bob.reload();
		await bob.see(`This container isn't shared with ${BOB}.`);
	});

	it('starts a workflow when somebody opens the container, and when somebody is refused', async () => {
		const events = ['containerOpened', 'accessRefused'];
		const [opened, refused] = await Promise.all(
			events.map(async (event, offset) => {
				const pollTimes = pollEvery(2, offset);
				const trigger = { event, pollTimes };
				const { credentials } = e2e;
				const workflow = buildWorkflow([
					{ name: 'Trigger', type: TRIGGER_TYPE, credentials, parameters: trigger },
					{ name: 'Next', type: 'n8n-nodes-base.noOp' },
				]);
				const id = await e2e.server.createWorkflow(workflow);
				await e2e.server.activate(id);
				return id;
			}),
		);
		const firstItem = async (workflow: string) => {
			const isStarted = async () => (await e2e.server.executions(workflow)).length > 0;
			await until('an execution', isStarted);
			const [{ id }] = await e2e.server.executions(workflow);
			return (await e2e.server.execution(id)).json('Trigger')[0];
		};

		const { uuid, ada, link } = await shareWithAda();
		const about = { containerId: uuid, container_name: FILE, user: ADA };
		expect(await firstItem(opened)).toMatchObject({ ...about, detail: { ip, country: 'US' } });
		await change(uuid, { removeRecipients: ADA });
		expect(await ada.openFile(link)).toBe(403);

		const refusal = { ...about, detail: { reason: 'recipient' } };
		expect(await firstItem(refused)).toMatchObject(refusal);
		await Promise.all([opened, refused].map(async (id) => await e2e.server.deactivate(id)));
	});
});
