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
			items: twoItems((index) => ({ id: ids[index], name: `Container ${index}` })),
			effectCount: isDone && ((index) => Number(isDone(sandbox, ids[index]))),
		};
	};

const rulesOf = ({ state }: Sandbox, id: string) => state.containers.get(id)?.rules ?? {};

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
const deleting = onContainers(
	'container',
	'delete',
	{},
	({ state }, id) => !state.containers.has(id),
);
const includeRules = { includeRules: true, nameContains: '={{ $json.name }}' };
const withRules = onContainers('container', 'getAll', { options: includeRules });

const emails = ['first+tag@example.com', 'second+tag@example.com'];

/** 1 without the contact. */
const countMissing = ({ state, user }: Sandbox, index: number) =>
	Number(!state.contactsOf(user.id).has(emails[index]));

/** An operation on two contacts that exist. */
const onContacts =
	(operation: string) =>
	(sandbox: Sandbox): Arranged => {
		for (const email of emails) sandbox.addContact(email, { company: 'Old Ltd' });
		const contactEmail = { __rl: true, mode: 'email', value: '={{ $json.email }}' };
		return {
			parameters: { resource: 'contact', operation, contactEmail },
			items: twoItems((index) => ({ email: emails[index] })),
			effectCount: operation === 'delete' ? (index) => countMissing(sandbox, index) : undefined,
		};
	};

const changeContacts =
	(operation: string, options: INodeParameters = {}) =>
	(sandbox: Sandbox, userId = sandbox.user.id): Arranged => ({
		parameters: {
			...{ resource: 'contact', operation, email: '={{ $json.email }}', options },
			...{ dataToSend: 'json', bodyJson: '{ "company": "Example Ltd" }' },
		},
		items: twoItems((index) => ({ email: emails[index] })),
		effectCount: (index) =>
			Number(sandbox.state.contactsOf(userId).get(emails[index])?.fields.company === 'Example Ltd'),
	});

const upsertOfNewUser = (sandbox: Sandbox): Arranged => {
	const user = createUser();
	sandbox.users.push(user);
	return { ...changeContacts('upsert', { userId: '' })(sandbox, user.id), apiKey: user.apiKey };
};

const syncDeletions = (sandbox: Sandbox): Arranged => {
	const { parameters } = changeContacts('sync', { maxDeletions: 100 })(sandbox);
	const kept = 'kept@example.com';
	for (const email of [kept, ...emails]) sandbox.addContact(email, { company: 'Example Ltd' });
	return {
		parameters: { ...parameters, deleteMissing: true },
		items: [{ json: { email: kept } }],
		effectCount: (index) => countMissing(sandbox, index),
	};
};

export const fileContent = (index: number) => Buffer.alloc(300_000, `file ${index} `);

/** An upload of two files. */
const encode =
	(keep: typeof inlineBinary | typeof storeBinary, more: INodeParameters = {}) =>
	async ({ state, user }: Sandbox): Promise<Arranged> => {
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
				...{ resource: 'container', operation: 'encode', name: '={{ $json.name }}' },
				...{ recipients: 'anna@example.com', drmRules: { password: PASSWORD }, ...more },
			},
			items,
			effectCount: (index) =>
				state.containersOf(user.id).filter(({ name }) => name === `${run} ${index}`).length,
		};
	};

const CONTAINERS = /\/containers$/;
const CONTAINER = /\/v1\/containers\/[^/]+$/;
const ENVELOPE = /\/users\/[^/]+\/containers\/[^/]+$/;
const RULES = /\/drm$/;
const CONTACTS = /\/contacts$/;
const CONTACT = /\/contacts\/[^/]+$/;
const ME = /\/me$/;

const GET = (path: RegExp) => ({ method: 'GET', path });
const PATCH = (path: RegExp) => ({ method: 'PATCH', path });
const DELETE = (path: RegExp) => ({ method: 'DELETE', path });
const ENCODE = { method: 'POST', path: /\/containers\/encode$/ };

const UPLOAD = { creates: true, changes: true };
const AT_LIST = { shared: true, after: 1 };
const AT_CHANGE = { changes: true, before: 1 };
const DELETION = { changes: true, after: 1 };

const inOne = encode(inlineBinary, { containerMode: 'allItems' });
const reusing = encode(inlineBinary, { options: { ifExists: 'reuse' } });
const getMe = (): Arranged => ({
	parameters: { resource: 'user', operation: 'getMe' },
	items: twoItems(() => ({})),
});

type Row = [OperationCase['target'], OperationCase['arrange'], Requests?];

/** Every operation, once for each kind of its requests. A new operation is one row. */
const ROWS: Record<string, Row> = {
	'container encode': [ENCODE, encode(inlineBinary), UPLOAD],
	'container encode, stored files': [ENCODE, encode(storeBinary), UPLOAD],
	'container encode, in one': [ENCODE, inOne, { ...UPLOAD, combined: true }],
	'container encode, reuse': [GET(CONTAINERS), reusing, AT_LIST],
	'container get': [GET(CONTAINER), onContainers('container', 'get')],
	'container getEnvelope': [GET(ENVELOPE), onContainers('container', 'getEnvelope')],
	'container getAll': [GET(CONTAINERS), onContainers('container', 'getAll'), { lists: true }],
	'container getAll, rules': [GET(RULES), withRules, { before: 1, acceptsMissing: true }],
	'container delete': [DELETE(CONTAINER), deleting, DELETION],
	'drm get': [GET(RULES), onContainers('drm', 'get')],
	'drm update, current rules': [GET(RULES), updateRules, { after: 1 }],
	'drm update': [PATCH(RULES), updateRules, AT_CHANGE],
	'drm revoke': [PATCH(RULES), revokeRules, AT_CHANGE],
	'contact getAll': [GET(CONTACTS), onContacts('getAll'), { lists: true }],
	'contact get': [GET(CONTACT), onContacts('get')],
	'contact upsert': [PATCH(CONTACT), changeContacts('upsert'), { changes: true }],
	'contact upsert, skipping': [
		GET(CONTACTS),
		changeContacts('upsert', { skipUnchanged: true }),
		AT_LIST,
	],
	'contact upsert, user': [GET(ME), upsertOfNewUser, AT_LIST],
	'contact sync': [PATCH(CONTACT), changeContacts('sync'), { changes: true, once: 1 }],
	'contact sync, deletion': [
		DELETE(CONTACT),
		syncDeletions,
		{ ...DELETION, acceptsMissing: true, followsItems: true, once: 1 },
	],
	'contact delete': [DELETE(CONTACT), onContacts('delete'), DELETION],
	'user getMe': [GET(ME), getMe],
};

export const operations: OperationCase[] = Object.entries(ROWS).map(
	([name, [target, arrange, requests]]) => ({ name, target, arrange, ...requests }),
);
