import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { runNode } from '../../support/engine.cts';
import type { Match } from '../../support/proxy.cts';
import type { TestService } from '../../support/service.cts';
import { PASSWORD } from './secrets.cts';

/** One operation, on one item that `arrange` prepares. */
export interface OperationCase {
	name: string;
	/** The request that meets the fault. */
	target: Required<Pick<Match, 'method' | 'path'>>;
	parameters: IDataObject;
	/** What the item identifies, and whether the service has done what the operation is for. */
	arrange(service: TestService): Promise<{ json: IDataObject; isDone?: () => Promise<boolean> }>;
}

/** Somebody who is on each container, and the contact of a person. */
const EMAIL = 'anna+tag@example.com';
const rules = { recipients: [EMAIL, 'bob@example.com'], opens: 3, downloadable: true };

type Check = (service: TestService, id: string) => Promise<boolean>;

/** A container whose access is open, in an item. */
const container = (check?: Check): OperationCase['arrange'] => {
	return async (service) => {
		const name = `Container ${randomUUID()}`;
		const id = await service.addContainer({ name, rules });
		return { json: { id, name }, isDone: check && (async () => await check(service, id)) };
	};
};
const ruled = (isDone: (rules: IDataObject) => boolean) =>
	container(async (service, id) => isDone(await service.getRules(id)));
const isGone: Check = async (service) => (await service.getContainers()).length === 0;

/** A contact that exists, in an item. */
const contact =
	(isDone?: (found?: IDataObject) => boolean): OperationCase['arrange'] =>
	async (service) => {
		await service.addContact(EMAIL, { company: 'Old Ltd' });
		const find = async () => (await service.getContacts()).find(({ email }) => email === EMAIL);
		return { json: { email: EMAIL }, isDone: isDone && (async () => isDone(await find())) };
	};
const isRenamed = (found?: IDataObject) => found?.company === 'Example Ltd';

/** A name that no container has, in an item. */
const newContainer: OperationCase['arrange'] = async (service) => {
	const name = `Encoded ${randomUUID()}`;
	const isDone = async () => {
		const all = await service.getContainers();
		return all.filter((one) => one.name === name).length === 1;
	};
	return { json: { name }, isDone };
};

/** A request for files that exists, in an item. */
const fileRequest =
	(check?: Check): OperationCase['arrange'] =>
	async (service) => {
		const id = await service.addRequest('Documents', [EMAIL]);
		return { json: { id }, isDone: check && (async () => await check(service, id)) };
	};
const isClosed: Check = async (service) => (await service.getRequests()).length === 0;
const newRequest: OperationCase['arrange'] = async (service) => ({
	json: { name: `Asked ${randomUUID()}` },
	isDone: async () => (await service.getRequests()).length === 1,
});

const nothing: OperationCase['arrange'] = async () => ({ json: {} });

const containerId = { __rl: true, mode: 'id', value: '={{ $json.id }}' };
const requestId = containerId;
const contactEmail = { __rl: true, mode: 'email', value: '={{ $json.email }}' };
const changeOfContact = { dataToSend: 'json', bodyJson: '{ "company": "Example Ltd" }' };
const fixing = { policy: 'fields', policyFields: { forbidDownload: true }, onViolation: 'fix' };
const encoding = { fileSource: 'text', textContent: 'confidential', recipients: EMAIL };
const change = { rules: { opens: 7 } };
const group = { containers: 'one', email: EMAIL };

const CONTAINERS = /\/containers(\?|$)/;
const CONTAINER = /\/v1\/containers\/[^/]+$/;
const RULES = /\/drm$/;
const REQUEST = /\/v1\/requests\/[^/]+$/;
const CONTACT = /\/contacts\/[^/]+$/;

type Row = [string, RegExp, IDataObject, OperationCase['arrange']];

const ROWS: Record<string, Row> = {
	'user getMe': ['GET', /\/me$/, {}, nothing],
	'container encode': [
		'POST',
		/\/encode$/,
		{ name: '={{ $json.name }}', ...encoding, drmRules: { password: PASSWORD } },
		newContainer,
	],
	'container get': ['GET', CONTAINER, { containerId }, container()],
	'container decode': ['POST', /\/decode$/, { containerId, password: PASSWORD }, container()],
	'container getEnvelope': ['GET', /\/users\/.+\/containers\/.+/, { containerId }, container()],
	'container getAll': ['GET', CONTAINERS, { returnAll: true }, container()],
	'container getActivity': ['GET', /\/events(\?|$)/, { actions: ['created'] }, container()],
	'container delete': ['DELETE', CONTAINER, { containerId }, container(isGone)],
	'drm get': ['GET', RULES, { containerId }, container()],
	'drm update': ['PATCH', RULES, { containerId, ...change }, ruled(({ opens }) => opens === 7)],
	'drm revoke': ['PATCH', RULES, { containerId }, ruled(({ time }) => time !== undefined)],
	'drm removeEverywhere': [
		'PATCH',
		RULES,
		{ email: EMAIL, options: { maxRemovals: 100 } },
		ruled(({ recipients }) => !(recipients as string[]).includes(EMAIL)),
	],
	'drm syncRecipients': [
		'PATCH',
		RULES,
		{ containerId, ...group, options: { maxRemovals: 100 } },
		ruled(({ recipients }) => (recipients as string[]).join() === EMAIL),
	],
	'drm check': [
		'PATCH',
		RULES,
		{ containers: 'all', ...fixing },
		ruled(({ downloadable }) => downloadable === false),
	],
	'request create': [
		'POST',
		/\/requests$/,
		{ name: '={{ $json.name }}', senders: EMAIL, requestEnds: 'never' },
		newRequest,
	],
	'request get': ['GET', REQUEST, { requestId }, fileRequest()],
	'request getAll': ['GET', /\/requests(\?|$)/, { returnAll: true }, fileRequest()],
	'request delete': ['DELETE', REQUEST, { requestId }, fileRequest(isClosed)],
	'contact get': ['GET', CONTACT, { contactEmail }, contact()],
	'contact getAll': ['GET', /\/contacts(\?|$)/, { returnAll: true }, contact()],
	'contact upsert': [
		'PATCH',
		CONTACT,
		{ email: EMAIL, ...changeOfContact },
		contact((found) => isRenamed(found)),
	],
	'contact sync': ['PATCH', CONTACT, { email: EMAIL, ...changeOfContact }, contact(isRenamed)],
	'contact delete': ['DELETE', CONTACT, { contactEmail }, contact((found) => found === undefined)],
};

export const operations = Object.entries(ROWS).map(
	([name, [method, path, given, arrange]]): OperationCase => {
		const [resource, operation] = name.split(' ');
		return {
			name,
			target: { method, path },
			parameters: { resource, operation, ...given },
			arrange,
		};
	},
);

/** Runs an operation on one item, with two retries. */
export async function runOperation(
	service: TestService,
	{ parameters }: OperationCase,
	json: IDataObject,
	more: Partial<Parameters<typeof runNode>[0]> = {},
) {
	const options = { userId: service.userId, maxRetries: 2, ...(parameters.options as object) };
	return await runNode({
		parameters: { ...parameters, options } as never,
		items: [{ json }],
		credentials: service.credentials,
		...more,
	});
}
