import { readExamples, withCredentials, type StoredCredentials } from '../../../tools/examples.cts';
import type { Execution } from '../../../tools/realN8n/execution.cts';
import { type CredentialJson, type WorkflowJson } from '../../../tools/realN8n/workflow.cts';
import { startMockChatModel, type MockChatModel } from './mocks/chatModel.cts';
import { startMockCrm, type MockCrm } from './mocks/crm.cts';
import { startMockImap, type MockImap } from './mocks/imap.cts';
import { startMockSmtp, type MockSmtp } from './mocks/smtp.cts';
import { startMockWebDav, type MockWebDav } from './mocks/webDav.cts';
import { startTestEnvironment, type TestEnvironment } from './testEnvironment.cts';

/** A real n8n with the example workflows, and mocks of all services that they use. */
export interface ExampleEnvironment extends TestEnvironment {
	webDav: MockWebDav;
	crm: MockCrm;
	smtp: MockSmtp;
	imap: MockImap;
	chatModel: MockChatModel;
	/** The example workflows as in their files, by file name without the extension. */
	examples: Map<string, WorkflowJson>;
	/** Runs an example manually from its trigger, as in the editor. */
	run(name: string): Promise<Execution>;
	/** Runs an example manually with this item from its trigger, as the chat of the editor does. */
	runWithItem(name: string, json: Record<string, unknown>): Promise<Execution>;
	/** Publishes an example during the work. */
	whilePublished(name: string, work: (id: string) => Promise<void>): Promise<void>;
	/** Makes the SMTP credential invalid during the work. */
	whileSmtpCredentialIsInvalid(work: () => Promise<void>): Promise<void>;
	/** Resets the sandbox and all mocks. */
	reset(): void;
}

/** The host in the example files. The tests replace it; except for credentials, they change nothing else. */
const CRM_HOST = 'https://crm.example.com';

/** Starts the mocks and n8n, and creates the credentials and the example workflows. */
export async function startExampleEnvironment(): Promise<ExampleEnvironment> {
	const environment = await startTestEnvironment();
	const [webDav, crm, smtp, imap, chatModel] = await Promise.all([
		startMockWebDav(),
		startMockCrm(),
		startMockSmtp(),
		startMockImap(),
		startMockChatModel(),
	]);
	const { server, sandbox } = environment;
	const credentials: Array<Omit<CredentialJson, 'id' | 'name'>> = [
		{ type: 'nextCloudApi', data: pick(webDav, 'webDavUrl', 'user', 'password') },
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

	const examples = await readExamples();
	const ids = new Map<string, string>();
	for (const [name, workflow] of examples) {
		ids.set(name, await server.createWorkflow(prepareExample(workflow)));
	}
	const getId = (name: string): string => {
		const id = ids.get(name);
		if (id === undefined) throw new Error(`There is no example "${name}".`);
		return id;
	};
	const getTrigger = (name: string): string => {
		const workflow = examples.get(name) as WorkflowJson;
		const targets = new Set(
			Object.values(workflow.connections)
				.flatMap(({ main = [] }) => main.flat())
				.map((target) => target?.node),
		);
		const trigger = workflow.nodes.find(
			(node) => workflow.connections[node.name]?.main !== undefined && !targets.has(node.name),
		);
		if (trigger === undefined) throw new Error(`The example "${name}" has no trigger.`);
		return trigger.name;
	};

	return {
		...environment,
		webDav,
		crm,
		smtp,
		imap,
		chatModel,
		examples,
		run: async (name) => await server.runWorkflow(getId(name), getTrigger(name)),
		async runWithItem(name, json) {
			const id = getId(name);
			const before = (await server.executions(id)).length;
			const trigger = getTrigger(name);
			await server.rest('POST', `/rest/workflows/${id}/run`, {
				workflowData: await server.rest('GET', `/rest/workflows/${id}`),
				triggerToStartFrom: {
					name: trigger,
					data: {
						startTime: Date.now(),
						executionTime: 0,
						executionIndex: 0,
						executionStatus: 'success',
						data: { main: [[{ json }]] },
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
		async whileSmtpCredentialIsInvalid(work) {
			const { id, name } = stored.smtp;
			const credential = credentials.find(({ type }) => type === 'smtp');
			const update = async (changes: Record<string, unknown>) =>
				await server.rest('PATCH', `/rest/credentials/${id}`, {
					name,
					type: 'smtp',
					data: { ...credential?.data, ...changes },
				});
			await update({ host: '={{ not an expression }}' });
			try {
				await work();
			} finally {
				await update({});
			}
		},
		reset() {
			sandbox.reset();
			webDav.files.clear();
			webDav.locked.clear();
			smtp.rejected.clear();
			crm.contacts.length = 0;
			for (const list of [webDav.requests, crm.requests, smtp.mails, chatModel.requests]) {
				list.length = 0;
			}
		},
		async stop() {
			const all = [environment, webDav, crm, smtp, imap, chatModel];
			await Promise.all(all.map(async (one) => await one.stop()));
		},
	};
}

function pick<T, K extends keyof T>(object: T, ...keys: K[]): Pick<T, K> {
	return Object.fromEntries(keys.map((key) => [key, object[key]])) as Pick<T, K>;
}
