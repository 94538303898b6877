import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Vault } from '../containers/vault.mts';
import type { Check } from '../contract.mts';
import { findTrail } from '../database/events.mts';
import { findRequest } from '../database/fileRequests.mts';
import type { Filters, ListQuery } from '../database/lists.mts';
import { findContainer, findUser } from '../database/queries.mts';
import type { ContainerRow, FileRequestRow, UserRow } from '../database/schema.mts';
import { notFound } from '../errors.mts';
import type { ApiUser } from './authenticate.mts';
import type { LongPolls } from './longPolls.mts';
import type { RequestCounts } from './requestCounts.mts';

declare module 'fastify' {
	interface FastifyRequest {
		user: ApiUser;
	}
}

type Query = Pick<ListQuery, 'limit' | 'order' | 'cursor'> &
	Filters & { wait?: number; recipient?: string };
type Request = FastifyRequest<{ Params: Record<string, string>; Querystring: Query }>;

/** What all calls have in common. */
export interface ApiContext {
	vault: Vault;
	/** Writes days in the time zone of the service. */
	calendar: Intl.DateTimeFormat;
	publicUrl: string;
	isOfficeShown: boolean;
	/** Of one upload. */
	maxUploadBytes: number;
	checkManifest: Check;
	longPolls: LongPolls;
	requestCounts: RequestCounts;
}

export interface Call extends ApiContext {
	request: Request;
	reply: FastifyReply;
	by: { user: string; ip: string };
}

/** The ID of a user whose events a path names, and the API key reaches. */
export type TrailCall = Call & { ownerId: string };

/** What a path names, and the API key reaches. */
export type UserCall = Call & { owner: UserRow };
export type ContainerCall = Call & { container: ContainerRow };
export type RequestCall = Call & { fileRequest: FileRequestRow };

export interface Handler {
	/** The path of its operation has this parameter. */
	target?: 'user_id' | 'container_id' | 'request_id';
	handle: (call: Call) => unknown;
}

/** By the `operationId` of the contract. */
export type Handlers = Record<string, Handler>;

export const forNobody = (handle: (call: Call) => unknown): Handler => ({ handle });

export const forUser = (handle: (call: UserCall) => unknown): Handler => ({
	target: 'user_id',
	handle: async (call) => await handle({ ...call, owner: await findOwner(call) }),
});

export const forTrail = (handle: (call: TrailCall) => unknown): Handler => ({
	target: 'user_id',
	handle: async (call) => await handle({ ...call, ownerId: await findTrailOwner(call) }),
});

export const forContainer = (handle: (call: ContainerCall) => unknown): Handler => ({
	target: 'container_id',
	handle: async (call) => await handle({ ...call, container: await findReachedContainer(call) }),
});

export const forRequest = (handle: (call: RequestCall) => unknown): Handler => ({
	target: 'request_id',
	handle: async (call) => await handle({ ...call, fileRequest: await findReachedRequest(call) }),
});

const reaches = ({ user }: Request, ownerId: string) =>
	ownerId === user.id || user.role === 'admin';

/** @throws ServiceError 404, also for somebody else */
async function findOwner({ vault, request }: Call): Promise<UserRow> {
	const { user_id } = request.params;
	const owner = reaches(request, user_id)
		? await findUser(vault.database, 'id', user_id)
		: undefined;
	if (owner === undefined) throw notFound('user');
	return owner;
}

/** The events of a user who was erased stay, for admins. @throws ServiceError 404, also for somebody else */
export async function findTrailOwner(call: Call): Promise<string> {
	const { vault, request } = call;
	const { user_id } = request.params;
	if (user_id === request.user.id) return user_id;
	const isThere = reaches(request, user_id) && (await findTrail(vault.database, user_id));
	return isThere ? user_id : (await findOwner(call)).id;
}

/** @throws ServiceError 404, also for what belongs to somebody else */
async function findReachedContainer({ vault, request }: Call): Promise<ContainerRow> {
	const container = await findContainer(vault.database, request.params.container_id);
	if (container === undefined || !reaches(request, container.owner_id)) throw notFound('container');
	return container;
}

/** @throws ServiceError 404, also for what belongs to somebody else */
async function findReachedRequest({ vault, request }: Call): Promise<FileRequestRow> {
	const row = await findRequest(vault.database, request.params.request_id);
	if (row === undefined || !reaches(request, row.owner_id)) throw notFound('request');
	return row;
}
