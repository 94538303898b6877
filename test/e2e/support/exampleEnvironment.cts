import { createHash, randomUUID } from 'node:crypto';
import type { INodeParameters } from 'n8n-workflow';
import { readExamples, withCredentials, type StoredCredentials } from '../../../tools/examples.cts';
import { waitFor } from '../../../tools/processes.cts';
import { createVisitor, trusting, type Visitor } from '../../../service/test/support/recipient.cts';
import type { CredentialJson, WorkflowJson } from '../../../tools/realN8n/workflow.cts';
import { fillIn, SETTINGS } from './exampleSettings.cts';
import { startInternet } from './internet.cts';
import { startTestEnvironment } from './testEnvironment.cts';

/** One n8n for all files in `examples/`: its start takes longer than their tests. */
export let e2e: Awaited<ReturnType<typeof startExampleEnvironment>>;

const OAUTH2_CREDENTIALS = [
	'gmailOAuth2',
	'googleDriveOAuth2Api',
	'googleSheetsOAuth2Api',
	'microsoftOutlookOAuth2Api',
];
/** Of a page with Basic Auth. */
const LOGIN = { user: 'olivia', password: 'form-password' };

/** Starts a real n8n with the example workflows, set up as their notes say, their credentials, and all that they use. */
async function startExampleEnvironment() {
	const internet = await startInternet();
	const environment = await startTestEnvironment({
		ca: internet.ca,
		env: { HTTPS_PROXY: internet.proxy, NO_PROXY: 'localhost,127.0.0.1' },
	});
	const { server, service } = environment;
	const { token, smtpPort } = internet;
	const oauth = {
		clientId: 'client',
		clientSecret: token,
		oauthTokenData: { access_token: token, token_type: 'Bearer' },
	};
	const mailServer = { user: '', password: '', host: '127.0.0.1', port: smtpPort };
	const data: Record<string, CredentialJson['data']> = {
		...Object.fromEntries(OAUTH2_CREDENTIALS.map((type) => [type, oauth])),
		httpBasicAuth: LOGIN,
		hubspotAppToken: { appToken: token },
		slackApi: { accessToken: token },
		aws: { region: 'eu-central-1', accessKeyId: 'AKIA', secretAccessKey: token },
		httpHeaderAuth: { name: 'Authorization', value: `Bearer ${token}` },
		smtp: { ...mailServer, secure: false, disableStartTls: true },
		openAiApi: { apiKey: token, url: 'https://api.openai.com/v1' },
	};
	const stored: StoredCredentials = { ...environment.credentials };
	for (const [type, values] of Object.entries(data)) {
		const id = await server.createCredential({ name: type, type, data: values });
		stored[type] = { id, name: type };
	}
	const examples = new Map<string, ReturnType<typeof findTrigger> & { id: string }>();
	for (const [name, file] of await readExamples()) {
		const workflow = withCredentials(fillIn(file, SETTINGS[name]), stored);
		const id = await server.createWorkflow(workflow);
		examples.set(name, { id, ...findTrigger(workflow) });
	}
	const getExample = (name: string) => {
		const example = examples.get(name);
		if (example === undefined) throw new Error(`There is no example ${name}`);
		return example;
	};
	/** The execution of a workflow that something starts, when it has ended. */
	const startedBy = async (id: string, start: () => Promise<unknown>) => {
		const before = (await server.executions(id)).length;
		await start();
		const [newest] = await server.waitForExecutions(id, before + 1);
		return await server.execution(newest.id);
	};
	return {
		...environment,
		internet,
		examples,
		exampleId: (name: string) => getExample(name).id,
		/**
		 * Runs an example manually from its trigger, as in the editor, with other parameters of nodes or data of its trigger.
		 * @param from another trigger
		 */
		async run(
			name: string,
			parameters: Record<string, INodeParameters> = {},
			pinData?: WorkflowJson['pinData'],
			from?: string,
		) {
			const { id, workflow, ...example } = getExample(name);
			const trigger = from ?? example.trigger;
			const isChanged = Object.keys(parameters).length > 0 || pinData !== undefined;
			if (!isChanged) return await server.runWorkflow(id, trigger);
			const changed = { ...fillIn(workflow, parameters), id: randomUUID(), pinData };
			return await server.runWorkflow(await server.createWorkflow(changed), trigger);
		},
		/** Runs an example, with this version of n8n's agent, with a message from the chat of the editor. */
		async runChat(name: string, chatInput: string, typeVersion = 3) {
			const { trigger, workflow } = getExample(name);
			const nodes = workflow.nodes.map((node) =>
				node.type.endsWith('.agent') ? { ...node, typeVersion } : node,
			);
			const id = await server.createWorkflow({ ...workflow, id: randomUUID(), nodes });
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
				triggerToStartFrom: { name: trigger, data: started },
			};
			return await startedBy(
				id,
				async () => await server.rest('POST', `/rest/workflows/${id}/run`, body),
			);
		},
		/**
		 * Publishes an example, fills in its form, whose fields are in order, and returns its last page.
		 * @param meanwhile what happens before that page
		 */
		async submit(
			name: string,
			fields: Array<string | File>,
			meanwhile: () => Promise<void> = async () => undefined,
		) {
			const { id, path, workflow } = getExample(name);
			const hasPages = workflow.nodes.some(({ type }) => type === 'n8n-nodes-base.form');
			const body = new FormData();
			for (const [index, field] of fields.entries()) body.append(`field-${index}`, field as File);
			const login = Buffer.from(`${LOGIN.user}:${LOGIN.password}`).toString('base64');
			const headers = { authorization: `Basic ${login}` };
			let page = '';
			await server.activate(id);
			try {
				const { error } = await startedBy(id, async () => {
					const form = { method: 'POST', body, headers };
					const submitted = await server.call(`/form/${path}`, form);
					await meanwhile();
					if (hasPages) page = await lastPage(submitted);
				});
				return { page, error };
			} finally {
				await server.deactivate(id);
			}
		},
		/** Empties the service and those of others. */
		async reset() {
			await service.clear();
			internet.reset();
		},
		async stop() {
			await Promise.all([environment.stop(), internet.stop()]);
		},
	};
}

/** The first node of an example, and the path of its form. */
function findTrigger(workflow: WorkflowJson) {
	const { nodes, connections } = workflow;
	const targets = Object.values(connections).flatMap(({ main = [] }) => main.flat());
	const [{ name: trigger, parameters }] = nodes.filter(
		({ name }) => connections[name]?.main && targets.every((target) => target?.node !== name),
	);
	const { path = '' } = (parameters.options ?? {}) as { path?: string };
	return { workflow, trigger, path };
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

/** Name, size and digest of a file. */
export const describeFile = ({ name, content }: { name: string; content: Buffer | string }) => ({
	name,
	size: Buffer.byteLength(content),
	sha256: createHash('sha256').update(content).digest('hex'),
});

/** The containers in the service by name: who can open what until when. */
export async function containers() {
	const stored = await e2e.service.getContainers();
	const found = stored.map(async ({ uuid, name, files }) => ({
		name,
		rules: await e2e.service.getRules(uuid),
		files: files.map(({ name: file, size, sha256 }) => ({ name: file, size, sha256 })),
	}));
	return (await Promise.all(found)).sort((one, other) => one.name.localeCompare(other.name));
}

export const uuidOf = async (container: string) =>
	(await e2e.service.getContainers()).find(({ name }) => name === container)?.uuid ?? 'none';

export const requests = (...methods: string[]) =>
	e2e.service.requests.filter(({ method }) => methods.includes(method));

/** The changes of rules and contacts, and what was deleted. */
export const changes = () => requests('PATCH', 'DELETE');

/** The mails of n8n. */
export const mails = () => e2e.internet.mails;

/** Opens a container as a recipient, with the mailed code. */
export async function openAs(email: string, uuid: string): Promise<Visitor> {
	const { mails: folder, origin, ca } = e2e.service;
	const url = `${origin}/c/${uuid}`;
	const visitor = createVisitor({ url, mails: folder, dispatcher: trusting(ca) });
	expect(await visitor.signIn(email)).toMatchObject({ status: 303 });
	return visitor;
}

/** Follows a submitted form to its last page, and ends the execution, like the scripts of its pages. */
async function lastPage(submitted: Response): Promise<string> {
	if (!submitted.ok) throw new Error(`The form was refused: ${await submitted.text()}`);
	const { formWaitingUrl } = (await submitted.json()) as { formWaitingUrl: string };
	const ask = async (url: URL, method = 'GET') =>
		await (await fetch(url, { method, signal: AbortSignal.timeout(120_000) })).text();
	const page = new URL(formWaitingUrl);
	const state = new URL(formWaitingUrl);
	state.pathname += '/n8n-execution-status';
	const isLast = async () => (await ask(state)) === 'form-waiting';
	await waitFor(isLast, 240_000, 'The form has no last page.');
	const text = await ask(page);
	await ask(page, 'POST');
	return text.replaceAll('&quot;', '"');
}

/** Clicks a button of an email that asks for approval, as a browser does. */
export async function answerEmail(subject: string, approved: boolean): Promise<void> {
	const mail = mails().find((one) => one.subject === subject);
	const [link] = mail?.text.match(new RegExp(`http\\S+approved=${approved}\\S*`)) ?? ['none'];
	await clickAnswer(link);
}

/** Follows the link of a button that approves or not. */
export async function clickAnswer(link: string): Promise<void> {
	const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
	// n8n 1 signs the whole address, with the host.
	const click = async () => await fetch(link, { headers: { 'user-agent': agent } });
	// n8n sends the email a moment before the execution waits.
	await waitFor(async () => (await click()).ok, 240_000, 'n8n does not accept the answer.');
}
