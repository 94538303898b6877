import { randomBytes, randomUUID } from 'node:crypto';
import type { IRun } from 'n8n-workflow';
import { Agent, fetch as fetchWith } from 'undici';
import { getFreePort, waitFor, waitUntilReady, type RunningProcess } from '../processes.cts';
import { toExecution, type CredentialJson, type WorkflowJson } from './workflow.cts';

interface ExecutionSummary {
	id: string;
	status: string;
	mode: string;
	/** Only where it has ended. */
	stoppedAt: string;
}

/** Where n8n runs, who signs in, and who did: n8n takes five logins a minute. */
export interface ServerAccess {
	url: string;
	owner: { email: string; password: string };
	session?: { browserId: string; cookie: string };
}

/** A running n8n server with its owner signed in. */
export type N8nServer = Awaited<ReturnType<typeof startServer>>;

/** One connection per request: n8n can close an idle connection at the moment when it is used again. */
const noKeepAlive = new Agent({ pipelining: 0 });
const TIMEOUT_MS = 240_000;
/** A new one for each process: the editor can be reached by everybody on this machine. */
const password = `Owner-1-${randomBytes(12).toString('base64url')}`;
const OWNER = { email: 'owner@example.com', password };
/** Entries of a page at most. */
const PAGE = 100;
const UNFINISHED = ['new', 'running', 'waiting'];

/**
 * Starts n8n's server on a free port of the loopback interface, and creates its owner. In a user folder
 * that already has an owner, it signs in.
 * @param launch starts a process with more environment variables
 * @throws with the end of the log when n8n ends or isn't ready in time
 */
export async function startServer(
	launch: (env: Record<string, string>) => Promise<RunningProcess>,
) {
	const port = await getFreePort();
	const url = `http://localhost:${port}`;
	const running = await launch({
		N8N_PORT: String(port),
		N8N_HOST: 'localhost',
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		N8N_EDITOR_BASE_URL: url,
		WEBHOOK_URL: url,
	});
	await waitUntilReady(running, async () => await isOk(port, '/healthz/readiness'));
	// The editor's API is ready a moment later than the rest.
	await waitUntilReady(running, async () => await isOk(port, '/rest/settings'));
	const { stop, kill, ended } = running;
	return { ...(await connectServer({ url, owner: OWNER })), stop, kill, ended };
}

/** Connects to a running n8n: signs its owner in, or creates the first one. */
export async function connectServer({ url, owner, session: known }: ServerAccess) {
	const address = url.replace('localhost', '127.0.0.1');
	const session = known ?? { browserId: randomUUID(), cookie: '' };

	const request = async (method: string, path: string, body?: unknown) => {
		const { browserId, cookie } = session;
		const response = await fetchWith(address + path, {
			dispatcher: noKeepAlive,
			method,
			headers: { 'content-type': 'application/json', 'browser-id': browserId, cookie },
			body: body === undefined ? undefined : JSON.stringify(body),
		});
		const cookies = response.headers.getSetCookie().map((line) => line.split(';')[0]);
		if (cookies.length > 0) session.cookie = cookies.join('; ');
		return response;
	};
	/** Sends a request to the editor's API and returns `data`. @throws with n8n's message on an error status */
	const rest = async <T,>(method: string, path: string, body?: unknown): Promise<T> => {
		const response = await request(method, path, body);
		const text = await response.text();
		if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
		return JSON.parse(text).data as T;
	};

	const setup = { ...owner, firstName: 'Test', lastName: 'Owner' };
	const isIn = known !== undefined || (await request('POST', '/rest/owner/setup', setup)).ok;
	if (!isIn) await rest('POST', '/rest/login', { ...owner, emailOrLdapLoginId: owner.email });

	/** As n8n stores it, also one that has crashed. */
	const fetchExecution = async (id: string) =>
		await rest<{ data: string; status: string }>('GET', `/rest/executions/${id}`);
	const execution = async (id: string) => {
		const { parse } = await import('flatted');
		const { data, status } = await fetchExecution(id);
		return toExecution({ data: parse(data), status: status as IRun['status'] });
	};
	/** The executions of a workflow, newest first. */
	const executions = async (workflowId: string): Promise<ExecutionSummary[]> => {
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		const path = `/rest/executions?limit=${PAGE}&filter=${filter}`;
		const all = new Map<string, ExecutionSummary>();
		for (let next = ''; ;) {
			const { results } = await rest<{ results: ExecutionSummary[] }>('GET', path + next);
			// Each page begins with those that run.
			for (const one of results) all.set(one.id, one);
			if (results.length < PAGE) return [...all.values()];
			next = `&lastId=${results.at(-1)!.id}`;
		}
	};
	const setActive = async (id: string, active: boolean) => {
		const path = `/rest/workflows/${id}`;
		const { versionId } = await rest<{ versionId: string }>('GET', path);
		await rest('POST', `${path}/${active ? 'activate' : 'deactivate'}`, { versionId });
		const isDone = async () => {
			const current = await request('GET', `${path}/publication-status`);
			// n8n 1 has no such endpoint: it is done when it responds.
			if (current.status === 404) return true;
			const { data } = (await current.json()) as { data: { status: string } };
			if (data.status === 'failed') throw new Error(`n8n can't publish the workflow ${id}.`);
			return data.status === (active ? 'published' : 'not_published');
		};
		await waitFor(isDone, TIMEOUT_MS, `n8n takes too long to publish the workflow ${id}.`);
	};

	return {
		access: { url, owner, session },
		url,
		rest,
		fetchExecution,
		execution,
		executions,
		activate: async (id: string) => await setActive(id, true),
		deactivate: async (id: string) => await setActive(id, false),
		/** Calls a production webhook or form, such as `/webhook/invoices`. */
		call: async (path: string, init?: RequestInit) => await fetch(address + path, init),
		async createCredential(credential: Omit<CredentialJson, 'id'>) {
			return (await rest<{ id: string }>('POST', '/rest/credentials', credential)).id;
		},
		/** Creates a workflow and returns its ID, which can differ from the one in the JSON. */
		async createWorkflow(workflow: WorkflowJson) {
			const body = { active: false, ...workflow };
			return (await rest<{ id: string }>('POST', '/rest/workflows', body)).id;
		},
		/** Runs a workflow manually from this trigger, as in the editor, and waits for its end. */
		async runWorkflow(id: string, trigger: string) {
			const workflowData = await rest('GET', `/rest/workflows/${id}`);
			const body = { workflowData, triggerToStartFrom: { name: trigger } };
			const path = `/rest/workflows/${id}/run`;
			const { executionId } = await rest<{ executionId: string }>('POST', path, body);
			await waitFor(async () => !UNFINISHED.includes((await fetchExecution(executionId)).status));
			return await execution(executionId);
		},
		/** Waits until this many executions of the workflow have ended and returns them, newest first. */
		async waitForExecutions(workflowId: string, count: number) {
			let ended: ExecutionSummary[] = [];
			const haveEnded = async () => {
				const all = await executions(workflowId);
				ended = all.filter(({ status }) => !UNFINISHED.includes(status));
				return ended.length >= count;
			};
			await waitFor(haveEnded, TIMEOUT_MS, `Fewer than ${count} executions ended in time.`);
			return ended;
		},
	};
}

const isOk = async (port: number, path: string) =>
	await fetch(`http://127.0.0.1:${port}${path}`).then(
		({ ok }) => ok,
		() => false,
	);
