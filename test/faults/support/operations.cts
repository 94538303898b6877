import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import type { Sandbox } from '../../../sandbox/index.cts';
import { createUser } from '../../../sandbox/users.cts';
import { inlineBinary, storeBinary } from '../../support/engine.cts';
import { PASSWORD } from './secrets.cts';

/** How the node uses the response that the fault changes. */
export type ResponseUse =
	'record' | 'shownRules' | 'optional' | 'list' | 'wholeList' | 'rules' | 'user' | 'proof';

/** One operation, with the one of its requests that meets the fault. */
export interface OperationCase {
	name: string;
	/** The request that meets the fault, for any item. */
	target: { method: string; path: RegExp };
	use: ResponseUse;
	/** The name of the request in messages. */
	action: string;
	/** The items share one request, instead of one request each. */
	shared?: boolean;
	/** All items create one output item together. */
	combined?: boolean;
	/** The request is not idempotent: a repeated request creates a second record. */
	creates?: boolean;
	/** The request that meets the fault changes data. */
	changes?: boolean;
	/** The node compares rules in the response with those that it sent, and fetches them again when they differ. */
	comparesRules?: boolean;
	/** Requests that the items share, before those of each item. */
	once?: number;
	/** A record that is gone is no failure. */
	acceptsMissing?: boolean;
	/** Both requests follow the only input item, whose own output comes first. */
	followsItems?: boolean;
	/** Requests of an item before and after the one that meets the fault. */
	before?: number;
	after?: number;
	/** Prepares the service for two items: a control item and the tested one. */
	arrange(sandbox: Sandbox): Promise<Arranged> | Arranged;
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

const containers = (sandbox: Sandbox) => {
	const ids = [0, 1].map((index) => {
		const uuid = `00000000-0000-4000-8000-00000000000${index}`;
		sandbox.addContainer({
			uuid,
			name: `Container ${index}`,
			rules: { dynamic: true, opens: 3, recipients: ['anna@example.com'] },
		});
		return uuid;
	});
	return {
		items: twoItems((index) => ({ id: ids[index] })),
		containerId: { __rl: true, mode: 'id', value: '={{ $json.id }}' },
		errorFields: (index: number) => ({ containerId: ids[index] }),
		rules: (index: number) => sandbox.state.containers.get(ids[index])?.rules ?? {},
		exists: (index: number) => sandbox.state.containers.has(ids[index]),
	};
};

const emails = ['first+tag@example.com', 'second+tag@example.com'];
const contactItems = () => twoItems((index) => ({ email: emails[index] }));
const contactEmail = { __rl: true, mode: 'email', value: '={{ $json.email }}' };
const contactErrorFields = (index: number) => ({ contactEmail: emails[index] });

const upsert = (sandbox: Sandbox, userId = sandbox.user.id): Arranged => ({
	parameters: {
		resource: 'contact',
		operation: 'upsert',
		email: '={{ $json.email }}',
		dataToSend: 'json',
		bodyJson: '{ "company": "Example Ltd" }',
	},
	items: contactItems(),
	errorFields: contactErrorFields,
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

const FILE_BYTES = 300_000;
export const fileContent = (index: number) => Buffer.alloc(FILE_BYTES, `file ${index} `);

const encode = (sandbox: Sandbox, binary: INodeExecutionData['binary'][]): Arranged => ({
	parameters: {
		resource: 'container',
		operation: 'encode',
		name: '={{ $json.name }}',
		recipients: 'anna@example.com',
		drmRules: { password: PASSWORD },
	},
	items: twoItems((index) => ({ name: `Encoded ${index}` })).map((item, index) => ({
		...item,
		binary: binary[index],
	})),
	errorFields: (index) => ({ name: `Encoded ${index}` }),
	effectCount: (index) =>
		sandbox.state.containersOf(sandbox.user.id).filter(({ name }) => name === `Encoded ${index}`)
			.length,
});

const details = (index: number) => ({
	fileName: `file ${index}.bin`,
	mimeType: 'application/octet-stream',
});
const inline = (index: number) => ({ data: inlineBinary(fileContent(index), details(index)) });
const stored = async (index: number) => ({
	data: await storeBinary(fileContent(index), details(index)),
});

const ENCODE = { method: 'POST', path: /\/containers\/encode$/ };
const RULES_GET = { method: 'GET', path: /\/drm$/ };
const RULES_PATCH = { method: 'PATCH', path: /\/drm$/ };
const CONTACT = /\/contacts\/[^/]+$/;

const withOptions = (arranged: Arranged, options: INodeParameters): Arranged => ({
	...arranged,
	parameters: { ...arranged.parameters, options },
});

const updateRules = (sandbox: Sandbox): Arranged => {
	const { items, containerId, errorFields, rules } = containers(sandbox);
	return {
		parameters: { resource: 'drm', operation: 'update', containerId, rules: { opens: 7 } },
		items,
		errorFields,
		effectCount: (index) => (rules(index).opens === 7 ? 1 : 0),
	};
};

const revokeRules = (sandbox: Sandbox): Arranged => {
	const { items, containerId, errorFields, rules } = containers(sandbox);
	return {
		parameters: { resource: 'drm', operation: 'revoke', containerId },
		items,
		errorFields,
		effectCount: (index) => (rules(index).time === undefined ? 0 : 1),
	};
};

const readContainer =
	(resource: string, operation: string) =>
	(sandbox: Sandbox): Arranged => {
		const { items, containerId, errorFields } = containers(sandbox);
		return { parameters: { resource, operation, containerId }, items, errorFields };
	};

const readContact = (operation: string) => (sandbox: Sandbox) => {
	for (const email of emails) sandbox.addContact(email, { company: 'Old Ltd' });
	return {
		parameters: { resource: 'contact', operation, contactEmail },
		items: contactItems(),
		errorFields: contactErrorFields,
	};
};

/** Every operation, once for each kind of its requests. A new operation is one entry. */
export const operations: OperationCase[] = [
	{
		name: 'container encode, files in memory',
		target: ENCODE,
		use: 'record',
		action: 'encode the files',
		creates: true,
		changes: true,
		arrange: (sandbox) => encode(sandbox, [inline(0), inline(1)]),
	},
	{
		name: 'container encode, stored files',
		target: ENCODE,
		use: 'record',
		action: 'encode the files',
		creates: true,
		changes: true,
		arrange: async (sandbox) => encode(sandbox, [await stored(0), await stored(1)]),
	},
	{
		name: 'container encode, all items in one',
		target: ENCODE,
		use: 'record',
		action: 'encode the files',
		creates: true,
		changes: true,
		combined: true,
		arrange(sandbox) {
			const arranged = encode(sandbox, [inline(0), inline(1)]);
			return {
				...arranged,
				parameters: { ...arranged.parameters, containerMode: 'allItems', name: 'Encoded 0' },
			};
		},
	},
	{
		name: 'container encode with reuse, at the list',
		target: { method: 'GET', path: /\/containers$/ },
		use: 'list',
		action: 'list the containers',
		shared: true,
		after: 1,
		arrange: (sandbox) =>
			withOptions(encode(sandbox, [inline(0), inline(1)]), { ifExists: 'reuse' }),
	},
	{
		name: 'container get',
		target: { method: 'GET', path: /\/v1\/containers\/[^/]+$/ },
		use: 'record',
		action: 'get the container',
		arrange: readContainer('container', 'get'),
	},
	{
		name: 'container getEnvelope',
		target: { method: 'GET', path: /\/users\/[^/]+\/containers\/[^/]+$/ },
		use: 'record',
		action: 'get the envelope of the container',
		arrange: readContainer('container', 'getEnvelope'),
	},
	{
		name: 'container getAll',
		target: { method: 'GET', path: /\/containers$/ },
		use: 'list',
		action: 'list the containers',
		arrange: (sandbox) => ({
			...readContainer('container', 'getAll')(sandbox),
			errorFields: undefined,
		}),
	},
	{
		name: 'container getAll with rules, at the rules',
		target: RULES_GET,
		use: 'rules',
		action: 'get the rules of the container',
		before: 1,
		acceptsMissing: true,
		arrange(sandbox) {
			const arranged = readContainer('container', 'getAll')(sandbox);
			const items = twoItems((index) => ({ name: `Container ${index}` }));
			const options = { includeRules: true, nameContains: '={{ $json.name }}' };
			return { ...withOptions(arranged, options), items, errorFields: undefined };
		},
	},
	{
		name: 'container delete',
		target: { method: 'DELETE', path: /\/v1\/containers\/[^/]+$/ },
		use: 'optional',
		action: 'delete the container',
		changes: true,
		arrange(sandbox) {
			const { items, containerId, errorFields, exists } = containers(sandbox);
			return {
				parameters: { resource: 'container', operation: 'delete', containerId },
				items,
				errorFields,
				effectCount: (index) => (exists(index) ? 0 : 1),
			};
		},
	},
	{
		name: 'drm get',
		target: RULES_GET,
		use: 'shownRules',
		action: 'get the rules of the container',
		arrange: readContainer('drm', 'get'),
	},
	{
		name: 'drm update, at the current rules',
		target: RULES_GET,
		use: 'rules',
		action: 'get the rules of the container',
		after: 1,
		arrange: updateRules,
	},
	{
		name: 'drm update, at the change',
		target: RULES_PATCH,
		use: 'optional',
		action: 'change the rules of the container',
		changes: true,
		comparesRules: true,
		before: 1,
		arrange: updateRules,
	},
	{
		name: 'drm revoke, at the current rules',
		target: RULES_GET,
		use: 'rules',
		action: 'get the rules of the container',
		after: 1,
		arrange: revokeRules,
	},
	{
		name: 'drm revoke, at the change',
		target: RULES_PATCH,
		use: 'proof',
		action: 'end access to the container',
		changes: true,
		before: 1,
		arrange: revokeRules,
	},
	{
		name: 'contact getAll',
		target: { method: 'GET', path: /\/contacts$/ },
		use: 'list',
		action: 'list the contacts',
		arrange: (sandbox) => ({ ...readContact('getAll')(sandbox), errorFields: undefined }),
	},
	{
		name: 'contact get',
		target: { method: 'GET', path: CONTACT },
		use: 'record',
		action: 'get the contact',
		arrange: readContact('get'),
	},
	{
		name: 'contact upsert',
		target: { method: 'PATCH', path: CONTACT },
		use: 'optional',
		action: 'create or update the contact',
		changes: true,
		arrange: (sandbox) => upsert(sandbox),
	},
	{
		name: 'contact upsert with skipping, at the list',
		target: { method: 'GET', path: /\/contacts$/ },
		use: 'list',
		action: 'list the contacts',
		shared: true,
		after: 1,
		arrange: (sandbox) => withOptions(upsert(sandbox), { skipUnchanged: true }),
	},
	{
		name: 'contact sync, at the list',
		target: { method: 'GET', path: /\/contacts$/ },
		use: 'wholeList',
		action: 'list the contacts',
		shared: true,
		after: 1,
		arrange: sync,
	},
	{
		name: 'contact sync, at the change',
		target: { method: 'PATCH', path: CONTACT },
		use: 'optional',
		action: 'create or update the contact',
		changes: true,
		once: 1,
		arrange: sync,
	},
	{
		name: 'contact sync, at the deletion',
		target: { method: 'DELETE', path: CONTACT },
		use: 'optional',
		action: `delete the contact "${emails[1]}"`,
		changes: true,
		acceptsMissing: true,
		followsItems: true,
		once: 1,
		arrange(sandbox) {
			const { errorFields, parameters } = sync(sandbox);
			const kept = 'kept@example.com';
			for (const email of [kept, ...emails]) sandbox.addContact(email, { company: 'Example Ltd' });
			return {
				parameters: { ...parameters, deleteMissing: true, options: { maxDeletions: 100 } },
				items: [{ json: { email: kept } }],
				errorFields,
				effectCount: (index) =>
					sandbox.state.contactsOf(sandbox.user.id).has(emails[index]) ? 0 : 1,
			};
		},
	},
	{
		name: 'contact upsert, at the user',
		target: { method: 'GET', path: /\/me$/ },
		use: 'user',
		action: 'find the user of the API key',
		shared: true,
		after: 1,
		arrange(sandbox) {
			const user = createUser();
			sandbox.users.push(user);
			return { ...upsert(sandbox, user.id), apiKey: user.apiKey };
		},
	},
	{
		name: 'contact delete',
		target: { method: 'DELETE', path: CONTACT },
		use: 'optional',
		action: 'delete the contact',
		changes: true,
		arrange: (sandbox) => ({
			...readContact('delete')(sandbox),
			effectCount: (index) =>
				sandbox.state.contactsOf(sandbox.user.id).has(emails[index]) ? 0 : 1,
		}),
	},
	{
		name: 'user getMe',
		target: { method: 'GET', path: /\/me$/ },
		use: 'record',
		action: 'get the user of the API key',
		arrange: () => ({
			parameters: { resource: 'user', operation: 'getMe' },
			items: twoItems(() => ({})),
		}),
	},
];
