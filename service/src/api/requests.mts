import stringify from 'safe-stable-stringify';
import type { FileRequestRow, Queries } from '../database/schema.mts';
import { closeRequest, createRequest, openRequest } from '../requests/request.mts';
import { toRequestRecord, type SentRequest } from '../requests/request.mts';
import { answerOnce, type Keep } from './answerOnce.mts';
import { forRequest, forUser, type Handlers, type UserCall } from './call.mts';
import { listPage } from './listPage.mts';

/** Requests for files: a container in reverse. */
export const requestHandlers: Handlers = {
	createRequest: forUser(async (call) => {
		const facts = ['createRequest', call.owner.id, stringify(call.request.body)!];
		const response = await answerOnce(call, facts, async (keep) => await addRequest(call, keep));
		void call.reply.code(201);
		return response;
	}),
	listRequests: forUser(async (call) => {
		const rows = await listPage(call, 'requests', { owner_id: call.owner.id });
		return rows.map((row) => toRequestRecord(row, call.publicUrl));
	}),
	getRequest: forRequest(({ vault, fileRequest, publicUrl }) => {
		openRequest(vault.keys, fileRequest);
		return toRequestRecord(fileRequest, publicUrl);
	}),
	deleteRequest: forRequest(async ({ vault, fileRequest, by, reply }) => {
		await closeRequest(vault, fileRequest.id, by);
		void reply.code(204);
	}),
};

async function addRequest(call: UserCall, keep: Keep) {
	const { vault, owner, by, publicUrl, maxUploadBytes, request } = call;
	const onCreated = async (queries: Queries, row: FileRequestRow) =>
		await keep(queries, toRequestRecord(row, publicUrl));
	const sent = request.body as SentRequest;
	const creation = { ownerId: owner.id, by, sent, maxUploadBytes, onCreated };
	return toRequestRecord(await createRequest(vault, creation), publicUrl);
}
