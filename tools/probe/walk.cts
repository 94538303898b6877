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
	type Execution,
} from '../realN8n/workflow.cts';

/** A request and its response. */
export interface Exchange {
	method: string;
	status: number;
	headers: IncomingHttpHeaders;
	text: string;
}

/** What one step of the walk received, and what the node made of it: items, or an error. */
export interface Step {
	id: string;
	exchanges: Exchange[];
	items: IDataObject[];
	error?: Execution['error'];
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
	/** Ends the walk. */
	signal?: AbortSignal;
	log(text: string): void;
}

/** Returns what runs one operation of the built package in n8n's engine. */
export async function loadOperations(folder: string) {
	const loaded = await loadNodePackage(folder);
	return async (parameters: IDataObject, credential: ApiCredentials, signal?: AbortSignal) => {
		const credentials = { [CREDENTIAL_TYPE]: { id: 'probe', name: 'Probe' } };
		const node = { name: 'Node', type: NODE_TYPE, credentials };
		const given = { ...node, parameters: parameters as INodeParameters };
		const workflow = buildWorkflow([START, given]);
		const run = await executeWorkflow(loaded, workflow, { ...credential }, signal);
		const { error, json } = toExecution(run);
		return { items: error === undefined ? json('Node') : [], error };
	};
}

type Parameters = (owned: Partial<Owned>) => IDataObject;

export const onContainer =
	(resource: 'container' | 'drm', operation: string, more: IDataObject = {}): Parameters =>
	({ containerId: value = '' }) => {
		return { resource, operation, containerId: { __rl: true, mode: 'id', value }, ...more };
	};
const change = (rules: IDataObject, options: IDataObject = {}) =>
	onContainer('drm', 'update', { rules, options });
export const onContact =
	(operation: string): Parameters =>
	({ email: value }) => {
		const contactEmail = { __rl: true, mode: 'email', value };
		return { resource: 'contact', operation, contactEmail };
	};
const setContact =
	(fields: object): Parameters =>
	({ email }) => {
		const data = { dataToSend: 'json', bodyJson: JSON.stringify(fields) };
		return { resource: 'contact', operation: 'upsert', email, ...data };
	};
const list = (resource: string, options: IDataObject = {}) => {
	return { resource, operation: 'getAll', limit: 50, options };
};
const query = (name: string, value: string) => ({ query: { parameters: [{ name, value }] } });

const me = () => ({ resource: 'user', operation: 'getMe' });
const encode: Parameters = ({ containerName, email }) => ({
	resource: 'container',
	operation: 'encode',
	fileSource: 'text',
	textContent: 'A test of the n8n node. It can be deleted.',
	textFileName: 'probe.txt',
	name: containerName,
	recipients: email,
	accessEnds: 'onDate',
	timeEnd: '2099-12-31',
	dynamic: true,
	downloadable: false,
});
const contact = { first_name: 'Probe', company: 'Example Ltd', phone_number: '+15550100' };
/** For documentation only (RFC 5737), so nobody has them. */
const ips = '192.0.2.1, 198.51.100.0/24, 203.0.113.1-203.0.113.9, 192.0.2.*';
const finerPlace = { geo: { allow: [{ country: 'CH', continent: 'EU', city: 'Bern' }] } };
const finerRules = { specifyRules: 'json', rulesJson: JSON.stringify(finerPlace) };
const unknown = randomUUID();

const step = (id: string, parameters: Parameters) => ({ id, parameters, isTrial: false });
/** The service can refuse it; in all other steps, the node must succeed. */
const trial = (id: string, parameters: Parameters) => ({ id, parameters, isTrial: true });

/** All twelve operations, each on the container and the contact of this run only. */
const PLANS = [
	step('user', me),
	trial('wrongKey', me),
	step('encode', encode),
	step('container', onContainer('container', 'get')),
	step('envelope', onContainer('container', 'getEnvelope')),
	step('containers', () => list('container')),
	trial('containersByName', ({ containerName = '' }) =>
		list('container', query('name', containerName)),
	),
	step('rules', onContainer('drm', 'get')),
	step('update', change({ opens: 3 })),
	trial('geoAllow', change({ geoAllow: ['CH'] })),
	trial('geoBlock', change({ geoBlock: ['KP'] })),
	trial('ip', change({ ipAllow: ips })),
	trial('ipBlock', change({ ipBlock: '192.0.2.99' })),
	trial('start', change({ timeStart: '2026-01-01' })),
	trial('geoFiner', onContainer('drm', 'update', finerRules)),
	step('allRules', onContainer('drm', 'get')),
	trial('partOfRules', change({ dynamic: true, opens: 2 }, { keepOtherRules: false })),
	step('afterPartOfRules', onContainer('drm', 'get')),
	trial('unknownContainer', () => onContainer('container', 'get')({ containerId: unknown })),
	trial('unknownUser', () => list('container', { userId: unknown })),
	step('contact', setContact(contact)),
	step('contactRecord', onContact('get')),
	step('contacts', () => list('contact')),
	trial('contactsByEmail', ({ email = '' }) => list('contact', query('email', email))),
	step('partOfContact', setContact({ company: 'Other Ltd' })),
	step('afterPartOfContact', onContact('get')),
	trial('otherField', setContact({ probe_field: 'Probe' })),
	step('afterOtherField', onContact('get')),
	step('revoke', onContainer('drm', 'revoke')),
	step('deleteContainer', onContainer('container', 'delete')),
	trial('deletedContainer', onContainer('container', 'get')),
	step('deleteContact', onContact('delete')),
	trial('deletedContact', onContact('get')),
];

export const REQUIRED_STEPS = PLANS.filter(({ isTrial }) => !isTrial).map(({ id }) => id);

export const hasSucceeded = (steps: Step[], id: string) =>
	steps.some((one) => one.id === id && one.error === undefined);

/** The parameters of an operation, with options that spare the service. */
export function withOptions(parameters: IDataObject, { userId }: Owned) {
	const limits = { maxConcurrent: 1, maxRetries: 2, responseTimeout: 30 };
	const user = userId === undefined ? {} : { userId };
	return { ...parameters, options: { ...user, ...limits, ...(parameters.options as object) } };
}

/**
 * Walks all operations. A step that fails is a finding; only a service that no longer responds ends the walk.
 * @param steps receives each step when it starts
 * @throws when the key or the base URL is not usable, before anything is created
 */
export async function walk(options: WalkOptions, steps: Step[]): Promise<void> {
	const { owned, credential, run, signal, log } = options;
	for (const { id, parameters } of PLANS) {
		const sent = parameters(owned);
		if (signal?.aborted) return;
		if (sent.containerId && !(sent.containerId as IDataObject).value) continue;
		const current: Step = { id, exchanges: [], items: [] };
		steps.push(current);
		const key = id === 'wrongKey' ? { apiKey: 'n8n-probe-this-is-not-a-key' } : {};
		const stopRecording = record(new URL(credential.baseUrl).host, current.exchanges);
		const outcome = await run(withOptions(sent, owned), { ...credential, ...key }, signal);
		stopRecording();
		const { items, error } = Object.assign(current, outcome);
		const statuses = current.exchanges.map(({ method, status }) => `${method} ${status}`);
		const result = error?.message ?? `items: ${items.length}`;
		log(`${id} | ${statuses.join(', ') || 'no response'} | ${result}`);
		if (id === 'user') owned.userId = getUserId(current);
		if (id === 'encode') owned.containerId = getContainerId(current);
		if (steps.slice(-2).every(({ exchanges }) => exchanges.length === 0)) {
			throw new Error('The service no longer responds.');
		}
	}
}

function getUserId({ items, error }: Step): string {
	const id = items[0]?.id;
	if (typeof id === 'string' || typeof id === 'number') return String(id);
	const { message, description } = error ?? { message: 'The user has no ID.' };
	throw new Error([message, description].filter(Boolean).join(' - '));
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
