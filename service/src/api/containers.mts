import { Readable } from 'node:stream';
import stringify from 'safe-stable-stringify';
import { encode } from '../containers/encode.mts';
import { keepResponse, type KeyedRequest } from '../containers/idempotency.mts';
import { openSeal } from '../containers/seal.mts';
import {
	changeRules,
	destroyContainer,
	renewSeal,
	toContainerDetails,
	toEnvelope,
} from '../containers/vault.mts';
import { findEvent } from '../database/events.mts';
import { listRows } from '../database/lists.mts';
import { findContainer } from '../database/queries.mts';
import type { EventRow, Queries } from '../database/schema.mts';
import { malformed, notFound, ServiceError } from '../errors.mts';
import { answerOnce, readIdempotencyKey } from './answerOnce.mts';
import { authenticate } from './authenticate.mts';
import { forContainer, forTrail, forUser } from './call.mts';
import type { ContainerCall, Handlers, UserCall } from './call.mts';
import { decodeFile } from './decode.mts';
import { listContainers } from './listContainers.mts';
import { listPage } from './listPage.mts';
import { readEvents } from './readEvents.mts';

const toETag = (revision: number) => `"${revision}"`;

export const containerHandlers: Handlers = {
	encodeFiles: forUser(encodeFiles),
	listContainers: forUser(listContainers),
	getContainerEnvelope: forUser(async ({ vault, owner, request, publicUrl, isOfficeShown }) => {
		const row = await findContainer(vault.database, request.params.container_id);
		if (row?.owner_id !== owner.id) throw notFound('container');
		return toEnvelope(row, { publicUrl, isOfficeShown });
	}),
	getContainer: forContainer(({ container, publicUrl, isOfficeShown }) =>
		toContainerDetails(container, { publicUrl, isOfficeShown }),
	),
	deleteContainer: forContainer(async ({ vault, container, by, reply }) => {
		await destroyContainer(vault, container.id, by);
		void reply.code(204);
	}),
	getDrmRules: forContainer(({ vault, container, reply }) => {
		void reply.header('ETag', toETag(container.revision));
		return openSeal(vault.keys, container).rules;
	}),
	updateDrmRules: forContainer(updateDrmRules),
	decodeFile: forContainer(decodeFile),
	listEvents: forTrail(async (call) => (await readEvents(call)).map(toEvent)),
	listContainerEvents: forUser(listContainerEvents),
	getEvent: forTrail(async ({ vault, ownerId, request }) => {
		const { event_id: id } = request.params;
		const isId = /^\d{1,15}$/.test(id);
		const event = isId ? await findEvent(vault.database, ownerId, Number(id)) : undefined;
		if (event === undefined) throw notFound('event');
		return toEvent(event);
	}),
};

async function encodeFiles(call: UserCall) {
	const { vault, owner, by, request, reply } = call;
	const { checkManifest, maxUploadBytes, publicUrl, isOfficeShown } = call;
	const { user, body, headers } = request;
	if (!(body instanceof Readable)) {
		throw malformed('Send the manifest and the files as multipart/form-data.');
	}
	const idempotencyKey = readIdempotencyKey(headers);
	const contentType = headers['content-type']!;
	const confirm = async (queries: Queries) => await authenticate(queries, headers.authorization);
	const sender = { ownerId: owner.id, user, ip: by.ip, confirm };
	const sent = { ...sender, body, contentType, idempotencyKey };
	const options = { checkManifest, maxUploadBytes, publicUrl, isOfficeShown };
	const { response, isReplayed } = await encode(vault, sent, options);
	if (isReplayed) void reply.header('Idempotency-Replayed', 'true');
	void reply.code(201);
	return response;
}

async function updateDrmRules(call: ContainerCall) {
	const { vault, container, request, reply } = call;
	const facts = ['updateDrmRules', container.id, stringify(request.body) ?? ''];
	const change = async (keyed?: KeyedRequest) => await changeByRequest(call, keyed);
	// A key that is known is answered before the version is compared.
	const { rules, revision } = await answerOnce(call, facts, change);
	// It can read for minutes, and a change of access must not wait for it.
	renewSeal(vault, container.id).catch((error: Error) =>
		request.log.error(error, "A seal couldn't be renewed"),
	);
	void reply.header('ETag', toETag(revision));
	return rules;
}

async function changeByRequest(call: ContainerCall, keyed?: KeyedRequest) {
	const { vault, container, calendar, by, request } = call;
	const expected = request.headers['if-match']?.split(',').map((tag) => tag.trim());
	const change = (_before: unknown, current: number) => {
		const isExpected = ['*', toETag(current)].some((tag) => !expected || expected.includes(tag));
		if (isExpected) return request.body as object;
		throw new ServiceError(412, 'changed', 'The rules have changed meanwhile.');
	};
	const keep = async (queries: Queries, response: object) => {
		if (keyed) await keepResponse(queries, vault.keys.current(), keyed, { response });
	};
	const actor = { ...by, today: calendar.format(new Date()), onChanged: keep };
	return await changeRules(vault, container.id, actor, change);
}

async function listContainerEvents(call: UserCall) {
	const { database } = call.vault;
	const { container_id } = call.request.params;
	const ofContainer = { container_id };
	// The events of a container stay when it is deleted. The last one is in the trail of the last owner.
	const newest = { limit: 1, order: 'desc' } as const;
	const [event] = await listRows(database, 'events', ofContainer, newest);
	const { owner_id } = (await findContainer(database, container_id)) ?? event ?? {};
	if (owner_id !== call.owner.id) throw notFound('container');
	return (await listPage(call, 'events', ofContainer)).map(toEvent);
}

function toEvent({ seq, created_date, action, container_id, container_name, ...row }: EventRow) {
	const { request_id, user, hash, mac } = row;
	const detail = JSON.parse(row.detail) as object;
	const about = { created_date, action, container_id, container_name, request_id };
	return { id: String(seq), ...about, user, detail, hash, mac };
}
