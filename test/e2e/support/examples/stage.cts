import {
	readExamples,
	withCredentials,
	type StoredCredentials,
} from '../../../../tools/examples.cts';
import type { Execution } from '../../../../tools/realN8n/execution.cts';
import { type CredentialJson, type WorkflowJson } from '../../../../tools/realN8n/workflow.cts';
import { startCrm, type Crm } from '../../standIns/crm.cts';
import { startDrive, type Drive } from '../../standIns/drive.cts';
import { startMailbox, type Mailbox } from '../../standIns/mailbox.cts';
import { startMailServer, type MailServer } from '../../standIns/mailServer.cts';
import { startModel, type Model } from '../../standIns/model.cts';
import { startE2e, type E2e } from '../e2e.cts';

/** The real n8n with the example workflows in it, and everything outside that they talk to. */
export interface ExampleStage {
	e2e: E2e;
	drive: Drive;
	crm: Crm;
	mailServer: MailServer;
	mailbox: Mailbox;
	model: Model;
	/** Ids of the stored example workflows, by the names of their files. */
	ids: Map<string, string>;
	/** The example workflows as they are in their files. */
	examples: Map<string, WorkflowJson>;
	/** Runs an example by hand from its trigger, as in the editor. */
	run(name: string): Promise<Execution>;
	/** Runs it by hand with this item from its trigger, as the chat of the editor does. */
	runWith(name: string, json: Record<string, unknown>): Promise<Execution>;
	/** Publishes it, so that its trigger waits; unpublishes it when the work is done. */
	whilePublished(name: string, work: (id: string) => Promise<void>): Promise<void>;
	/** Does the work while n8n cannot read the stored credential for the mail server. */
	whileMailCredentialIsBroken(work: () => Promise<void>): Promise<void>;
	/** Forgets what arrived anywhere. */
	reset(): void;
	stop(): Promise<void>;
}

/** A host that exists nowhere: beside the credentials all in which a workflow differs here from its file. */
const CRM_HOST = 'https://crm.example.com';

/** Starts the stand-ins and n8n, and stores the credentials and the example workflows in it. */
export async function startExampleStage(): Promise<ExampleStage> {
	const e2e = await startE2e();
	const [drive, crm, mailServer, mailbox, model] = await Promise.all([
		startDrive(),
		startCrm(),
		startMailServer(),
		startMailbox(),
		startModel(),
	]);
	const { server, sandbox } = e2e;
	const credentials: Array<Omit<CredentialJson, 'id' | 'name'>> = [
		{ type: 'nextCloudApi', data: pick(drive, 'webDavUrl', 'user', 'password') },
		{ type: 'httpHeaderAuth', data: crm.header },
		{
			type: 'smtp',
			data: {
				...pick(mailServer, 'user', 'password', 'port'),
				host: 'localhost',
				secure: false,
				disableStartTls: true,
			},
		},
		{
			type: 'imap',
			data: { ...pick(mailbox, 'user', 'password', 'port'), host: 'localhost', secure: false },
		},
		{ type: 'openAiApi', data: { apiKey: model.apiKey, url: model.baseUrl } },
	];
	const stored: StoredCredentials = { ...e2e.credentials };
	for (const { type, data } of credentials) {
		const id = await server.createCredential({ name: type, type, data });
		stored[type] = { id, name: type };
	}
	const substituted = (workflow: WorkflowJson): WorkflowJson => {
		const json = JSON.stringify(workflow).replaceAll(CRM_HOST, crm.origin);
		return withCredentials(JSON.parse(json) as WorkflowJson, stored);
	};

	const examples = await readExamples();
	const ids = new Map<string, string>();
	for (const [name, workflow] of examples) {
		ids.set(name, await server.createWorkflow(substituted(workflow)));
	}
	const idOf = (name: string): string => {
		const id = ids.get(name);
		if (id === undefined) throw new Error(`There is no example "${name}".`);
		return id;
	};
	const triggerOf = (name: string): string => {
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
		e2e,
		drive,
		crm,
		mailServer,
		mailbox,
		model,
		ids,
		examples,
		run: async (name) => await server.runWorkflow(idOf(name), triggerOf(name)),
		async runWith(name, json) {
			const id = idOf(name);
			const before = (await server.executions(id)).length;
			const trigger = triggerOf(name);
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
			await server.activate(idOf(name));
			try {
				await work(idOf(name));
			} finally {
				await server.deactivate(idOf(name));
			}
		},
		async whileMailCredentialIsBroken(work) {
			const { id, name } = stored.smtp;
			const smtp = credentials.find(({ type }) => type === 'smtp');
			const store = async (changes: Record<string, unknown>) =>
				await server.rest('PATCH', `/rest/credentials/${id}`, {
					name,
					type: 'smtp',
					data: { ...smtp?.data, ...changes },
				});
			await store({ host: '={{ not an expression }}' });
			try {
				await work();
			} finally {
				await store({});
			}
		},
		reset() {
			sandbox.reset();
			drive.files.clear();
			drive.locked.clear();
			mailServer.refused.clear();
			crm.contacts.length = 0;
			for (const list of [drive.requests, crm.requests, mailServer.mails, model.requests]) {
				list.length = 0;
			}
		},
		async stop() {
			const all = [e2e, drive, crm, mailServer, mailbox, model];
			await Promise.all(all.map(async (one) => await one.stop()));
		},
	};
}

function pick<T, K extends keyof T>(object: T, ...keys: K[]): Pick<T, K> {
	return Object.fromEntries(keys.map((key) => [key, object[key]])) as Pick<T, K>;
}
