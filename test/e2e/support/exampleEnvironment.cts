import { randomUUID } from 'node:crypto';
import { readExamples, withCredentials, type StoredCredentials } from '../../../tools/examples.cts';
import { waitFor } from '../../../tools/processes.cts';
import type { CredentialJson, WorkflowJson } from '../../../tools/realN8n/workflow.cts';
import { fillIn } from './exampleSettings.cts';
import { startMockInternet } from './mocks/internet.cts';
import { startMockChatModel, startMockCrm } from './mocks/local.cts';
import { startMockImap, startMockSmtp } from './mocks/mail.cts';
import { startTestEnvironment } from './testEnvironment.cts';

export type ExampleEnvironment = Awaited<ReturnType<typeof startExampleEnvironment>>;

/** The host in the example files, which the tests replace. */
const CRM_HOST = 'https://crm.example.com';

const OAUTH2_CREDENTIALS = [
	'gmailOAuth2',
	'googleDriveOAuth2Api',
	'googleSheetsOAuth2Api',
	'microsoftOutlookOAuth2Api',
];

/**
 * Starts a real n8n with the example workflows, set up as their notes say, their credentials, and mocks of all
 * services that they use.
 */
export async function startExampleEnvironment() {
	const internet = await startMockInternet();
	const environment = await startTestEnvironment({
		ca: internet.ca,
		env: { HTTPS_PROXY: internet.proxy, NO_PROXY: 'localhost,127.0.0.1' },
	});
	const [crm, smtp, imap, chatModel] = await Promise.all([
		startMockCrm(),
		startMockSmtp(),
		startMockImap(),
		startMockChatModel(),
	]);
	const { server, sandbox } = environment;
	const { token } = internet;
	const login = { user: 'olivia', password: 'form-password' };
	const oauth = {
		clientId: 'client',
		clientSecret: 'client-secret',
		oauthTokenData: { access_token: token, token_type: 'Bearer' },
	};
	const aws = { region: 'eu-central-1', accessKeyId: 'AKIA', secretAccessKey: token };
	const mailbox = ({ user, password, port }: typeof smtp | typeof imap) => ({
		...{ user, password, port, host: 'localhost', secure: false },
	});
	const data: Record<string, CredentialJson['data']> = {
		...Object.fromEntries(OAUTH2_CREDENTIALS.map((type) => [type, oauth])),
		httpBasicAuth: login,
		hubspotAppToken: { appToken: token },
		slackApi: { accessToken: token },
		aws,
		httpHeaderAuth: crm.header,
		smtp: { ...mailbox(smtp), disableStartTls: true },
		imap: mailbox(imap),
		openAiApi: { apiKey: chatModel.apiKey, url: chatModel.baseUrl },
	};
	const stored: StoredCredentials = { ...environment.credentials };
	for (const [type, values] of Object.entries(data)) {
		const id = await server.createCredential({ name: type, type, data: values });
		stored[type] = { id, name: type };
	}
	const prepareExample = (workflow: WorkflowJson): WorkflowJson => {
		const json = JSON.stringify(workflow).replaceAll(CRM_HOST, crm.origin);
		return withCredentials(JSON.parse(json) as WorkflowJson, stored);
	};

	const files = await readExamples();
	const examples = new Map([...files].map(([name, workflow]) => [name, fillIn(name, workflow)]));
	const ids = new Map<string, string>();
	for (const [name, workflow] of examples) {
		ids.set(name, await server.createWorkflow(prepareExample(workflow)));
	}
	const exampleId = (name: string) => ids.get(name) ?? `no example ${name}`;
	const getTrigger = ({ nodes, connections }: WorkflowJson): string => {
		const targets = Object.values(connections)
			.flatMap(({ main = [] }) => main.flat())
			.map((target) => target?.node);
		const isTrigger = (name: string) =>
			connections[name]?.main !== undefined && !targets.includes(name);
		return nodes.find(({ name }) => isTrigger(name))?.name ?? 'none';
	};
	const triggerOf = (name: string) => getTrigger(examples.get(name) as WorkflowJson);
	const authorization = `Basic ${Buffer.from(`${login.user}:${login.password}`).toString('base64')}`;
	return {
		...environment,
		crm,
		internet,
		smtp,
		imap,
		chatModel,
		examples,
		exampleId,
		/** Runs an example manually from its trigger, as in the editor. */
		run: async (name: string) => await server.runWorkflow(exampleId(name), triggerOf(name)),
		/** Runs a changed example. */
		async runChanged(workflow: WorkflowJson) {
			const changed = prepareExample({ ...workflow, id: randomUUID() });
			return await server.runWorkflow(await server.createWorkflow(changed), getTrigger(workflow));
		},
		/** Runs an example with a message from the chat of the editor. */
		async runChat(name: string, chatInput: string) {
			const id = exampleId(name);
			const before = (await server.executions(id)).length;
			const json = { sessionId: 'a-session', action: 'sendMessage', chatInput };
			const started = {
				startTime: Date.now(),
				executionTime: 0,
				executionIndex: 0,
				executionStatus: 'success',
				data: { main: [[{ json }]] },
				source: [null],
			};
			await server.rest('POST', `/rest/workflows/${id}/run`, {
				workflowData: await server.rest('GET', `/rest/workflows/${id}`),
				triggerToStartFrom: { name: triggerOf(name), data: started },
			});
			const [newest] = await server.waitForExecutions(id, before + 1);
			return await server.execution(newest.id);
		},
		/** Publishes an example during the work. */
		async whilePublished(name: string, work: (id: string) => Promise<void>) {
			await server.activate(exampleId(name));
			try {
				await work(exampleId(name));
			} finally {
				await server.deactivate(exampleId(name));
			}
		},
		/** Fills in the form at this path, whose fields are in order, with the login of its page. */
		async submitForm(path: string, ...fields: Array<string | File>) {
			const body = new FormData();
			for (const [index, field] of fields.entries()) body.append(`field-${index}`, field as File);
			const headers = { authorization };
			return await server.call(`/form/${path}`, { method: 'POST', body, headers });
		},
		/** Resets the sandbox and all mocks. */
		reset() {
			sandbox.reset();
			internet.reset();
			const lists = [crm.contacts, crm.requests, smtp.mails, chatModel.requests];
			for (const list of lists) list.length = 0;
		},
		async stop() {
			const all = [environment, crm, internet, smtp, imap, chatModel];
			await Promise.all(all.map(async (one) => await one.stop()));
		},
	};
}

/** Follows a submitted form to its last page, and ends the execution, like the scripts of its pages. */
export async function lastPage(submitted: Response): Promise<string> {
	if (!submitted.ok) throw new Error(`The form was refused: ${await submitted.text()}`);
	const { formWaitingUrl } = (await submitted.json()) as { formWaitingUrl: string };
	const ask = async (url: URL, method = 'GET') =>
		await (await fetch(url, { method, signal: AbortSignal.timeout(30_000) })).text();
	const page = new URL(formWaitingUrl);
	const state = new URL(formWaitingUrl);
	state.pathname += '/n8n-execution-status';
	const isLast = async () => (await ask(state)) === 'form-waiting';
	await waitFor(isLast, 60_000, 'The form has no last page.');
	const text = await ask(page);
	await ask(page, 'POST');
	return text;
}

/** Clicks a button of an email that asks for approval, as a browser does. */
export async function answerEmail(message: string, approved: boolean): Promise<void> {
	const links = [...message.matchAll(/https?:\/\/[^"\s<>]+/g)].map(([link]) =>
		link.replaceAll('&amp;', '&'),
	);
	const link = links.find((one) => one.includes(`approved=${approved}`)) ?? 'none';
	const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
	// n8n 1 signs the whole address, with the host.
	const click = async () => await fetch(link, { headers: { 'user-agent': agent } });
	// n8n sends the email a moment before the execution waits.
	await waitFor(async () => (await click()).ok, 30_000, 'n8n does not accept the answer.');
}
