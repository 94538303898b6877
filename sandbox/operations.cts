import {
	contactRecord,
	containerEnvelope,
	containerRecord,
	listResponse,
	rulesRecord,
} from './records.cts';
import { changeResponse, invalid, jsonResponse, notFound, ServiceError } from './responses.cts';
import type { SandboxSettings } from './settings.cts';
import type { Rules, SandboxUser, Store, StoredContainer } from './store.cts';
import type { FormPart } from './upload.cts';

/** What an operation is given: an authenticated request that fits the contract. */
export interface Context {
	settings: SandboxSettings;
	store: Store;
	users: SandboxUser[];
	user: SandboxUser;
	/** Path parameters, decoded once. */
	params: Record<string, string>;
	/** Of the request, as clients reach the service. */
	url: URL;
	/** The success status of the operation. */
	status: number;
	/** The JSON body, where the operation has one. */
	body?: unknown;
	/** The parts of a form, where the operation has one. */
	parts?: FormPart[];
}

/** What the twelve operations of sandbox/openapi.yaml do. Each throws a ServiceError for what it refuses. */
export const operations = {
	getMe: ({ user, status }: Context) => jsonResponse(status, { ...user, apiKey: undefined }),

	encodeFiles(context: Context) {
		const { id: userId } = findUser(context);
		const { settings, store, status, parts = [] } = context;
		const [manifest] = parts
			.flatMap(({ text = [] }) => text)
			.map((text) => JSON.parse(text) as Manifest);
		const files = parts
			.filter(({ text }) => text === undefined)
			.map(({ filename, type, size, sha256 }) => {
				if (!filename) throw invalid('A part "file" has no filename');
				return { name: filename, type, size, sha256 };
			});
		const { name, recipients, downloadable, drm = {} } = manifest.container;
		assertWindow(drm);
		const container = store.addContainer({
			userId,
			manifest,
			files,
			...(name === undefined ? { name: '' } : { name: name as string }),
			rules: {
				dynamic: false,
				...(recipients === undefined ? {} : { recipients }),
				...(downloadable === undefined ? {} : { downloadable }),
				...drm,
			},
		});
		return jsonResponse(status, containerEnvelope(container, settings));
	},

	listContainers(context: Context) {
		const { settings, store } = context;
		const entries = store.containersOf(findUser(context).id).map((container) => {
			const envelope = containerEnvelope(container, settings);
			const { container: fields } = envelope;
			const value = settings.listEntries === 'envelope' ? envelope : fields;
			return { key: container.uuid, fields, value };
		});
		return listResponse(entries, context, settings.containerList);
	},

	getContainerEnvelope(context: Context) {
		const { id } = findUser(context);
		const container = findContainer(context);
		if (container.userId !== id) throw notFound(`User ${id} has no container ${container.uuid}`);
		return jsonResponse(context.status, containerEnvelope(container, context.settings));
	},

	getContainer(context: Context) {
		const { settings, status } = context;
		const container = findContainer(context);
		const files = container.files.map(({ name, type, size }) => ({ name, type, size }));
		const record = { ...containerRecord(container, settings), files };
		const envelope = { org_id: container.userId, container: record };
		return jsonResponse(status, settings.getContainerResponse === 'envelope' ? envelope : record);
	},

	deleteContainer(context: Context) {
		const { settings, store, status } = context;
		const container = findContainer(context);
		store.containers.delete(container.uuid);
		const record = containerEnvelope(container, settings);
		return changeResponse(settings.deleteResponse, status, 'The container is deleted', record);
	},

	getDrmRules(context: Context) {
		const { rules } = findContainer(context);
		return jsonResponse(context.status, rulesRecord(rules, context.settings));
	},

	updateDrmRules(context: Context) {
		const { settings, status } = context;
		const container = findContainer(context);
		const changes = context.body as Rules;
		assertWindow(changes);
		if (container.rules.dynamic !== true) {
			throw new ServiceError(
				409,
				'rules_fixed',
				`The rules of container ${container.uuid} can't be changed: it was created with dynamic false`,
			);
		}
		const kept = settings.patchDrmKeys === 'merge' ? container.rules : { dynamic: false };
		container.rules = { ...kept, ...changes };
		container.updated = new Date().toISOString();
		const record = rulesRecord(container.rules, settings);
		return changeResponse(settings.patchDrmResponse, status, 'The rules are changed', record);
	},

	listContacts(context: Context) {
		const { settings, store } = context;
		const contacts = store.contactsOf(findUser(context).id).values();
		const entries = [...contacts].map((contact) => {
			const record = contactRecord(contact, settings);
			return { key: contact.email, fields: record, value: record };
		});
		return listResponse(entries, context, settings.contactList);
	},

	getContact(context: Context) {
		const { contact } = findContact(context);
		return jsonResponse(context.status, contactRecord(contact, context.settings));
	},

	upsertContact(context: Context) {
		const { id: userId } = findUser(context);
		const { settings, store, params, status } = context;
		const { email = params.email, ...fields } = context.body as Record<string, unknown>;
		if (email !== params.email) {
			throw invalid('The address in the body differs from the address in the path');
		}
		const existing = store.contactsOf(userId).get(params.email);
		const contact = existing ?? store.addContact({ userId, email: params.email });
		const kept = settings.patchContactKeys === 'merge' ? contact.fields : {};
		contact.fields = { ...kept, ...fields };
		if (existing !== undefined) existing.updated = new Date().toISOString();
		const record = contactRecord(contact, settings);
		const shape = settings.patchContactResponse;
		if (existing !== undefined)
			return changeResponse(shape, status, 'The contact is updated', record);
		const { createContact = status } = settings.statuses;
		return changeResponse(shape, createContact, 'The contact is created', record);
	},

	deleteContact(context: Context) {
		const { settings, status } = context;
		const { contact, contacts } = findContact(context);
		contacts.delete(contact.email);
		const record = contactRecord(contact, settings);
		return changeResponse(settings.deleteResponse, status, 'The contact is deleted', record);
	},
};

interface Manifest {
	container: Rules & { drm?: Rules };
}

export type OperationId = keyof typeof operations;

/** @returns the user in the path; @throws ServiceError 403 or 404 when the key has no access to that user */
function findUser(context: Context): SandboxUser {
	const id = context.params.user_id;
	const user = context.users.find((candidate) => candidate.id === id);
	if (user === undefined) throw notFound(`There is no user ${id}`);
	assertAccess(context, user.id, `user ${id}`);
	return user;
}

/** @returns the container in the path; @throws ServiceError 403 or 404 when the key has no access to it */
function findContainer(context: Context): StoredContainer {
	const id = context.params.container_id;
	const container = context.store.containers.get(id);
	if (container === undefined) throw notFound(`There is no container ${id}`);
	assertAccess(context, container.userId, `container ${id}`);
	return container;
}

function findContact(context: Context) {
	const contacts = context.store.contactsOf(findUser(context).id);
	const contact = contacts.get(context.params.email);
	if (contact === undefined) throw notFound(`There is no contact ${context.params.email}`);
	return { contact, contacts };
}

function assertAccess({ user, settings }: Context, ownerId: string, what: string): void {
	if (user.id === ownerId || user.role === 'administrator') return;
	throw settings.otherUsers === 'forbidden'
		? new ServiceError(403, 'forbidden', `The API key has no access to the ${what}`)
		: notFound(`There is no ${what}`);
}

/** @throws ServiceError 400 for an access window whose end is before its start, which a schema can't express */
function assertWindow({ time = {} }: Rules): void {
	const { start, end } = time as { start?: string; end?: string };
	// A timestamp counts as its day.
	if (start !== undefined && end !== undefined && end.slice(0, 10) < start.slice(0, 10)) {
		throw invalid('time.end is before time.start');
	}
}
