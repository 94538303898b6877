import { readBody, type Body } from '../../../nodes/shared/responses/body';

/** Reads and parses a body as the client does. */
export async function toBody(text: unknown): Promise<Body> {
	return await readBody(text, 64_000_000);
}
