import type { IDataObject } from 'n8n-workflow';

import type { ServiceClient } from '../client/client';
import { buildPath } from '../client/path';
import { isRecord } from '../responses/shapes';

const RULE_CHECKS: Record<string, (value: unknown) => boolean> = {
	dynamic: (value) => typeof value === 'boolean',
	geo: isRecord,
	ip: isRecord,
	opens: (value) => typeof value === 'number',
	time: isRecord,
	downloadable: (value) => typeof value === 'boolean',
	recipients: Array.isArray,
};
const MAX_NESTING = 3;

export const RULE_KEYS = Object.keys(RULE_CHECKS);

/** The DRM rules of a container: the documented keys only (docs/openapi.yaml, DrmRules). */
export interface DrmRules extends IDataObject {
	dynamic?: boolean;
	geo?: IDataObject;
	ip?: IDataObject;
	opens?: number;
	time?: { start?: string; end?: string };
	downloadable?: boolean;
	recipients?: string[];
}

/**
 * Fetches the current rules of a container; without keys for a container without rules.
 *
 * @throws NodeApiError when the response contains no rules: an update based on it would delete them
 */
export async function fetchRules(client: ServiceClient, containerId: string): Promise<DrmRules> {
	const request = {
		method: 'GET' as const,
		path: buildPath(['containers', containerId, 'drm']),
		action: 'get the rules of the container',
		subject: { containerId },
	};
	const response = await client.requestObject(request);
	const keys = Object.keys(response);
	const rules = keys.length === 0 ? {} : findDrmRules(response);
	if (rules !== undefined) return rules;
	throw client.createError(request, {
		kind: 'unexpected',
		expected: 'access rules',
		received: `an object with the fields ${keys.slice(0, 5).join(', ')}`,
	});
}

/**
 * Finds the DRM rules in a response, bare or under a key (open in docs/openapi.yaml, DrmRulesResponse). The outermost
 * rules are those of the container.
 */
export function findDrmRules(value: unknown, levels = MAX_NESTING): DrmRules | undefined {
	if (!isRecord(value) || levels === 0) return undefined;
	const named = ['drm', 'rules', 'drm_rules']
		.map((key) => value[key])
		.find((entry) => entry !== undefined);
	if (isRecord(named)) return pickRules(named);
	if (named === null) return {};
	if (isDrmRules(value)) return pickRules(value);
	for (const held of Object.values(value)) {
		const found = findDrmRules(held, levels - 1);
		if (found !== undefined) return found;
	}
	return undefined;
}

/** A status message can have a key such as `time` too, so the values must have the documented types. */
function isDrmRules(value: IDataObject): boolean {
	const keys = RULE_KEYS.filter((key) => key in value);
	return (
		keys.length > 0 && keys.every((key) => value[key] === null || RULE_CHECKS[key](value[key]))
	);
}

function pickRules(record: IDataObject): DrmRules {
	const entries = RULE_KEYS.map((key) => [key, record[key]]);
	return Object.fromEntries(
		entries.filter(([, value]) => value !== undefined && value !== null),
	) as DrmRules;
}
