import type { Readable } from 'node:stream';
import { getClientIp } from '../containers/addressRanges.mts';
import { encode } from '../containers/encode.mts';
import { destroyContainer, toContainerDetails } from '../containers/vault.mts';
import { toContainerRecord, toEnvelope } from '../containers/vault.mts';
import { listContainers } from '../database/containerRows.mts';
import { invalid, malformed, notFound } from '../errors.mts';
import { getContainerId, requireContainer, requireUser } from './access.mts';
import type { HandlerOptions, Handlers } from './handlers.mts';
import { sendPage, toMoment, toPageRequest, type ListQuery } from './lists.mts';

const MAX_KEY_CHARACTERS = 255;

export function createContainerHandlers({ vault, ...options }: HandlerOptions): Handlers {
	const { database } = vault;
	const { publicUrl } = options;
	return {
		async encodeFiles(request, reply) {
			const { user, headers } = request;
			const { id: ownerId } = await requireUser(database, request);
			const contentType = headers['content-type'] ?? '';
			if (!/^multipart\/form-data\b/i.test(contentType)) {
				throw malformed('Send the manifest and the files as multipart/form-data.');
			}
			const idempotencyKey = parseKey(headers['idempotency-key']);
			const upload = { ownerId, user, ip: getClientIp(request), contentType, idempotencyKey };
			const body = request.body as Readable;
			const { response, isReplayed } = await encode(vault, { ...upload, body }, options);
			if (isReplayed) void reply.header('Idempotency-Replayed', 'true');
			return reply.code(201).send(response);
		},
		async listContainers(request, reply) {
			const { id: ownerId } = await requireUser(database, request);
			const query = request.query as ListQuery & { name?: string };
			const [createdAfter, createdBefore] = [query.created_after, query.created_before].map(
				toMoment,
			);
			const filter = { ownerId, name: query.name, createdAfter, createdBefore };
			const rows = await listContainers(database, filter, toPageRequest(query));
			return sendPage({ request, reply, publicUrl }, rows, (row) =>
				toContainerRecord(row, publicUrl),
			);
		},
		async getContainerEnvelope(request) {
			const { id } = await requireUser(database, request);
			const row = await requireContainer(database, request);
			if (row.owner_id !== id) throw notFound('container');
			return toEnvelope(row, publicUrl);
		},
		async getContainer(request) {
			return toContainerDetails(await requireContainer(database, request), publicUrl);
		},
		async deleteContainer(request, reply) {
			await requireContainer(database, request);
			const by = { user: request.user.email, ip: getClientIp(request) };
			await destroyContainer(vault, getContainerId(request), by);
			return reply.code(204).send();
		},
	};
}

/** @throws ServiceError 422 */
function parseKey(key: string | string[] | undefined): string | undefined {
	if (key === undefined) return undefined;
	if (typeof key === 'string' && key !== '' && key.length <= MAX_KEY_CHARACTERS) return key;
	throw invalid({ 'Idempotency-Key': `must have 1 to ${MAX_KEY_CHARACTERS} characters` });
}
