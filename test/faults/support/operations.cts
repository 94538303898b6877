import { randomUUID } from 'node:crypto';
import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import type { Sandbox } from '../../../sandbox/index.cts';
import { createUser } from '../../../sandbox/store.cts';
import { inlineBinary, storeBinary } from '../../support/engine.cts';
import { PASSWORD } from './secrets.cts';

/** One operation, with the one of its requests that meets the fault. */
export interface OperationCase extends Requests {
	name: string;
	/** The request that meets the fault, for any item. */
	target: { method: string; path: RegExp };
	/** The name of the request in messages. */
	action: string;
	/** Prepares the service for two items: a control item and the tested one. */
	arrange(sandbox: Sandbox): Promise<Arranged> | Arranged;
}

/** How the requests of an operation follow from its items. */
interface Requests {
	/** The items share one request, instead of one request each. */
	shared?: boolean;
	/** All items create one output item together. */
	combined?: boolean;
	/** The request is not idempotent: a repeated request creates a second record. */
	creates?: boolean;
	/** The request that meets the fault changes data. */
	changes?: boolean;
	/** The output is a list of records, not one item for each input item. */
	lists?: boolean;
	/** A record that is gone is no failure. */
	acceptsMissing?: boolean;
	/** Both requests follow the only input item, whose own output comes first. */
	followsItems?: boolean;
	/** Requests that the items share, before those of each item. */
	once?: number;
	/** Requests of an item before and after the one that meets the fault. */
	before?: number;
	after?: number;
}

export interface Arranged {
	parameters: INodeParameters;
	items: INodeExecutionData[];
	/** The API key, if it is not the default user's. */
	apiKey?: string;
	/** How often the service performed an item's request. Undefined for requests that only read. */
	effectCount?(itemIndex: number): number;
	/** Fields of error items that identify the item. */
	errorFields?(itemIndex: number): Record<string, unknown>;
}

const twoItems = (json: (index: number) => Record<string, string>): INodeExecutionData[] =>
	[0, 1].map((index) => ({ json: json(index) }));

const withOptions = (arranged: Arranged, options: INodeParameters): Arranged => ({
	...arranged,
	parameters: { ...arranged.parameters, options },
});

/** An operation on two containers. `isDone` tells whether it changed one of them. */
const onContainers =
	(
		resource: string,
		operation: string,
		more: INodeParameters = {},
		isDone?: (sandbox: Sandbox, id: string) => boolean,
	) =>
	(sandbox: Sandbox): Arranged => {
		// New ones: the node remembers the rules that it sent.
		const ids = [randomUUID(), randomUUID()];
		for (const [index, uuid] of ids.entries()) {
			const rules = { dynamic: true, opens: 3, recipients: ['anna@example.com'] };
			sandbox.addContainer({ uuid, name: `Container ${index}`, rules });
		}
		const containerId = { __rl: true, mode: 'id', value: '={{ $json.id }}' };
		return {
			parameters: { resource, operation, containerId, ...more },
			items: twoItems((index) => ({ id: ids[index] })),
			errorFields: operation === 'getAll' ? undefined : (index) => ({ containerId: ids[index] }),
			effectCount: isDone && ((index) => (isDone(sandbox, ids[index]) ? 1 : 0)),
		};
	};

const rulesOf = (sandbox: Sandbox, id: string) => sandbox.state.containers.get(id)?.rules ?? {};

const updateRules = onContainers(
	'drm',
	'update',
	{ rules: { opens: 7 } },
	(sandbox, id) => rulesOf(sandbox, id).opens === 7,
);
const revokeRules = onContainers(
	'drm',
	'revoke',
	{},
	(sandbox, id) => rulesOf(sandbox, id).time !== undefined,
);

const emails = ['first+tag@example.com', 'second+tag@example.com'];

const hasContact = (sandbox: Sandbox, index: number) =>
	sandbox.state.contactsOf(sandbox.user.id).has(emails[index]);

/** An operation on two contacts that exist. */
const onContacts =
	(operation: string) =>
	(sandbox: Sandbox): Arranged => {
		for (const email of emails) sandbox.addContact(email, { company: 'Old Ltd' });
		const contactEmail = { __rl: true, mode: 'email', value: '={{ $json.email }}' };
		return {
			parameters: { resource: 'contact', operation, contactEmail },
			items: twoItems((index) => ({ email: emails[index] })),
			errorFields:
				operation === 'getAll' ? undefined : (index) => ({ contactEmail: emails[index] }),
			effectCount:
				operation === 'delete' ? (index) => (hasContact(sandbox, index) ? 0 : 1) : undefined,
		};
	};

const upsert = (sandbox: Sandbox, userId = sandbox.user.id): Arranged => ({
	parameters: {
		resource: 'contact',
		operation: 'upsert',
		email: '={{ $json.email }}',
		dataToSend: 'json',
		bodyJson: '{ "company": "Example Ltd" }',
	},
	items: twoItems((index) => ({ email: emails[index] })),
	errorFields: (index) => ({ contactEmail: emails[index] }),
	effectCount: (index) =>
		sandbox.state.contactsOf(userId).get(emails[index])?.fields.company === 'Example Ltd' ? 1 : 0,
});

const sync = (sandbox: Sandbox): Arranged => {
	const arranged = upsert(sandbox);
	return {
		...arranged,
		parameters: { ...arranged.parameters, operation: 'sync' },
		errorFields: (index) => ({ email: emails[index] }),
	};
};

const syncDeletions = (sandbox: Sandbox): Arranged => {
	const { parameters } = sync(sandbox);
	const kept = 'kept@example.com';
	for (const email of [kept, ...emails]) sandbox.addContact(email, { company: 'Example Ltd' });
	return {
		parameters: { ...parameters, deleteMissing: true, options: { maxDeletions: 100 } },
		items: [{ json: { email: kept } }],
		effectCount: (index) => (hasContact(sandbox, index) ? 0 : 1),
	};
};

const FILE_BYTES = 300_000;
export const fileContent = (index: number) => Buffer.alloc(FILE_BYTES, `file ${index} `);

/** An upload of two files. */
const encode =
	(where: 'inline' | 'stored', more: INodeParameters = {}) =>
	async (sandbox: Sandbox): Promise<Arranged> => {
		const keep = where === 'inline' ? inlineBinary : storeBinary;
		// New names: the node remembers the containers that it created.
		const run = `Encoded ${randomUUID()}`;
		const nameOf = (index: number) => `${run} ${more.containerMode === 'allItems' ? 0 : index}`;
		const items = twoItems((index) => ({ name: nameOf(index) }));
		for (const [index, item] of items.entries()) {
			const details = { fileName: `file ${index}.bin`, mimeType: 'application/octet-stream' };
			item.binary = { data: await keep(fileContent(index), details) };
		}
		return {
			parameters: {
				resource: 'container',
				operation: 'encode',
				name: '={{ $json.name }}',
				recipients: 'anna@example.com',
				drmRules: { password: PASSWORD },
				...more,
			},
			items,
			errorFields: (index) => ({ name: nameOf(index) }),
			effectCount: (index) =>
				sandbox.state.containersOf(sandbox.user.id).filter(({ name }) => name === `${run} ${index}`)
					.length,
		};
	};

const ENCODE = { method: 'POST', path: /\/containers\/encode$/ };
const CONTAINERS = { method: 'GET', path: /\/containers$/ };
const CONTAINER = /\/v1\/containers\/[^/]+$/;
const RULES = { method: 'GET', path: /\/drm$/ };
const NEW_RULES = { method: 'PATCH', path: /\/drm$/ };
const CONTACTS = { method: 'GET', path: /\/contacts$/ };
const CONTACT = /\/contacts\/[^/]+$/;
const ME = { method: 'GET', path: /\/me$/ };

const at = (
	name: string,
	target: OperationCase['target'],
	action: string,
	arrange: OperationCase['arrange'],
	requests: Requests = {},
): OperationCase => ({ name, target, action, arrange, ...requests });

const UPLOAD = { creates: true, changes: true };
const AT_LIST = { shared: true, after: 1 };

/** Every operation, once for each kind of its requests. A new operation is one entry. */
export const operations: OperationCase[] = [
	at('container encode, files in memory', ENCODE, 'encode the files', encode('inline'), UPLOAD),
	at('container encode, stored files', ENCODE, 'encode the files', encode('stored'), UPLOAD),
	at(
		'container encode, all items in one',
		ENCODE,
		'encode the files',
		encode('inline', { containerMode: 'allItems' }),
		{ ...UPLOAD, combined: true },
	),
	at(
		'container encode with reuse, at the list',
		CONTAINERS,
		'list the containers',
		encode('inline', { options: { ifExists: 'reuse' } }),
		AT_LIST,
	),
	at(
		'container get',
		{ method: 'GET', path: CONTAINER },
		'get the container',
		onContainers('container', 'get'),
	),
	at(
		'container getEnvelope',
		{ method: 'GET', path: /\/users\/[^/]+\/containers\/[^/]+$/ },
		'get the envelope of the container',
		onContainers('container', 'getEnvelope'),
	),
	at('container getAll', CONTAINERS, 'list the containers', onContainers('container', 'getAll'), {
		lists: true,
	}),
	at(
		'container getAll with rules, at the rules',
		RULES,
		'get the rules of the container',
		(sandbox) => ({
			...withOptions(onContainers('container', 'getAll')(sandbox), {
				includeRules: true,
				nameContains: '={{ $json.name }}',
			}),
			items: twoItems((index) => ({ name: `Container ${index}` })),
		}),
		{ before: 1, acceptsMissing: true },
	),
	at(
		'container delete',
		{ method: 'DELETE', path: CONTAINER },
		'delete the container',
		onContainers('container', 'delete', {}, ({ state }, id) => !state.containers.has(id)),
		{ changes: true, after: 1 },
	),
	at('drm get', RULES, 'get the rules of the container', onContainers('drm', 'get')),
	at('drm update, at the current rules', RULES, 'get the rules of the container', updateRules, {
		after: 1,
	}),
	at('drm update, at the change', NEW_RULES, 'change the rules of the container', updateRules, {
		changes: true,
		before: 1,
	}),
	at('drm revoke, at the current rules', RULES, 'get the rules of the container', revokeRules, {
		after: 1,
	}),
	at('drm revoke, at the change', NEW_RULES, 'end access to the container', revokeRules, {
		changes: true,
		before: 1,
	}),
	at('contact getAll', CONTACTS, 'list the contacts', onContacts('getAll'), { lists: true }),
	at('contact get', { method: 'GET', path: CONTACT }, 'get the contact', onContacts('get')),
	at(
		'contact upsert',
		{ method: 'PATCH', path: CONTACT },
		'create or update the contact',
		(sandbox) => upsert(sandbox),
		{ changes: true },
	),
	at(
		'contact upsert with skipping, at the list',
		CONTACTS,
		'list the contacts',
		(sandbox) => withOptions(upsert(sandbox), { skipUnchanged: true }),
		AT_LIST,
	),
	at('contact sync, at the list', CONTACTS, 'list the contacts', sync, AT_LIST),
	at(
		'contact sync, at the change',
		{ method: 'PATCH', path: CONTACT },
		'create or update the contact',
		sync,
		{ changes: true, once: 1 },
	),
	at(
		'contact sync, at the deletion',
		{ method: 'DELETE', path: CONTACT },
		`delete the contact "${emails[1]}"`,
		syncDeletions,
		{ changes: true, acceptsMissing: true, followsItems: true, once: 1, after: 1 },
	),
	at(
		'contact upsert, at the user',
		ME,
		'find the user of the API key',
		(sandbox) => {
			const user = createUser();
			sandbox.users.push(user);
			return { ...upsert(sandbox, user.id), apiKey: user.apiKey };
		},
		AT_LIST,
	),
	at(
		'contact delete',
		{ method: 'DELETE', path: CONTACT },
		'delete the contact',
		onContacts('delete'),
		{ changes: true, after: 1 },
	),
	at('user getMe', ME, 'get the user of the API key', () => ({
		parameters: { resource: 'user', operation: 'getMe' },
		items: twoItems(() => ({})),
	})),
];
