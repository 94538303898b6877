import { parseBody, type Body } from '../../../nodes/shared/responses/parseBody';
import { PAGE_LIMITS, readBody } from '../../../nodes/shared/responses/readBody';

/** Reads and parses a body as the client does. */
export async function toBody(text: unknown, contentType?: string): Promise<Body> {
	const received = await readBody(text, PAGE_LIMITS, contentType);
	if ('exceeded' in received) throw new Error(JSON.stringify(received.exceeded));
	return await parseBody(received, contentType);
}
