import type { IncomingHttpHeaders } from 'node:http';
import {
	findEarlierResponse,
	holdKey,
	keepResponse,
	toKeyedRequest,
} from '../containers/idempotency.mts';
import type { Queries } from '../database/schema.mts';
import { invalid } from '../errors.mts';
import type { Call } from './call.mts';

const MAX_KEY_CHARACTERS = 255;

/** @throws ServiceError 422 */
function readIdempotencyKey(headers: IncomingHttpHeaders): string | undefined {
	const key = headers['idempotency-key'] as string | undefined;
	if (key === '' || (key ?? '').length > MAX_KEY_CHARACTERS) {
		throw invalid({ 'Idempotency-Key': `must have 1 to ${MAX_KEY_CHARACTERS} characters` });
	}
	return key;
}

/**
 * Keeps the response for whoever comes with the same idempotency key. To be called in the transaction that it speaks of.
 * @param hashes of the files that came with the request
 */
export type Keep = (queries: Queries, response: object, hashes?: string[]) => Promise<void>;

const keepNothing: Keep = async () => undefined;

/**
 * Runs a request once for each idempotency key: one that is known is answered with its first response.
 * @param facts what the requests with the same key must have in common
 * @param hashFiles reads the files of a request whose key is known: they must be the same
 */
export async function answerOnce<Response extends object>(
	{ vault, request, reply }: Call,
	facts: string[],
	run: (keep: Keep) => Promise<Response>,
	hashFiles?: () => Promise<string[]>,
): Promise<Response> {
	const key = readIdempotencyKey(request.headers);
	if (key === undefined) return await run(keepNothing);
	const keyed = toKeyedRequest(request.user.id, key, facts);
	const earlier = await findEarlierResponse(vault, keyed, hashFiles);
	if (earlier !== undefined) {
		void reply.header('Idempotency-Replayed', 'true');
		return earlier as Response;
	}
	const keep: Keep = async (queries, response, hashes) =>
		await keepResponse(queries, vault.keys.current(), keyed, { response, hashes });
	return await holdKey(vault, keyed, async () => await run(keep));
}
