import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Agent, fetch as fetchWith } from 'undici';
import { lastLines } from './command.cts';
import { executionOf, type Execution } from './execution.cts';
import { freePorts } from './freePort.cts';
import type { PeakMemory } from './memory.cts';
import type { ProcessEnd, RunningProcess } from './processGroup.cts';
import type { CredentialJson, WorkflowJson } from './workflow.cts';

export interface ExecutionSummary {
	id: string;
	workflowId: string;
	status: string;
	mode: string;
	finished: boolean;
}

export interface Owner {
	email: string;
	password: string;
}

/** A running n8n server, and its owner signed in. */
export interface N8nServer {
	/** http://localhost:PORT */
	url: string;
	owner: Owner;
	/** A request to the editor's own API; answers its `data`. @throws with the server's message when it refuses */
	rest<T>(method: string, path: string, body?: unknown): Promise<T>;
	/** Stores a credential; answers its id. */
	createCredential(credential: Omit<CredentialJson, 'id'>): Promise<string>;
	/** Stores a workflow; its id may be another than in the JSON. */
	createWorkflow(workflow: WorkflowJson): Promise<string>;
	/** Runs a stored workflow by hand from its trigger of this name, as in the editor, and waits for its end. */
	runWorkflow(id: string, trigger: string): Promise<Execution>;
	activate(id: string): Promise<void>;
	deactivate(id: string): Promise<void>;
	/** A call to a production webhook or form, e.g. `/webhook/invoices`. */
	call(path: string, init?: RequestInit): Promise<Response>;
	/** The executions of a workflow, the newest first. */
	executions(workflowId: string): Promise<ExecutionSummary[]>;
	execution(id: string): Promise<Execution>;
	/** Waits until so many executions of the workflow have ended; answers them, the newest first. */
	waitForExecutions(
		workflowId: string,
		count: number,
		timeoutMs?: number,
	): Promise<ExecutionSummary[]>;
	isRunning(): boolean;
	peakMemory(): PeakMemory | undefined;
	stop(): Promise<ProcessEnd>;
	/** Ends when the server has, for whatever reason. */
	ended: Promise<ProcessEnd>;
}

/** Starts a process of n8n that stays, with these settings beside its others. */
export type Launch = (
	env: Record<string, string>,
) => Promise<{ process: RunningProcess; logs: string[] }>;

const READY_WITHIN_MS = 300_000;
/** A connection for each request: n8n may close one that waits just when the next request is sent on it. */
const eachAlone = new Agent({ pipelining: 0 });
const PUBLISHED_WITHIN_MS = 60_000;
const OWNER: Owner = { email: 'owner@example.com', password: 'Sandbox-Owner-1' };
const UNFINISHED = ['new', 'running', 'waiting'];

/**
 * Starts n8n's server on free ports of the loopback interface, waits until it answers, and makes
 * its owner or, in a user folder that has one, signs in.
 * @throws with the end of its log when it ends or does not answer in time
 */
export async function startServer(launch: Launch): Promise<N8nServer> {
	const [port] = await freePorts(1);
	const url = `http://localhost:${port}`;
	const { process: server, logs } = await launch({
		N8N_PORT: String(port),
		N8N_HOST: 'localhost',
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		N8N_EDITOR_BASE_URL: url,
		WEBHOOK_URL: url,
	});
	const browserId = randomUUID();
	let cookie = '';

	const request = async (method: string, path: string, body?: unknown) => {
		const response = await fetchWith(`http://127.0.0.1:${port}${path}`, {
			dispatcher: eachAlone,
			method,
			headers: { 'content-type': 'application/json', 'browser-id': browserId, cookie },
			body: body === undefined ? undefined : JSON.stringify(body),
		});
		const cookies = response.headers.getSetCookie().map((line) => line.split(';')[0]);
		if (cookies.length > 0) cookie = cookies.join('; ');
		return response;
	};
	const rest = async <T,>(method: string, path: string, body?: unknown): Promise<T> => {
		const response = await request(method, path, body);
		const text = await response.text();
		if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
		return JSON.parse(text).data as T;
	};

	// The editor's API is there a moment after the rest.
	const isReady = async () =>
		(await isOk(port, '/healthz/readiness')) && (await isOk(port, '/rest/settings'));
	await waitUntil(isReady, server, logs);
	const { userManagement } = await rest<{ userManagement: { showSetupOnFirstLoad: boolean } }>(
		'GET',
		'/rest/settings',
	);
	if (userManagement.showSetupOnFirstLoad) {
		await rest('POST', '/rest/owner/setup', { ...OWNER, firstName: 'Sandbox', lastName: 'Owner' });
	} else {
		const { email, password } = OWNER;
		await rest('POST', '/rest/login', { email, emailOrLdapLoginId: email, password });
	}

	const record = async (id: string) =>
		await rest<{ data: string; status: string }>('GET', `/rest/executions/${id}`);
	const execution = async (id: string) => {
		const { parse } = await import('flatted');
		const { data, status } = await record(id);
		return executionOf({ data: parse(data), status } as Parameters<typeof executionOf>[0]);
	};
	const executions = async (workflowId: string) => {
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		const path = `/rest/executions?limit=100&filter=${filter}`;
		return (await rest<{ results: ExecutionSummary[] }>('GET', path)).results;
	};
	const setActive = async (id: string, active: boolean) => {
		const path = `/rest/workflows/${id}`;
		const { versionId } = await rest<{ versionId: string }>('GET', path);
		const action = active ? 'activate' : 'deactivate';
		const response = await request('POST', `${path}/${action}`, { versionId });
		if (!response.ok) throw new Error(`Could not ${action} ${id}: ${await response.text()}`);
		const wanted = active ? 'published' : 'not_published';
		const deadline = Date.now() + PUBLISHED_WITHIN_MS;
		for (;;) {
			const answer = await request('GET', `${path}/publication-status`);
			// n8n 1 has no such end point: there it is done when it has answered.
			if (answer.status === 404) return;
			const { data } = (await answer.json()) as { data: { status: string } };
			if (data.status === wanted) return;
			if (data.status === 'failed' || Date.now() > deadline) {
				throw new Error(`Could not ${action} ${id}: ${JSON.stringify(data)}`);
			}
			await wait(100);
		}
	};

	return {
		url,
		owner: OWNER,
		rest,
		execution,
		executions,
		activate: async (id) => await setActive(id, true),
		deactivate: async (id) => await setActive(id, false),
		call: async (path, init) => await fetch(`http://127.0.0.1:${port}${path}`, init),
		isRunning: () => server.isRunning(),
		peakMemory: () => server.peakMemory(),
		stop: async () => await server.stop(),
		ended: server.ended,
		async createCredential(credential) {
			return (await rest<{ id: string }>('POST', '/rest/credentials', credential)).id;
		},
		async createWorkflow(workflow) {
			const body = { active: false, ...workflow };
			return (await rest<{ id: string }>('POST', '/rest/workflows', body)).id;
		},
		async runWorkflow(id, trigger) {
			const workflowData = await rest('GET', `/rest/workflows/${id}`);
			const body = { workflowData, triggerToStartFrom: { name: trigger } };
			const { executionId } = await rest<{ executionId: string }>(
				'POST',
				`/rest/workflows/${id}/run`,
				body,
			);
			for (;;) {
				const { status } = await record(executionId);
				if (!UNFINISHED.includes(status)) return await execution(executionId);
				await wait(200);
			}
		},
		async waitForExecutions(workflowId, count, timeoutMs = 60_000) {
			const deadline = Date.now() + timeoutMs;
			for (;;) {
				const all = await executions(workflowId);
				const ended = all.filter(({ status }) => !UNFINISHED.includes(status));
				if (ended.length >= count) return ended;
				if (Date.now() > deadline) {
					throw new Error(`${ended.length} of ${count} executions ended in ${timeoutMs} ms.`);
				}
				await wait(200);
			}
		},
	};
}

/**
 * Starts a worker of queue mode and waits until it has its database and its Redis.
 * @throws with the end of its log when it ends or is not ready in time
 */
export async function startWorker(launch: Launch): Promise<void> {
	const [port] = await freePorts(1);
	const { process: worker, logs } = await launch({
		QUEUE_HEALTH_CHECK_ACTIVE: 'true',
		QUEUE_HEALTH_CHECK_PORT: String(port),
		N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
	});
	await waitUntil(async () => await isOk(port, '/healthz/readiness'), worker, logs);
}

async function waitUntil(
	isReady: () => Promise<boolean>,
	server: RunningProcess,
	logs: string[],
): Promise<void> {
	const deadline = Date.now() + READY_WITHIN_MS;
	while (!(await isReady())) {
		const late = Date.now() > deadline;
		if (late || !server.isRunning()) {
			if (late) await server.stop();
			const texts = await Promise.all(logs.map(async (path) => await lastLines(path)));
			const what = late ? 'did not become ready in time' : 'ended while it was starting';
			throw new Error(`n8n ${what}:\n${texts.join('\n')}`);
		}
		await wait(200);
	}
}

async function isOk(port: number, path: string): Promise<boolean> {
	try {
		return (await fetch(`http://127.0.0.1:${port}${path}`)).ok;
	} catch {
		return false;
	}
}
