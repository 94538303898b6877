import { createHash, randomUUID } from 'node:crypto';
import type { INodeParameters } from 'n8n-workflow';
import { readExamples, withCredentials, type StoredCredentials } from '../../../tools/examples.cts';
import { parseForm } from '../../support/form.cts';
import { createVisitor, trusting, type Visitor } from '../../../service/test/support/recipient.cts';
import { waitFor } from '../../../tools/processes.cts';
import type { CredentialJson, WorkflowJson } from '../../../tools/realN8n/workflow.cts';
import type { ProxiedRequest } from '../../support/proxy.cts';
import { fillIn, SETTINGS } from './exampleSettings.cts';
import { startMockInternet } from './mocks/internet.cts';
import { startMockChatModel, startMockCrm } from './mocks/local.cts';
import { startMockImap, startMockSmtp } from './mocks/mail.cts';
import { startTestEnvironment } from './testEnvironment.cts';

/** One n8n for all files in `examples/`: its start takes longer than their tests. */
export let e2e: Awaited<ReturnType<typeof startExampleEnvironment>>;

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
async function startExampleEnvironment() {
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
	const { server, service } = environment;
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
	const examples = new Map(
		[...files].map(([name, workflow]) => [name, fillIn(workflow, SETTINGS[name])]),
	);
	const ids = new Map<string, string>();
	for (const [name, workflow] of examples) {
		ids.set(name, await server.createWorkflow(prepareExample(workflow)));
	}
	const getExample = (name: string) => examples.get(name) as WorkflowJson;
	const exampleId = (name: string) => ids.get(name) ?? `no example ${name}`;
	const getTrigger = ({ nodes, connections }: WorkflowJson): string => {
		const targets = Object.values(connections)
			.flatMap(({ main = [] }) => main.flat())
			.map((target) => target?.node);
		const isTrigger = (name: string) =>
			connections[name]?.main !== undefined && !targets.includes(name);
		return nodes.find(({ name }) => isTrigger(name))?.name ?? 'none';
	};
	/** The execution of a workflow that something starts, when it has ended. */
	const startedBy = async (id: string, start: () => Promise<unknown>) => {
		const before = (await server.executions(id)).length;
		await start();
		const [newest] = await server.waitForExecutions(id, before + 1);
		return await server.execution(newest.id);
	};
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
		startedBy,
		/** Runs an example manually from its trigger, as in the editor, with other parameters of nodes or data of its trigger. */
		async run(
			name: string,
			parameters?: Record<string, INodeParameters>,
			pinData?: WorkflowJson['pinData'],
		) {
			const example = getExample(name);
			const trigger = getTrigger(example);
			if (parameters === undefined) return await server.runWorkflow(exampleId(name), trigger);
			const changed = { ...fillIn(example, parameters), id: randomUUID(), pinData };
			const id = await server.createWorkflow(prepareExample(changed));
			return await server.runWorkflow(id, trigger);
		},
		/** Runs an example, with this version of n8n's agent, with a message from the chat of the editor. */
		async runChat(name: string, chatInput: string, typeVersion = 3) {
			const example = getExample(name);
			const nodes = example.nodes.map((node) =>
				node.type.endsWith('.agent') ? { ...node, typeVersion } : node,
			);
			const workflow = prepareExample({ ...example, id: randomUUID(), nodes });
			const id = await server.createWorkflow(workflow);
			const json = { sessionId: 'a-session', action: 'sendMessage', chatInput };
			const started = {
				startTime: Date.now(),
				executionTime: 0,
				executionIndex: 0,
				executionStatus: 'success',
				data: { main: [[{ json }]] },
				source: [null],
			};
			const body = {
				workflowData: await server.rest('GET', `/rest/workflows/${id}`),
				triggerToStartFrom: { name: getTrigger(example), data: started },
			};
			return await startedBy(
				id,
				async () => await server.rest('POST', `/rest/workflows/${id}/run`, body),
			);
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
		/** Empties the service and all mocks. */
		async reset() {
			await service.clear();
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

export function useExampleEnvironment(): void {
	beforeAll(async () => {
		e2e = await startExampleEnvironment();
	});
	beforeEach(async () => await e2e.reset());
	afterAll(async () => await e2e?.stop());
}

/** For the examples that first only show what they would change. */
export const withoutDryRun = { 'Sync the Contacts': { dryRun: false } };

export const sha256 = (content: Buffer | string) =>
	createHash('sha256').update(content).digest('hex');

/** The date this many days from today. */
export const day = (offset: number) =>
	new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);

/** Name, size and digest of a file. */
export const describeFile = (name: string, content: Buffer | string) => ({
	name,
	size: Buffer.byteLength(content),
	sha256: sha256(content),
});

/** The files of an upload. */
export const filesOf = ({ headers, body }: ProxiedRequest) =>
	parseForm(headers, body)
		.slice(1)
		.map(({ filename = '', content }) => describeFile(filename, content));

export const manifestOf = ({ headers, body }: ProxiedRequest) => {
	const [{ content }] = parseForm(headers, body);
	return (JSON.parse(String(content)) as { container: Record<string, unknown> }).container;
};

export const requests = (...methods: string[]) =>
	e2e.service.requests.filter(({ method }) => methods.includes(method));

/** The changes of rules and contacts, and what was deleted. */
export const changes = () => requests('PATCH', 'DELETE');

const nameOf = (upload: ProxiedRequest) => String(manifestOf(upload).name);

/** The uploads by container name, because concurrent uploads arrive in any order. */
export const uploads = () =>
	requests('POST').sort((one, other) => nameOf(one).localeCompare(nameOf(other)));

export const uuidOf = async (container: string) =>
	(await e2e.service.getContainers()).find(({ name }) => name === container)?.uuid ?? 'none';

export const mailTo = (address: string) => e2e.smtp.mails.filter(({ to }) => to.includes(address));

/** Opens a container as a recipient, with the mailed code. */
export async function openAs(email: string, uuid: string): Promise<Visitor> {
	const { mails, port, ca } = e2e.service;
	const url = `https://localhost:${port}/c/${uuid}`;
	const visitor = createVisitor({ url, mails, dispatcher: trusting(ca) });
	expect(await visitor.signIn(email)).toMatchObject({ status: 303 });
	return visitor;
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
