import { randomBytes, randomUUID } from 'node:crypto';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { ApiCredentials } from '../engine/credentials.cts';
import type { Outcome, RunOperation } from './node.cts';
import { getContainerIdentity } from '../../nodes/shared/api/records.ts';
import { isRecord } from '../../nodes/shared/responses/shapes.ts';
import { parseJson, recordExchanges, type Exchange } from './recorder.cts';
import type { Send } from './send.cts';

/** The container and the contact of one run. Nothing else is ever changed. */
export interface Owned {
	/** Occurs in the name of the container and in the address of the contact, and nowhere else. */
	marker: string;
	containerName: string;
	email: string;
	userId: string;
	containerId?: string;
	/** Whether the service may have them. */
	isContainerSent: boolean;
	isContactSent: boolean;
}

/** What one step of the walk sent, received, and got from the node. */
export interface Step {
	id: string;
	/** Of the node; undefined for a request that the probe sends itself. */
	parameters?: INodeParameters;
	exchanges: Exchange[];
	outcome?: Outcome;
}

interface Plan {
	id: string;
	/** Whether the node must succeed. The other steps try what a service can refuse. */
	isRequired?: boolean;
	/** The step can only run if this exists. */
	needs?: 'container';
	parameters?: (owned: Owned) => IDataObject;
	/** The body of a change of rules that the node itself would not send. */
	rules?: IDataObject;
	apiKey?: string;
}

export interface WalkOptions {
	credential: ApiCredentials;
	run: RunOperation;
	send: Send;
	owned: Owned;
	/** Ends the walk after the current step, or during it if that takes long. */
	signal?: AbortSignal;
	log(text: string): void;
}

/** How long a step can still take after an interruption. */
const GRACE_MS = 15_000;

/** The last day of access in the manifest. The answers are replayed later, when it must still be in the future. */
const END = '2099-12-31';

/** For documentation only (RFC 5737), so nobody has them. */
export const IP_ENTRIES = ['192.0.2.1', '198.51.100.0/24', '203.0.113.1-203.0.113.9', '192.0.2.*'];

const CONTACT = {
	first_name: 'Probe',
	last_name: 'Of n8n',
	company: 'Example Ltd',
	phone_number: '+15550100',
};

/** What the probe sends besides the name of the container and the address of the contact. */
export const SENT_TEXTS = [
	...IP_ENTRIES,
	...Object.values(CONTACT),
	...['192.0.2.99', 'CH', 'KP', 'EU', 'Bern', 'Other Ltd', 'Probe', 'probe.txt', 'text/plain'],
];

export function createOwned(): Owned {
	const marker = randomBytes(8).toString('hex');
	return {
		marker,
		containerName: `n8n probe ${marker} (can be deleted)`,
		email: `n8n-probe-${marker}@example.com`,
		userId: '',
		isContainerSent: false,
		isContactSent: false,
	};
}

const byId = (value = '') => ({ __rl: true, mode: 'id', value });
const byEmail = (value: string) => ({ __rl: true, mode: 'email', value });
const byQuery = (name: string, value: string) => ({ query: { parameters: [{ name, value }] } });

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
const list = (resource: string, query?: (owned: Owned) => IDataObject) => (owned: Owned) => ({
	resource,
	operation: 'getAll',
	returnAll: false,
	limit: 50,
	options: query?.(owned) ?? {},
});

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

const partOfRules = { dynamic: true, opens: 2 };
const onlyGiven = { keepOtherRules: false };

/** All twelve operations, each on the container and the contact of this run only. */
const PLANS: Plan[] = [
	{ id: 'user', isRequired: true, parameters: () => ({ resource: 'user', operation: 'getMe' }) },
	{
		id: 'wrongKey',
		apiKey: 'n8n-probe-this-is-not-a-key',
		parameters: () => ({ resource: 'user', operation: 'getMe' }),
	},
	{ id: 'encode', isRequired: true, parameters: encode },
	{ id: 'container', isRequired: true, needs: 'container', parameters: ofContainer('get') },
	{ id: 'envelope', isRequired: true, needs: 'container', parameters: ofContainer('getEnvelope') },
	{ id: 'containers', isRequired: true, parameters: list('container') },
	{
		id: 'containersByName',
		parameters: list('container', ({ containerName }) => byQuery('name', containerName)),
	},
	{ id: 'rules', isRequired: true, needs: 'container', parameters: ofRules('get') },
	{ id: 'update', isRequired: true, needs: 'container', parameters: change({ opens: 3 }) },
	{ id: 'geoAllow', needs: 'container', parameters: change({ geoAllow: ['CH'] }) },
	{ id: 'geoBlock', needs: 'container', parameters: change({ geoBlock: ['KP'] }) },
	{ id: 'ip', needs: 'container', parameters: change({ ipAllow: IP_ENTRIES.join(',') }) },
	{ id: 'ipBlock', needs: 'container', parameters: change({ ipBlock: '192.0.2.99' }) },
	{ id: 'start', needs: 'container', parameters: change({ timeStart: '2026-01-01' }) },
	{
		id: 'geoFiner',
		needs: 'container',
		parameters: changeJson({ geo: { allow: [{ country: 'CH', continent: 'EU', city: 'Bern' }] } }),
	},
	{ id: 'allRules', needs: 'container', parameters: ofRules('get') },
	{ id: 'partOfRules', needs: 'container', parameters: change(partOfRules, onlyGiven) },
	{ id: 'afterPartOfRules', needs: 'container', parameters: ofRules('get') },
	{ id: 'noRecipients', needs: 'container', rules: { dynamic: true, recipients: [] } },
	{ id: 'afterNoRecipients', needs: 'container', parameters: ofRules('get') },
	{ id: 'invalidRules', needs: 'container', rules: { dynamic: true, opens: 'many' } },
	{
		id: 'unknownContainer',
		parameters: () => ({
			resource: 'container',
			operation: 'get',
			containerId: byId(randomUUID()),
		}),
	},
	{
		id: 'unknownUser',
		parameters: (owned) => ({ ...list('container')(owned), options: { userId: randomUUID() } }),
	},
	{ id: 'contact', isRequired: true, parameters: setContact(CONTACT) },
	{ id: 'contactRecord', isRequired: true, parameters: ofContact('get') },
	{ id: 'contacts', isRequired: true, parameters: list('contact') },
	{ id: 'contactsByEmail', parameters: list('contact', ({ email }) => byQuery('email', email)) },
	{ id: 'partOfContact', isRequired: true, parameters: setContact({ company: 'Other Ltd' }) },
	{ id: 'afterPartOfContact', parameters: ofContact('get') },
	{ id: 'otherField', parameters: setContact({ probe_field: 'Probe' }) },
	{ id: 'afterOtherField', parameters: ofContact('get') },
	{ id: 'revoke', isRequired: true, needs: 'container', parameters: ofRules('revoke') },
	{
		id: 'deleteContainer',
		isRequired: true,
		needs: 'container',
		parameters: ofContainer('delete'),
	},
	{ id: 'deletedContainer', needs: 'container', parameters: ofContainer('get') },
	{ id: 'deleteContact', isRequired: true, parameters: ofContact('delete') },
	{ id: 'deletedContact', parameters: ofContact('get') },
];

export const REQUIRED_STEPS = PLANS.filter(({ isRequired }) => isRequired).map(({ id }) => id);

/**
 * Walks all operations. A step that fails is a finding; only a service that no longer responds ends the walk.
 * @param steps receives each step as soon as it is done
 * @throws when the key or the base URL is not usable, before anything is created
 */
export async function walk(options: WalkOptions, steps: Step[]): Promise<void> {
	const { owned, signal, log } = options;
	for (const plan of PLANS) {
		if (signal?.aborted === true) return;
		if (plan.needs === 'container' && owned.containerId === undefined) continue;
		const step = await runStep(options, plan);
		steps.push(step);
		log(describeStep(step));
		if (plan.id === 'user') owned.userId = getUserId(step);
		if (plan.id === 'encode') owned.containerId = getContainerId(step);
		const silent = steps.slice(-2).filter(({ exchanges }) => exchanges.length === 0);
		if (silent.length === 2) throw new Error('The service no longer responds.');
	}
}

async function runStep(options: WalkOptions, plan: Plan): Promise<Step> {
	const { owned, credential, run, send, signal } = options;
	const { id, apiKey = credential.apiKey } = plan;
	if (plan.rules !== undefined) {
		const path = `/containers/${encodeURIComponent(String(owned.containerId))}/drm`;
		return { id, exchanges: [await send('PATCH', path, plan.rules)] };
	}
	const parameters = ofUser(plan.parameters?.(owned) ?? {}, owned);
	if (id === 'encode') owned.isContainerSent = true;
	if (id === 'contact') owned.isContactSent = true;
	const late = new AbortController();
	const stop = () => setTimeout(() => late.abort(), GRACE_MS).unref();
	signal?.addEventListener('abort', stop, { once: true });
	try {
		const { result: outcome, exchanges } = await recordExchanges(
			new URL(credential.baseUrl).host,
			async () => await run(withLimits(parameters), { ...credential, apiKey }, late.signal),
		);
		return { id, parameters: parameters as INodeParameters, exchanges, outcome };
	} finally {
		signal?.removeEventListener('abort', stop);
	}
}

function ofUser(parameters: IDataObject, { userId }: Owned): IDataObject {
	const user = userId === '' ? {} : { userId };
	return {
		...parameters,
		options: { ...user, ...(parameters.options as IDataObject | undefined) },
	};
}

function withLimits(parameters: IDataObject): INodeParameters {
	const limits = { maxConcurrent: 1, maxRetries: 2, responseTimeout: 30 };
	const options = { ...limits, ...(parameters.options as IDataObject) };
	return { ...parameters, options } as INodeParameters;
}

function getUserId({ outcome }: Step): string {
	const id = outcome?.items[0]?.id;
	if (typeof id === 'string' || typeof id === 'number') return String(id);
	const { message, description } = outcome?.error ?? { message: 'The user has no ID.' };
	throw new Error([message, description].filter(Boolean).join(' - '));
}

/** Also where the node can't use the response, so that the container can be deleted. */
function getContainerId({ exchanges, outcome }: Step): string | undefined {
	const [item] = outcome?.items ?? [];
	if (item !== undefined) return getContainerIdentity(item).id;
	const response = exchanges.findLast(({ method }) => method === 'POST');
	const record = parseJson(response?.text ?? '');
	return response !== undefined && response.status < 300 && isRecord(record)
		? getContainerIdentity(record).id
		: undefined;
}

function describeStep({ id, exchanges, outcome }: Step): string {
	const sent = exchanges.map(({ method, status }) => `${method} ${status}`).join(', ');
	const result = outcome?.error?.message ?? (outcome && `items: ${outcome.items.length}`);
	return [id, sent || 'no response', result].filter((part) => part !== undefined).join(' | ');
}
