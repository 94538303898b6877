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
const CONTAINERS = /\/containers$/;
const CONTAINER = /\/v1\/containers\/[^/]+$/;
const ENVELOPE = /\/users\/[^/]+\/containers\/[^/]+$/;
const RULES = /\/drm$/;
const CONTACTS = /\/contacts$/;
const CONTACT = /\/contacts\/[^/]+$/;
const ME = /\/me$/;
const GET_RULES = 'get the rules of the container';
const UPSERT = 'create or update the contact';
const UPLOAD = { creates: true, changes: true };
const AT_LIST = { shared: true, after: 1 };
const AT_CHANGE = { changes: true, before: 1 };
const DELETION = { changes: true, after: 1 };

const GET = (path: RegExp) => ({ method: 'GET', path });
const PATCH = (path: RegExp) => ({ method: 'PATCH', path });
const DELETE = (path: RegExp) => ({ method: 'DELETE', path });

const withRules = (sandbox: Sandbox): Arranged => ({
	...onContainers('container', 'getAll', {
		options: { includeRules: true, nameContains: '={{ $json.name }}' },
	})(sandbox),
	items: twoItems((index) => ({ name: `Container ${index}` })),
});
const skippingUpsert = (sandbox: Sandbox): Arranged => {
	const arranged = upsert(sandbox);
	const options = { skipUnchanged: true };
	return { ...arranged, parameters: { ...arranged.parameters, options } };
};
const upsertOfNewUser = (sandbox: Sandbox): Arranged => {
	const user = createUser();
	sandbox.users.push(user);
	return { ...upsert(sandbox, user.id), apiKey: user.apiKey };
};
const getMe = (): Arranged => ({
	parameters: { resource: 'user', operation: 'getMe' },
	items: twoItems(() => ({})),
});
const inOne = encode('inline', { containerMode: 'allItems' });
const reusing = encode('inline', { options: { ifExists: 'reuse' } });
const deleting = onContainers(
	'container',
	'delete',
	{},
	({ state }, id) => !state.containers.has(id),
);

type Row = [OperationCase['target'], string, OperationCase['arrange'], Requests?];

/** Every operation, once for each kind of its requests, with the name of the request. A new operation is one row. */
const ROWS: Record<string, Row> = {
	'container encode': [ENCODE, 'encode the files', encode('inline'), UPLOAD],
	'container encode, stored files': [ENCODE, 'encode the files', encode('stored'), UPLOAD],
	'container encode, in one': [ENCODE, 'encode the files', inOne, { ...UPLOAD, combined: true }],
	'container encode, reuse': [GET(CONTAINERS), 'list the containers', reusing, AT_LIST],
	'container get': [GET(CONTAINER), 'get the container', onContainers('container', 'get')],
	'container getEnvelope': [
		GET(ENVELOPE),
		'get the envelope of the container',
		onContainers('container', 'getEnvelope'),
	],
	'container getAll': [
		GET(CONTAINERS),
		'list the containers',
		onContainers('container', 'getAll'),
		{ lists: true },
	],
	'container getAll, rules': [
		GET(RULES),
		GET_RULES,
		withRules,
		{ before: 1, acceptsMissing: true },
	],
	'container delete': [DELETE(CONTAINER), 'delete the container', deleting, DELETION],
	'drm get': [GET(RULES), GET_RULES, onContainers('drm', 'get')],
	'drm update, current rules': [GET(RULES), GET_RULES, updateRules, { after: 1 }],
	'drm update': [PATCH(RULES), 'change the rules of the container', updateRules, AT_CHANGE],
	'drm revoke': [PATCH(RULES), 'end access to the container', revokeRules, AT_CHANGE],
	'contact getAll': [GET(CONTACTS), 'list the contacts', onContacts('getAll'), { lists: true }],
	'contact get': [GET(CONTACT), 'get the contact', onContacts('get')],
	'contact upsert': [PATCH(CONTACT), UPSERT, (sandbox) => upsert(sandbox), { changes: true }],
	'contact upsert, skipping': [GET(CONTACTS), 'list the contacts', skippingUpsert, AT_LIST],
	'contact upsert, user': [GET(ME), 'find the user of the API key', upsertOfNewUser, AT_LIST],
	'contact sync': [PATCH(CONTACT), UPSERT, sync, { changes: true, once: 1 }],
	'contact sync, deletion': [
		DELETE(CONTACT),
		`delete the contact "${emails[1]}"`,
		syncDeletions,
		{ ...DELETION, acceptsMissing: true, followsItems: true, once: 1 },
	],
	'contact delete': [DELETE(CONTACT), 'delete the contact', onContacts('delete'), DELETION],
	'user getMe': [GET(ME), 'get the user of the API key', getMe],
};

export const operations: OperationCase[] = Object.entries(ROWS).map(
	([name, [target, action, arrange, requests]]) => ({ name, target, action, arrange, ...requests }),
);
