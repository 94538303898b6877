import type { Readable } from 'node:stream';
import {
	toContainerDetails,
	toContainerRecord,
	toEnvelope,
} from '../containers/containerRecord.mts';
import { destroyContainer } from '../containers/destroy.mts';
import { encode } from '../containers/encode.mts';
import { listContainers } from '../database/containerRows.mts';
import { invalid, malformed, notFound } from '../errors.mts';
import { requireContainer, requireUser } from './access.mts';
import { toMoment, toPage, toPageRequest, type ListQuery } from './lists.mts';
import type { HandlerOptions, Handlers } from './handlers.mts';

interface UserPath {
	user_id: string;
	container_id: string;
}

interface ContainerQuery extends ListQuery {
	name?: string;
	created_after?: string;
	created_before?: string;
}

const MAX_KEY_CHARACTERS = 255;

export function createContainerHandlers({
	vault,
	publicUrl,
	encodeOptions,
}: HandlerOptions): Handlers {
	const { database } = vault;
	return {
		async encodeFiles(request, reply) {
			const { user, headers, ip } = request;
			const owner = await requireUser(database, user, (request.params as UserPath).user_id);
			const contentType = headers['content-type'] ?? '';
			if (!/^multipart\/form-data\b/i.test(contentType)) {
				throw malformed('Send the manifest and the files as multipart/form-data.');
			}
			const { response, isReplayed } = await encode(
				vault,
				{
					...{ ownerId: owner.id, user, ip, contentType, body: request.body as Readable },
					idempotencyKey: parseKey(headers['idempotency-key']),
				},
				encodeOptions,
			);
			if (isReplayed) void reply.header('Idempotency-Replayed', 'true');
			return reply.code(201).send(response);
		},
		async listContainers(request, reply) {
			const { id } = await requireUser(
				database,
				request.user,
				(request.params as UserPath).user_id,
			);
			const query = request.query as ContainerQuery;
			const filter = {
				name: query.name,
				createdAfter: toMoment(query.created_after),
				createdBefore: toMoment(query.created_before),
			};
			const rows = await listContainers(database, id, filter, toPageRequest(query));
			return toPage({ request, reply, publicUrl }, rows).map((row) =>
				toContainerRecord(row, publicUrl),
			);
		},
		async getContainerEnvelope({ user, params }) {
			const { user_id, container_id } = params as UserPath;
			const { id } = await requireUser(database, user, user_id);
			const row = await requireContainer(database, user, container_id);
			if (row.owner_id !== id) throw notFound('container');
			return toEnvelope(row, publicUrl);
		},
		async getContainer({ user, params }) {
			const row = await requireContainer(database, user, (params as UserPath).container_id);
			return toContainerDetails(row, publicUrl);
		},
		async deleteContainer({ user, params, ip }, reply) {
			const { id } = await requireContainer(database, user, (params as UserPath).container_id);
			if (!(await destroyContainer(vault, id, { user: user.email, ip })))
				throw notFound('container');
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
