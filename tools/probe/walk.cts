import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { randomUUID } from 'node:crypto';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { brotliDecompressSync, unzipSync } from 'node:zlib';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { findResponseViolations, type ReceivedResponse } from '../contract.cts';
import type { ApiCredentials } from '../engine/credentials.cts';
import { executeWorkflow } from '../engine/execute.cts';
import { loadNodePackage } from '../engine/package.cts';
import {
	buildWorkflow,
	CREDENTIAL_TYPE,
	NODE_TYPE,
	START,
	toExecution,
} from '../realN8n/workflow.cts';

/** The container and the contact of one run. Nothing else is ever changed. */
export interface Owned {
	containerName: string;
	email: string;
	userId?: string;
	containerId?: string;
	/** Whether creating them was tried. */
	hasUploaded?: boolean;
	hasContact?: boolean;
}

export interface WalkOptions {
	credential: ApiCredentials;
	run: Awaited<ReturnType<typeof loadOperations>>;
	owned: Owned;
	signal?: AbortSignal;
	log(text: string): void;
}

/** Returns what runs one operation of the built package in n8n's engine. */
export async function loadOperations(folder: string) {
	const loaded = await loadNodePackage(folder);
	return async (given: IDataObject, credential: ApiCredentials, signal?: AbortSignal) => {
		const credentials = { [CREDENTIAL_TYPE]: { id: 'probe', name: 'Probe' } };
		const parameters = given as INodeParameters;
		const node = { name: 'Node', type: NODE_TYPE, credentials, parameters };
		const workflow = buildWorkflow([START, node]);
		const run = await executeWorkflow(loaded, workflow, { ...credential }, signal);
		const { error, json } = toExecution(run);
		return { items: error === undefined ? json('Node') : [], error };
	};
}

/** All operations, each on the container and the contact of this run only: the parameters of each step. */
export function planSteps(owned: Partial<Owned>): Record<string, IDataObject> {
	const { containerName, email, userId, containerId } = owned;
	const locator = (mode: string, value = '') => ({ __rl: true, mode, value });
	const call = (resource: string, operation: string, more: IDataObject = {}) => {
		// To spare the service.
		const limits = { maxConcurrent: 1, maxRetries: 2, responseTimeout: 30 };
		const options = { ...(userId && { userId }), ...limits, ...(more.options as IDataObject) };
		return { resource, operation, ...more, options };
	};
	const onContainer = (resource: string, operation: string, more: IDataObject = {}) =>
		call(resource, operation, { containerId: locator('id', containerId), ...more });
	const onContact = (operation: string) =>
		call('contact', operation, { contactEmail: locator('email', email) });
	const setContact = (fields: object) =>
		call('contact', 'upsert', { email, dataToSend: 'json', bodyJson: JSON.stringify(fields) });

	const rules = { recipients: email, accessEnds: 'onDate', timeEnd: '2099-12-31', dynamic: true };
	const text = { textFileName: 'probe.txt', textContent: 'A test of the n8n node.' };
	const upload = { name: containerName, fileSource: 'text', ...text, downloadable: false };
	// For documentation only (RFC 5737), so nobody has them.
	const ipAllow = '192.0.2.1, 198.51.100.0/24, 203.0.113.1-203.0.113.9, 192.0.2.*';
	const change = { opens: 3, geoAllow: ['CH'], geoBlock: ['KP'], ipAllow, timeStart: '2026-01-01' };
	return {
		user: call('user', 'getMe'),
		wrongKey: call('user', 'getMe'),
		encode: call('container', 'encode', { ...upload, ...rules }),
		container: onContainer('container', 'get'),
		envelope: onContainer('container', 'getEnvelope'),
		containers: call('container', 'getAll', { limit: 50 }),
		rules: onContainer('drm', 'get'),
		update: onContainer('drm', 'update', { rules: change }),
		unknownContainer: call('container', 'get', { containerId: locator('id', randomUUID()) }),
		unknownUser: call('container', 'getAll', { limit: 1, options: { userId: randomUUID() } }),
		contact: setContact({ first_name: 'Probe', company: 'Example Ltd', probe_field: 1 }),
		partOfContact: setContact({ company: 'Other Ltd' }),
		contactRecord: onContact('get'),
		contacts: call('contact', 'getAll', { limit: 50 }),
		revoke: onContainer('drm', 'revoke'),
		deleteContainer: onContainer('container', 'delete'),
		deletedContainer: onContainer('container', 'get'),
		deleteContact: onContact('delete'),
		deletedContact: onContact('get'),
	};
}

/** The status with which the service must refuse a step. All others must succeed. */
const REFUSED: Record<string, string> = {
	wrongKey: '401',
	unknownContainer: '404',
	unknownUser: '404',
	deletedContainer: '404',
	deletedContact: '404',
};

/**
 * Walks all operations and compares each response with the contract.
 * @param findings receives what is wrong; only a service that no longer responds ends the walk
 * @throws when the key or the base URL is not usable, before anything is created
 */
export async function walk(options: WalkOptions, findings: string[]): Promise<void> {
	const { owned, credential, run, signal, log } = options;
	let silent = 0;
	for (const id of Object.keys(planSteps(owned))) {
		const { [id]: parameters } = planSteps(owned);
		if (signal?.aborted) return;
		if ((parameters.containerId as IDataObject | undefined)?.value === '') continue;
		if (id === 'encode') owned.hasUploaded = true;
		if (id === 'contact') owned.hasContact = true;
		const key = id === 'wrongKey' ? { apiKey: 'n8n-probe-this-is-not-a-key' } : {};
		const exchanges: Exchange[] = [];
		const stopRecording = record(new URL(credential.baseUrl), exchanges);
		const { items, error } = await run(parameters, { ...credential, ...key }, signal);
		stopRecording();
		log(`${id} | ${exchanges.map(({ method, status }) => `${method} ${status}`).join(', ')}`);
		if (id === 'user' && error) throw new Error(`${error.message} - ${error.description}`);
		if (id === 'user') owned.userId = String(items[0].id ?? '');
		if (id === 'encode') owned.containerId = getContainerId(items[0]);
		if (id === 'encode' && error?.httpCode?.startsWith('4')) owned.hasUploaded = false;
		if (id === 'deleteContainer' && !error) owned.hasUploaded = false;
		if (id === 'deleteContact' && !error) owned.hasContact = false;
		findings.push(...findWrong(id, exchanges, error));
		silent = exchanges.length === 0 ? silent + 1 : 0;
		if (silent === 2) throw new Error('The service no longer responds.');
	}
}

const getContainerId = (item?: IDataObject) =>
	(item?.container as IDataObject | undefined)?.uuid as string | undefined;

function findWrong(
	id: string,
	exchanges: Exchange[],
	error?: { message: string; httpCode?: string | null },
): string[] {
	const wrong = exchanges.flatMap(({ method, path, ...response }) =>
		findResponseViolations(method, path, response).map(
			(violation) => `${method} ${response.status}: ${violation}`,
		),
	);
	const refusal = REFUSED[id];
	if (refusal === undefined && error) wrong.push(`the node failed: ${error.message}`);
	if (refusal !== undefined && error?.httpCode !== refusal) {
		wrong.push(`the service must refuse it with ${refusal}`);
	}
	return wrong.map((text) => `${id}: ${text}`);
}

interface Exchange extends ReceivedResponse {
	method: string;
	/** Below the base URL, without the query. */
	path: string;
}

const CHANNEL = 'http.client.response.finish';

/**
 * Records what a service responds, until the returned function is called. Not nock's recorder: it takes the place of the
 * connection, and what is to be seen is what the connection does.
 */
function record({ host, pathname }: URL, exchanges: Exchange[]): () => void {
	const onResponse = (message: unknown) => {
		const { request, response } = message as { request: ClientRequest; response: IncomingMessage };
		if (request.getHeader('host') !== host) return;
		const { headers, statusCode: status = 0 } = response;
		const path = request.path.split('?')[0].slice(pathname.length);
		const exchange: Exchange = { method: request.method, path, status, headers, text: '' };
		exchanges.push(exchange);
		const chunks: Buffer[] = [];
		const push = response.push.bind(response);
		response.push = (chunk, encoding) => {
			if (chunk !== null) chunks.push(Buffer.from(chunk));
			else exchange.text = decode(Buffer.concat(chunks), headers['content-encoding']);
			return push(chunk, encoding);
		};
	};
	subscribe(CHANNEL, onResponse);
	return () => unsubscribe(CHANNEL, onResponse);
}

function decode(body: Buffer, encoding?: string): string {
	if (encoding === undefined) return body.toString();
	return (encoding === 'br' ? brotliDecompressSync : unzipSync)(body).toString();
}
