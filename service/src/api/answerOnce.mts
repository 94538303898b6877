import type { IncomingHttpHeaders } from 'node:http';
import {
	findEarlierResponse,
	holdKey,
	toKeyedRequest,
	type KeyedRequest,
} from '../containers/idempotency.mts';
import { invalid } from '../errors.mts';
import type { Call } from './call.mts';

const MAX_KEY_CHARACTERS = 255;

/** @throws ServiceError 422 */
export function readIdempotencyKey(headers: IncomingHttpHeaders): string | undefined {
	const key = headers['idempotency-key'] as string | undefined;
	if (key === '' || (key ?? '').length > MAX_KEY_CHARACTERS) {
		throw invalid({ 'Idempotency-Key': `must have 1 to ${MAX_KEY_CHARACTERS} characters` });
	}
	return key;
}

/**
 * Runs a request once for each idempotency key: one that is known is answered with its first response.
 * @param facts what the requests with the same key must have in common
 */
export async function answerOnce<Response extends object>(
	{ vault, request, reply }: Call,
	facts: string[],
	run: (keyed?: KeyedRequest) => Promise<Response>,
): Promise<Response> {
	const key = readIdempotencyKey(request.headers);
	if (key === undefined) return await run();
	const keyed = toKeyedRequest(request.user.id, key, facts);
	const earlier = await findEarlierResponse(vault, keyed);
	if (earlier === undefined) return await holdKey(vault, keyed, async () => await run(keyed));
	void reply.header('Idempotency-Replayed', 'true');
	return earlier as Response;
}
