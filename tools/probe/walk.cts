import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { randomUUID } from 'node:crypto';
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { brotliDecompressSync, unzipSync } from 'node:zlib';
import { jsonParse, type IDataObject, type INodeParameters } from 'n8n-workflow';
import { getContainerIdentity } from '../../nodes/shared/api/records.ts';
import { isRecord } from '../../nodes/shared/responses/shapes.ts';
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

export interface Exchange {
	method: string;
	status: number;
	headers: IncomingHttpHeaders;
	text: string;
}

/** What one step of the walk received, and what the node made of it: items, or an error. */
export interface Step extends Awaited<ReturnType<WalkOptions['run']>> {
	id: string;
	exchanges: Exchange[];
}

/** The container and the contact of one run. Nothing else is ever changed. */
export interface Owned {
	containerName: string;
	email: string;
	userId?: string;
	containerId?: string;
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

/** All twelve operations, each on the container and the contact of this run only: the parameters of each step. */
export function planSteps(owned: Partial<Owned>): Record<string, IDataObject> {
	const { containerName, email, userId, containerId } = owned;
	const locator = (mode: string, value = '') => ({ __rl: true, mode, value });
	const query = (name: string, value = '') => ({ query: { parameters: [{ name, value }] } });
	const call = (resource: string, operation: string, more: IDataObject = {}) => {
		// To spare the service.
		const limits = { maxConcurrent: 1, maxRetries: 2, responseTimeout: 30 };
		const options = { ...(userId && { userId }), ...limits, ...(more.options as IDataObject) };
		return { resource, operation, ...more, options };
	};
	const onContainer = (resource: string, operation: string, more: IDataObject = {}) =>
		call(resource, operation, { containerId: locator('id', containerId), ...more });
	const change = (rules: IDataObject, options: IDataObject = {}) =>
		onContainer('drm', 'update', { rules, options });
	const onContact = (operation: string) =>
		call('contact', operation, { contactEmail: locator('email', email) });
	const setContact = (fields: object) =>
		call('contact', 'upsert', { email, dataToSend: 'json', bodyJson: JSON.stringify(fields) });
	const list = (resource: string, options: IDataObject = {}) =>
		call(resource, 'getAll', { limit: 50, options });

	const rules = { recipients: email, accessEnds: 'onDate', timeEnd: '2099-12-31', dynamic: true };
	const text = { textFileName: 'probe.txt', textContent: 'A test of the n8n node.' };
	const upload = { name: containerName, fileSource: 'text', ...text, downloadable: false };
	// For documentation only (RFC 5737), so nobody has them.
	const ips = '192.0.2.1, 198.51.100.0/24, 203.0.113.1-203.0.113.9, 192.0.2.*';
	const place = { geo: { allow: [{ country: 'CH', continent: 'EU', city: 'Bern' }] } };
	const finer = { specifyRules: 'json', rulesJson: JSON.stringify(place) };
	return {
		user: call('user', 'getMe'),
		wrongKey: call('user', 'getMe'),
		encode: call('container', 'encode', { ...upload, ...rules }),
		container: onContainer('container', 'get'),
		envelope: onContainer('container', 'getEnvelope'),
		containers: list('container'),
		containersByName: list('container', query('name', containerName)),
		rules: onContainer('drm', 'get'),
		update: change({ opens: 3 }),
		geoAllow: change({ geoAllow: ['CH'] }),
		geoBlock: change({ geoBlock: ['KP'] }),
		ip: change({ ipAllow: ips }),
		ipBlock: change({ ipBlock: '192.0.2.99' }),
		start: change({ timeStart: '2026-01-01' }),
		geoFiner: onContainer('drm', 'update', finer),
		allRules: onContainer('drm', 'get'),
		partOfRules: change({ dynamic: true, opens: 2 }, { keepOtherRules: false }),
		afterPartOfRules: onContainer('drm', 'get'),
		unknownContainer: call('container', 'get', { containerId: locator('id', randomUUID()) }),
		unknownUser: list('container', { userId: randomUUID() }),
		contact: setContact({ first_name: 'Probe', company: 'Example Ltd', phone_number: '+15550100' }),
		contactRecord: onContact('get'),
		contacts: list('contact'),
		contactsByEmail: list('contact', query('email', email)),
		partOfContact: setContact({ company: 'Other Ltd' }),
		afterPartOfContact: onContact('get'),
		otherField: setContact({ probe_field: 'Probe' }),
		afterOtherField: onContact('get'),
		revoke: onContainer('drm', 'revoke'),
		deleteContainer: onContainer('container', 'delete'),
		deletedContainer: onContainer('container', 'get'),
		deleteContact: onContact('delete'),
		deletedContact: onContact('get'),
	};
}

/** The service can refuse these; in all other steps, the node must succeed. */
const TRIALS =
	/^(wrongKey|unknown.*|deleted.*|containersByName|contactsByEmail|geo.*|ip.*|start|partOfRules|otherField)$/;

export const REQUIRED_STEPS = Object.keys(planSteps({})).filter((id) => !TRIALS.test(id));

export const hasSucceeded = (steps: Step[], id: string) =>
	steps.some((one) => one.id === id && one.error === undefined);

/**
 * Walks all operations. A step that fails is a finding; only a service that no longer responds ends the walk.
 * @param steps receives each step when it starts
 * @throws when the key or the base URL is not usable, before anything is created
 */
export async function walk(options: WalkOptions, steps: Step[]): Promise<void> {
	const { owned, credential, run, signal, log } = options;
	for (const id of Object.keys(planSteps(owned))) {
		const { [id]: parameters } = planSteps(owned);
		if (signal?.aborted) return;
		if ((parameters.containerId as IDataObject | undefined)?.value === '') continue;
		const current: Step = { id, exchanges: [], items: [], error: undefined };
		steps.push(current);
		const key = id === 'wrongKey' ? { apiKey: 'n8n-probe-this-is-not-a-key' } : {};
		const stopRecording = record(new URL(credential.baseUrl).host, current.exchanges);
		const outcome = await run(parameters, { ...credential, ...key }, signal);
		stopRecording();
		const { exchanges, items, error } = Object.assign(current, outcome);
		const statuses = exchanges.map(({ method, status }) => `${method} ${status}`);
		const result = error?.message ?? `items: ${items.length}`;
		log(`${id} | ${statuses.join(', ') || 'no response'} | ${result}`);
		if (id === 'user' && error) throw new Error(`${error.message} - ${error.description}`);
		if (id === 'user') owned.userId = String(items[0].id ?? '');
		if (id === 'encode') owned.containerId = getContainerId(current);
		if (steps.slice(-2).every(({ exchanges }) => exchanges.length === 0)) {
			throw new Error('The service no longer responds.');
		}
	}
}

/** Also where the node can't use the response, so that the container can be deleted. */
function getContainerId({ exchanges, items: [item] }: Step): string | undefined {
	const response = exchanges.findLast(({ method, status }) => method === 'POST' && status < 300);
	const record = item ?? parseJson(response?.text ?? '');
	return isRecord(record) ? getContainerIdentity(record).id : undefined;
}

const CHANNEL = 'http.client.response.finish';

/**
 * Records what a host responds, until the returned function is called. Not nock's recorder: it takes the place of the
 * connection, and what is to be seen is what the connection does.
 */
function record(host: string, exchanges: Exchange[]): () => void {
	const onResponse = (message: unknown) => {
		const { request, response } = message as { request: ClientRequest; response: IncomingMessage };
		if (request.getHeader('host') !== host) return;
		const { headers, statusCode: status = 0 } = response;
		const exchange: Exchange = { method: request.method, status, headers, text: '' };
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
	try {
		return (encoding === 'br' ? brotliDecompressSync : unzipSync)(body).toString();
	} catch {
		// The response was cut off.
		return '';
	}
}

/** The body as JSON; null when it is something else. */
export const parseJson = (text: string) => jsonParse<unknown>(text, { fallbackValue: null });
