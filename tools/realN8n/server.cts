import { randomBytes, randomUUID } from 'node:crypto';
import { Agent, fetch as fetchWith } from 'undici';
import {
	getFreePort,
	type ProcessEnd,
	type RunningProcess,
	waitFor,
	waitUntilReady,
} from '../processes.cts';
import {
	toExecution,
	type Execution,
	type CredentialJson,
	type WorkflowJson,
} from './workflow.cts';

interface ExecutionSummary {
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

/** A running n8n server with its owner signed in. */
export interface N8nServer {
	/** http://localhost:PORT */
	url: string;
	owner: Owner;
	/** Sends a request to the editor's API and returns `data`. @throws with n8n's message on an error status */
	rest<T>(method: string, path: string, body?: unknown): Promise<T>;
	/** Creates a credential and returns its ID. */
	createCredential(credential: Omit<CredentialJson, 'id'>): Promise<string>;
	/** Creates a workflow and returns its ID, which can differ from the one in the JSON. */
	createWorkflow(workflow: WorkflowJson): Promise<string>;
	/** Runs a workflow manually from this trigger, as in the editor, and waits for its end. */
	runWorkflow(id: string, trigger: string): Promise<Execution>;
	activate(id: string): Promise<void>;
	deactivate(id: string): Promise<void>;
	/** Calls a production webhook or form, such as `/webhook/invoices`. */
	call(path: string, init?: RequestInit): Promise<Response>;
	/** Returns the executions of a workflow, newest first. */
	executions(workflowId: string): Promise<ExecutionSummary[]>;
	execution(id: string): Promise<Execution>;
	/** Waits until this many executions of the workflow have ended and returns them, newest first. */
	waitForExecutions(
		workflowId: string,
		count: number,
		timeoutMs?: number,
	): Promise<ExecutionSummary[]>;
	stop(): Promise<ProcessEnd>;
	/** Resolves when the server has ended, for any reason. */
	ended: Promise<ProcessEnd>;
}

/** Starts an n8n process that keeps running, with additional environment variables. */
export type Launch = (env: Record<string, string>) => Promise<RunningProcess>;

/** One connection per request: n8n can close an idle connection at the moment when it is used again. */
const noKeepAlive = new Agent({ pipelining: 0 });
const PUBLISH_TIMEOUT_MS = 60_000;
const EXECUTION_TIMEOUT_MS = 60_000;
/** A new one for each process: the editor can be reached by everybody on this machine. */
const OWNER: Owner = {
	email: 'owner@example.com',
	password: `Sandbox-1-${randomBytes(12).toString('base64url')}`,
};
const UNFINISHED = ['new', 'running', 'waiting'];

/**
 * Starts n8n's server on a free port of the loopback interface, and creates its owner. In a user folder
 * that already has an owner, it signs in.
 * @throws with the end of the log when n8n ends or isn't ready in time
 */
export async function startServer(launch: Launch): Promise<N8nServer> {
	const port = await getFreePort();
	const url = `http://localhost:${port}`;
	const server = await launch({
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
			dispatcher: noKeepAlive,
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

	// The editor's API is ready a moment later than the rest.
	await waitUntilReady(
		server,
		async () => (await isOk(port, '/healthz/readiness')) && (await isOk(port, '/rest/settings')),
	);
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

	const fetchExecution = async (id: string) =>
		await rest<{ data: string; status: string }>('GET', `/rest/executions/${id}`);
	const execution = async (id: string) => {
		const { parse } = await import('flatted');
		const { data, status } = await fetchExecution(id);
		return toExecution({ data: parse(data), status } as Parameters<typeof toExecution>[0]);
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
		if (!response.ok) throw new Error(`Can't ${action} ${id}: ${await response.text()}`);
		const expected = active ? 'published' : 'not_published';
		const isDone = async () => {
			const current = await request('GET', `${path}/publication-status`);
			// n8n 1 has no such endpoint: it is done when it responds.
			if (current.status === 404) return true;
			const { data } = (await current.json()) as { data: { status: string } };
			if (data.status === 'failed') throw new Error(`Can't ${action} ${id}: it failed.`);
			return data.status === expected;
		};
		await waitFor(isDone, PUBLISH_TIMEOUT_MS, `Can't ${action} ${id}: it takes too long.`);
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
		stop: server.stop,
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
			const path = `/rest/workflows/${id}/run`;
			const { executionId } = await rest<{ executionId: string }>('POST', path, body);
			await waitFor(async () => !UNFINISHED.includes((await fetchExecution(executionId)).status));
			return await execution(executionId);
		},
		async waitForExecutions(workflowId, count, timeoutMs = EXECUTION_TIMEOUT_MS) {
			let ended: ExecutionSummary[] = [];
			const haveEnded = async () => {
				const all = await executions(workflowId);
				ended = all.filter(({ status }) => !UNFINISHED.includes(status));
				return ended.length >= count;
			};
			const message = `Fewer than ${count} executions ended in ${timeoutMs} ms.`;
			await waitFor(haveEnded, timeoutMs, message);
			return ended;
		},
	};
}

/**
 * Starts a worker for queue mode and waits until it is connected to its database and Redis.
 * @throws with the end of the log when it ends or isn't ready in time
 */
export async function startWorker(launch: Launch): Promise<void> {
	const port = await getFreePort();
	const worker = await launch({
		QUEUE_HEALTH_CHECK_ACTIVE: 'true',
		QUEUE_HEALTH_CHECK_PORT: String(port),
		N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
	});
	await waitUntilReady(worker, async () => await isOk(port, '/healthz/readiness'));
}

async function isOk(port: number, path: string): Promise<boolean> {
	try {
		return (await fetch(`http://127.0.0.1:${port}${path}`)).ok;
	} catch {
		return false;
	}
}
