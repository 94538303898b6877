import type { IDataObject } from 'n8n-workflow';

import type { DrmRules } from './records';
import { findDrmRules } from './records';
import type { ServiceClient } from '../client/client';

/** Where the DRM rules of a container are read and changed (service-api.md, end points 7 and 8). */
export const DRM_PATH = '/containers/{containerId}/drm';

/**
 * Reads the rules that a container has now.
 *
 * @param client sends the request
 * @param path the encoded path of its rules
 * @param containerId the container, for messages
 * @returns the documented rules; none at all is a container without rules
 * @throws NodeApiError when the answer does not show rules, since sending what is not known would drop them
 */
export async function fetchRules(
	{ client }: { client: ServiceClient },
	path: string,
	containerId: string | undefined,
): Promise<DrmRules> {
	const request = {
		method: 'GET' as const,
		path,
		action: 'get the rules of the container',
		subject: { containerId },
	};
	const answer = await client.record(request);
	const rules = isEmpty(answer) ? {} : findDrmRules(answer);
	if (rules !== undefined) return rules;
	throw client.failure(request, {
		kind: 'unexpected',
		expected: 'access rules',
		got: `an object with the fields ${Object.keys(answer).slice(0, 5).join(', ')}`,
	});
}

function isEmpty(answer: IDataObject): boolean {
	return Object.keys(answer).length === 0;
}
