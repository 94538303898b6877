import { randomUUID } from 'node:crypto';
import { readExamples, withCredentials, type StoredCredentials } from '../../../tools/examples.cts';
import {
	type Execution,
	type CredentialJson,
	type WorkflowJson,
} from '../../../tools/realN8n/workflow.cts';
import { fillIn } from './exampleSettings.cts';
import { startMockChatModel, type MockChatModel } from './mocks/chatModel.cts';
import { startMockCrm, type MockCrm } from './mocks/crm.cts';
import { startMockInternet, type MockInternet } from './mocks/internet.cts';
import { startMockImap, type MockImap } from './mocks/imap.cts';
import { startMockSmtp, type MockSmtp } from './mocks/smtp.cts';
import { startTestEnvironment, type TestEnvironment } from './testEnvironment.cts';

/** A real n8n with the example workflows, and mocks of all services that they use. */
export interface ExampleEnvironment extends TestEnvironment {
	crm: MockCrm;
	internet: MockInternet;
	smtp: MockSmtp;
	imap: MockImap;
	chatModel: MockChatModel;
	/** The example workflows, set up as their notes say, by file name without the extension. */
	examples: Map<string, WorkflowJson>;
	/** The ID of an example in n8n. */
	exampleId(name: string): string;
	/** Runs an example manually from its trigger, as in the editor. */
	run(name: string): Promise<Execution>;
	/** Runs a changed example. */
	runChanged(workflow: WorkflowJson): Promise<Execution>;
	/** Runs an example manually with these items from its trigger, as the chat of the editor does. */
	runWithItems(name: string, ...items: Array<Record<string, unknown>>): Promise<Execution>;
	/** Fills in the form at this path, whose fields are in order, with the login of its page. */
	submitForm(path: string, ...fields: Array<string | File>): Promise<Response>;
	/** The header of the login. */
	login: string;
	/** Publishes an example during the work. */
	whilePublished(name: string, work: (id: string) => Promise<void>): Promise<void>;
	/** Resets the sandbox and all mocks. */
	reset(): void;
}

/** The host in the example files, which the tests replace. */
const CRM_HOST = 'https://crm.example.com';

const OAUTH2_CREDENTIALS = [
	'gmailOAuth2',
	'googleDriveOAuth2Api',
	'googleSheetsOAuth2Api',
	'microsoftOutlookOAuth2Api',
];

/** Starts the mocks and n8n, and creates the credentials and the example workflows. */
export async function startExampleEnvironment(): Promise<ExampleEnvironment> {
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
	const password = 'form-password';
	const oauth = {
		clientId: 'client',
		clientSecret: 'client-secret',
		oauthTokenData: { access_token: token, token_type: 'Bearer' },
	};
	const credentials: Array<Omit<CredentialJson, 'id' | 'name'>> = [
		...OAUTH2_CREDENTIALS.map((type) => ({ type, data: oauth })),
		{ type: 'httpBasicAuth', data: { user: 'olivia', password } },
		{ type: 'hubspotAppToken', data: { appToken: token } },
		{ type: 'slackApi', data: { accessToken: token } },
		{
			type: 'aws',
			data: { region: 'eu-central-1', accessKeyId: 'AKIA', secretAccessKey: token },
		},
		{ type: 'httpHeaderAuth', data: crm.header },
		{
			type: 'smtp',
			data: {
				...pick(smtp, 'user', 'password', 'port'),
				host: 'localhost',
				secure: false,
				disableStartTls: true,
			},
		},
		{
			type: 'imap',
			data: { ...pick(imap, 'user', 'password', 'port'), host: 'localhost', secure: false },
		},
		{ type: 'openAiApi', data: { apiKey: chatModel.apiKey, url: chatModel.baseUrl } },
	];
	const stored: StoredCredentials = { ...environment.credentials };
	for (const { type, data } of credentials) {
		const id = await server.createCredential({ name: type, type, data });
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
	const getId = (name: string): string => {
		const id = ids.get(name);
		if (id === undefined) throw new Error(`There is no example "${name}".`);
		return id;
	};
	const getExample = (name: string) => examples.get(name) as WorkflowJson;
	const getTrigger = (workflow: WorkflowJson): string => {
		const targets = new Set(
			Object.values(workflow.connections)
				.flatMap(({ main = [] }) => main.flat())
				.map((target) => target?.node),
		);
		const trigger = workflow.nodes.find(
			(node) => workflow.connections[node.name]?.main !== undefined && !targets.has(node.name),
		);
		if (trigger === undefined) throw new Error(`The example "${workflow.name}" has no trigger.`);
		return trigger.name;
	};

	const login = `Basic ${Buffer.from(`olivia:${password}`).toString('base64')}`;
	return {
		...environment,
		login,
		crm,
		internet,
		smtp,
		imap,
		chatModel,
		examples,
		exampleId: getId,
		run: async (name) => await server.runWorkflow(getId(name), getTrigger(getExample(name))),
		runChanged: async (workflow) =>
			await server.runWorkflow(
				await server.createWorkflow(prepareExample({ ...workflow, id: randomUUID() })),
				getTrigger(workflow),
			),
		async runWithItems(name, ...items) {
			const id = getId(name);
			const before = (await server.executions(id)).length;
			const trigger = getTrigger(getExample(name));
			await server.rest('POST', `/rest/workflows/${id}/run`, {
				workflowData: await server.rest('GET', `/rest/workflows/${id}`),
				triggerToStartFrom: {
					name: trigger,
					data: {
						startTime: Date.now(),
						executionTime: 0,
						executionIndex: 0,
						executionStatus: 'success',
						data: { main: [items.map((json) => ({ json }))] },
						source: [null],
					},
				},
			});
			const [newest] = await server.waitForExecutions(id, before + 1);
			return await server.execution(newest.id);
		},
		async whilePublished(name, work) {
			await server.activate(getId(name));
			try {
				await work(getId(name));
			} finally {
				await server.deactivate(getId(name));
			}
		},
		async submitForm(path, ...fields) {
			const form = new FormData();
			for (const [index, field] of fields.entries()) {
				if (typeof field === 'string') form.append(`field-${index}`, field);
				else form.append(`field-${index}`, field, field.name);
			}
			const headers = { authorization: login };
			return await server.call(`/form/${path}`, { method: 'POST', body: form, headers });
		},
		reset() {
			sandbox.reset();
			internet.reset();
			smtp.rejected.clear();
			crm.contacts.length = 0;
			for (const list of [crm.requests, smtp.mails, chatModel.requests]) {
				list.length = 0;
			}
		},
		async stop() {
			const all = [environment, crm, internet, smtp, imap, chatModel];
			await Promise.all(all.map(async (one) => await one.stop()));
		},
	};
}

function pick<T, K extends keyof T>(object: T, ...keys: K[]): Pick<T, K> {
	return Object.fromEntries(keys.map((key) => [key, object[key]])) as Pick<T, K>;
}
