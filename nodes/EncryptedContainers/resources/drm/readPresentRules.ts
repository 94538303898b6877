import type { IDataObject } from 'n8n-workflow';

import type { Rules } from '../../../shared/answers/records';
import { findRules } from '../../../shared/answers/records';
import type { Call } from '../../../shared/run/operation';

/**
 * Reads the rules that a container has now.
 *
 * @param call the item's means of sending
 * @param path the encoded path of its rules
 * @param containerId the container, for messages
 * @returns the documented rules; none at all is a container without rules
 * @throws NodeApiError when the answer does not show rules, since sending what is not known would drop them
 */
export async function readPresentRules(
	call: Call,
	path: string,
	containerId: string | undefined,
): Promise<Rules> {
	const request = {
		method: 'GET' as const,
		path,
		action: 'get the rules of the container',
		subject: { containerId },
	};
	const answer = await call.client.record(request);
	const rules = isEmpty(answer) ? {} : findRules(answer);
	if (rules !== undefined) return rules;
	throw call.client.failure(request, {
		kind: 'unexpected',
		expected: 'DRM rules',
		got: `an object with ${Object.keys(answer).slice(0, 5).join(', ')}`,
	});
}

function isEmpty(answer: IDataObject): boolean {
	return Object.keys(answer).length === 0;
}
