import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { randomUUID } from 'node:crypto';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { getContainerIdentity } from '../../nodes/shared/api/records.ts';
import { isRecord } from '../../nodes/shared/responses/shapes.ts';
import type { ApiCredentials } from '../engine/credentials.cts';
import { executeWorkflow } from '../engine/execute.cts';
import { baseNodes, loadNodePackage } from '../engine/package.cts';
import { buildWorkflow, CREDENTIAL_TYPE, NODE_TYPE, toExecution } from '../realN8n/workflow.cts';

/** A request and its response. */
export interface Exchange {
	method: string;
	status: number;
	headers: Record<string, string>;
	text: string;
}

/** What the node makes of the responses: items, or an error. */
interface Outcome {
	items: IDataObject[];
	error?: { message: string; description?: string | null };
}

/** What one step of the walk received, and got from the node. */
export interface Step {
	id: string;
	exchanges: Exchange[];
	outcome: Outcome;
}

/** The container and the contact of one run. Nothing else is ever changed. */
export interface Owned {
	containerName: string;
	email: string;
	userId: string;
	containerId?: string;
}

/** Runs one operation of the node in n8n's engine. An aborted signal cancels it. */
export type RunOperation = (
	parameters: INodeParameters,
	credential: ApiCredentials,
	signal?: AbortSignal,
) => Promise<Outcome>;

/** @param folder the built package */
export async function loadOperations(folder: string): Promise<RunOperation> {
	const loaded = await loadNodePackage(folder, baseNodes);
	return async (parameters, credential, signal) => {
		const credentials = { [CREDENTIAL_TYPE]: { id: 'probe', name: 'Probe' } };
		const workflow = buildWorkflow([
			{ name: 'Start', type: 'n8n-nodes-base.manualTrigger' },
			{ name: 'Node', type: NODE_TYPE, parameters, credentials },
		]);
		const run = await executeWorkflow(loaded, workflow, { ...credential }, signal);
		const { error, json } = toExecution(run);
		return { items: error === undefined ? json('Node') : [], error };
	};
}

interface Plan {
	id: string;
	parameters: (owned: Owned) => IDataObject;
	/** A step that the service can refuse; in all others, the node must succeed. */
	isTrial?: boolean;
	apiKey?: string;
}

/** The last day of access. */
const END = '2099-12-31';

/** For documentation only (RFC 5737), so nobody has them. */
const IP_ENTRIES = ['192.0.2.1', '198.51.100.0/24', '203.0.113.1-203.0.113.9', '192.0.2.*'];

const byId = (value = '') => ({ __rl: true, mode: 'id', value });
const byEmail = (value: string) => ({ __rl: true, mode: 'email', value });

const me = () => ({ resource: 'user', operation: 'getMe' });
const ofContainer = (operation: string) => (owned: Owned) => ({
	resource: 'container',
	operation,
	containerId: byId(owned.containerId),
});
const ofRules =
	(operation: string, more: IDataObject = {}) =>
	(owned: Owned) => ({
		resource: 'drm',
		operation,
		containerId: byId(owned.containerId),
		...more,
	});
const change = (rules: IDataObject, options: IDataObject = {}) =>
	ofRules('update', { rules, options });
const changeJson = (rules: object) =>
	ofRules('update', { specifyRules: 'json', rulesJson: JSON.stringify(rules) });
const ofContact = (operation: string) => (owned: Owned) => ({
	resource: 'contact',
	operation,
	contactEmail: byEmail(owned.email),
});
const setContact = (fields: object) => (owned: Owned) => ({
	resource: 'contact',
	operation: 'upsert',
	email: owned.email,
	dataToSend: 'json',
	bodyJson: JSON.stringify(fields),
});
const list = (resource: string, options: IDataObject = {}) => ({
	...{ resource, operation: 'getAll', returnAll: false, limit: 50, options },
});
const query = (name: string, value: string) => ({ query: { parameters: [{ name, value }] } });

const encode = ({ containerName, email }: Owned) => ({
	resource: 'container',
	operation: 'encode',
	fileSource: 'text',
	textContent: 'A test of the n8n node. It can be deleted.',
	textFileName: 'probe.txt',
	name: containerName,
	recipients: email,
	accessEnds: 'onDate',
	timeEnd: END,
	dynamic: true,
	downloadable: false,
});
const contact = { first_name: 'Probe', company: 'Example Ltd', phone_number: '+15550100' };
const finerPlace = { geo: { allow: [{ country: 'CH', continent: 'EU', city: 'Bern' }] } };

/** All twelve operations, each on the container and the contact of this run only. */
const PLANS: Plan[] = [
	{ id: 'user', parameters: me },
	{ id: 'wrongKey', parameters: me, isTrial: true, apiKey: 'n8n-probe-this-is-not-a-key' },
	{ id: 'encode', parameters: encode },
	{ id: 'container', parameters: ofContainer('get') },
	{ id: 'envelope', parameters: ofContainer('getEnvelope') },
	{ id: 'containers', parameters: () => list('container') },
	{
		id: 'containersByName',
		parameters: ({ containerName }) => list('container', query('name', containerName)),
		isTrial: true,
	},
	{ id: 'rules', parameters: ofRules('get') },
	{ id: 'update', parameters: change({ opens: 3 }) },
	{ id: 'geoAllow', parameters: change({ geoAllow: ['CH'] }), isTrial: true },
	{ id: 'geoBlock', parameters: change({ geoBlock: ['KP'] }), isTrial: true },
	{ id: 'ip', parameters: change({ ipAllow: IP_ENTRIES.join(',') }), isTrial: true },
	{ id: 'ipBlock', parameters: change({ ipBlock: '192.0.2.99' }), isTrial: true },
	{ id: 'start', parameters: change({ timeStart: '2026-01-01' }), isTrial: true },
	{ id: 'geoFiner', parameters: changeJson(finerPlace), isTrial: true },
	{ id: 'allRules', parameters: ofRules('get') },
	{
		id: 'partOfRules',
		parameters: change({ dynamic: true, opens: 2 }, { keepOtherRules: false }),
		isTrial: true,
	},
	{ id: 'afterPartOfRules', parameters: ofRules('get') },
	{
		id: 'unknownContainer',
		parameters: () => ({ ...ofContainer('get')({} as Owned), containerId: byId(randomUUID()) }),
		isTrial: true,
	},
	{
		id: 'unknownUser',
		parameters: () => list('container', { userId: randomUUID() }),
		isTrial: true,
	},
	{ id: 'contact', parameters: setContact(contact) },
	{ id: 'contactRecord', parameters: ofContact('get') },
	{ id: 'contacts', parameters: () => list('contact') },
	{
		id: 'contactsByEmail',
		parameters: ({ email }) => list('contact', query('email', email)),
		isTrial: true,
	},
	{ id: 'partOfContact', parameters: setContact({ company: 'Other Ltd' }) },
	{ id: 'afterPartOfContact', parameters: ofContact('get') },
	{ id: 'otherField', parameters: setContact({ probe_field: 'Probe' }), isTrial: true },
	{ id: 'afterOtherField', parameters: ofContact('get') },
	{ id: 'revoke', parameters: ofRules('revoke') },
	{ id: 'deleteContainer', parameters: ofContainer('delete') },
	{ id: 'deletedContainer', parameters: ofContainer('get'), isTrial: true },
	{ id: 'deleteContact', parameters: ofContact('delete') },
	{ id: 'deletedContact', parameters: ofContact('get'), isTrial: true },
];

export const REQUIRED_STEPS = PLANS.filter(({ isTrial }) => !isTrial).map(({ id }) => id);

export interface WalkOptions {
	credential: ApiCredentials;
	run: RunOperation;
	owned: Owned;
	/** Ends the walk. */
	signal?: AbortSignal;
	log(text: string): void;
}

/**
 * Walks all operations. A step that fails is a finding; only a service that no longer responds ends the walk.
 * @param steps receives each step when it starts
 * @throws when the key or the base URL is not usable, before anything is created
 */
export async function walk(options: WalkOptions, steps: Step[]): Promise<void> {
	const { owned, credential, run, signal, log } = options;
	for (const { id, parameters, apiKey = credential.apiKey } of PLANS) {
		const sent = parameters(owned);
		if (signal?.aborted) return;
		if (sent.containerId && !(sent.containerId as IDataObject).value) continue;
		const user = owned.userId === '' ? {} : { userId: owned.userId };
		const limits = { maxConcurrent: 1, maxRetries: 2, responseTimeout: 30 };
		const all = { ...sent, options: { ...user, ...limits, ...(sent.options as IDataObject) } };
		const step: Step = { id, exchanges: [], outcome: { items: [] } };
		steps.push(step);
		const stopRecording = record(new URL(credential.baseUrl).host, step.exchanges);
		step.outcome = await run(all as INodeParameters, { ...credential, apiKey }, signal);
		stopRecording();
		const { items, error } = step.outcome;
		const statuses = step.exchanges.map(({ method, status }) => `${method} ${status}`).join(', ');
		log(`${id} | ${statuses || 'no response'} | ${error?.message ?? `items: ${items.length}`}`);
		if (id === 'user') owned.userId = getUserId(step);
		if (id === 'encode') owned.containerId = getContainerId(step);
		if (steps.slice(-2).every(({ exchanges }) => exchanges.length === 0)) {
			throw new Error('The service no longer responds.');
		}
	}
}

function getUserId({ outcome: { items, error } }: Step): string {
	const id = items[0]?.id;
	if (typeof id === 'string' || typeof id === 'number') return String(id);
	const { message, description } = error ?? { message: 'The user has no ID.' };
	throw new Error([message, description].filter(Boolean).join(' - '));
}

/** Also where the node can't use the response, so that the container can be deleted. */
function getContainerId({ exchanges, outcome }: Step): string | undefined {
	const [item] = outcome.items;
	if (item !== undefined) return getContainerIdentity(item).id;
	const response = exchanges.findLast(({ method, status }) => method === 'POST' && status < 300);
	const body = parseJson(response?.text ?? '');
	return isRecord(body) ? getContainerIdentity(body).id : undefined;
}

const CHANNEL = 'http.client.response.finish';
const decoders: Record<string, (body: Buffer) => Buffer> = {
	gzip: gunzipSync,
	deflate: inflateSync,
	br: brotliDecompressSync,
};

/**
 * Records what a host responds, until the returned function is called. Not nock's recorder: it takes the place of the
 * connection, and what is to be seen is what the connection does.
 */
function record(host: string, exchanges: Exchange[]): () => void {
	const onResponse = (message: unknown) => {
		const { request, response } = message as { request: ClientRequest; response: IncomingMessage };
		if (request.getHeader('host') !== host) return;
		const { method } = request;
		const headers = Object.fromEntries(
			Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
		);
		const exchange = { method, status: response.statusCode ?? 0, headers, text: '' };
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

function decode(body: Buffer, encoding = ''): string {
	try {
		return (decoders[encoding]?.(body) ?? body).toString();
	} catch {
		// The response was cut off.
		return '';
	}
}

/** The body as JSON; undefined when it is something else. */
export function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
