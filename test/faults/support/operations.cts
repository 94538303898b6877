import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import type { Sandbox } from '../../../sandbox/index.cts';
import { createUser } from '../../../sandbox/users.cts';
import { inlineBinary, storeBinary } from '../../support/engine.cts';
import { PASSWORD } from './secrets.cts';

/** What the node makes of the answer that a fault spoils. */
export type AnswerUse = 'record' | 'optional' | 'list' | 'rules' | 'user' | 'proof';

/** One operation at one of its requests: the one that faults meet. */
export interface OperationCase {
	name: string;
	/** The request that faults meet, of whichever item. */
	target: { method: string; path: RegExp };
	use: AnswerUse;
	/** Words of the request in messages. */
	action: string;
	/** Items work on one shared request (asked once a run) or each on their own. */
	shared?: boolean;
	/** All items make one output item together. */
	joined?: boolean;
	/** Sending it twice makes two. */
	creates?: boolean;
	/** The request that faults meet changes something by itself. */
	changes?: boolean;
	/** Requests of an item before and after the one that faults meet. */
	before?: number;
	after?: number;
	/** Requests that a whole run makes once, before or after the target. */
	once?: number;
	/** Sets the service up for two items: a bystander and the subject. */
	arrange(sandbox: Sandbox): Promise<Arranged> | Arranged;
}

export interface Arranged {
	parameters: INodeParameters;
	items: INodeExecutionData[];
	/** The key, where it is not the default user's. */
	apiKey?: string;
	/** How often the service has carried out what an item asks for; undefined for what only reads. */
	effects?(itemIndex: number): number;
	/** Error items carry this, so that a person finds the item. */
	identity?(itemIndex: number): Record<string, unknown>;
}

const twice = (json: (index: number) => Record<string, string>): INodeExecutionData[] =>
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
		items: twice((index) => ({ id: ids[index] })),
		containerId: { __rl: true, mode: 'id', value: '={{ $json.id }}' },
		identity: (index: number) => ({ containerId: ids[index] }),
		rules: (index: number) => sandbox.state.containers.get(ids[index])?.rules ?? {},
		exists: (index: number) => sandbox.state.containers.has(ids[index]),
	};
};

const emails = ['first+tag@example.com', 'second+tag@example.com'];
const contactItems = () => twice((index) => ({ email: emails[index] }));
const contactEmail = { __rl: true, mode: 'email', value: '={{ $json.email }}' };
const contactIdentity = (index: number) => ({ contactEmail: emails[index] });

const upsert = (sandbox: Sandbox, userId = sandbox.user.id): Arranged => ({
	parameters: {
		resource: 'contact',
		operation: 'upsert',
		email: '={{ $json.email }}',
		dataToSend: 'json',
		bodyJson: '{ "company": "Example Ltd" }',
	},
	items: contactItems(),
	identity: contactIdentity,
	effects: (index) =>
		sandbox.state.contactsOf(userId).get(emails[index])?.fields.company === 'Example Ltd' ? 1 : 0,
});

export const FILE_BYTES = 300_000;
export const fileContent = (index: number) => Buffer.alloc(FILE_BYTES, `file ${index} `);

const encode = (sandbox: Sandbox, binary: INodeExecutionData['binary'][]): Arranged => ({
	parameters: {
		resource: 'container',
		operation: 'encode',
		name: '={{ $json.name }}',
		recipients: 'anna@example.com',
		additionalFields: { password: PASSWORD },
		drmRules: { dynamic: true },
	},
	items: twice((index) => ({ name: `Encoded ${index}` })).map((item, index) => ({
		...item,
		binary: binary[index],
	})),
	identity: (index) => ({ name: `Encoded ${index}` }),
	effects: (index) =>
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
	const { items, containerId, identity, rules } = containers(sandbox);
	return {
		parameters: { resource: 'drm', operation: 'update', containerId, rules: { opens: 7 } },
		items,
		identity,
		effects: (index) => (rules(index).opens === 7 ? 1 : 0),
	};
};

const revokeRules = (sandbox: Sandbox): Arranged => {
	const { items, containerId, identity, rules } = containers(sandbox);
	return {
		parameters: { resource: 'drm', operation: 'revoke', containerId },
		items,
		identity,
		effects: (index) => (rules(index).time === undefined ? 0 : 1),
	};
};

const reading =
	(resource: string, operation: string) =>
	(sandbox: Sandbox): Arranged => {
		const { items, containerId, identity } = containers(sandbox);
		return { parameters: { resource, operation, containerId }, items, identity };
	};

const contactReading = (operation: string) => (sandbox: Sandbox) => {
	for (const email of emails) sandbox.addContact(email, { company: 'Old Ltd' });
	return {
		parameters: { resource: 'contact', operation, contactEmail },
		items: contactItems(),
		identity: contactIdentity,
	};
};

/** Every operation, once for each kind of request that it makes. A new one is one entry. */
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
		joined: true,
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
		arrange: reading('container', 'get'),
	},
	{
		name: 'container getEnvelope',
		target: { method: 'GET', path: /\/users\/[^/]+\/containers\/[^/]+$/ },
		use: 'record',
		action: 'get the envelope of the container',
		arrange: reading('container', 'getEnvelope'),
	},
	{
		name: 'container getAll',
		target: { method: 'GET', path: /\/containers$/ },
		use: 'list',
		action: 'list the containers',
		arrange: (sandbox) => ({ ...reading('container', 'getAll')(sandbox), identity: undefined }),
	},
	{
		name: 'container delete',
		target: { method: 'DELETE', path: /\/v1\/containers\/[^/]+$/ },
		use: 'optional',
		action: 'delete the container',
		changes: true,
		arrange(sandbox) {
			const { items, containerId, identity, exists } = containers(sandbox);
			return {
				parameters: { resource: 'container', operation: 'delete', containerId },
				items,
				identity,
				effects: (index) => (exists(index) ? 0 : 1),
			};
		},
	},
	{
		name: 'drm get',
		target: RULES_GET,
		use: 'record',
		action: 'get the rules of the container',
		arrange: reading('drm', 'get'),
	},
	{
		name: 'drm update, at the present rules',
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
		before: 1,
		arrange: updateRules,
	},
	{
		name: 'drm revoke, at the present rules',
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
		arrange: (sandbox) => ({ ...contactReading('getAll')(sandbox), identity: undefined }),
	},
	{
		name: 'contact get',
		target: { method: 'GET', path: CONTACT },
		use: 'record',
		action: 'get the contact',
		arrange: contactReading('get'),
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
			...contactReading('delete')(sandbox),
			effects: (index) => (sandbox.state.contactsOf(sandbox.user.id).has(emails[index]) ? 0 : 1),
		}),
	},
	{
		name: 'user getMe',
		target: { method: 'GET', path: /\/me$/ },
		use: 'record',
		action: 'get the user of the API key',
		arrange: () => ({
			parameters: { resource: 'user', operation: 'getMe' },
			items: twice(() => ({})),
		}),
	},
];
