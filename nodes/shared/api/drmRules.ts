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

/** The documented keys of DRM rules (docs/openapi.yaml, DrmRules). */
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
 * Fetches the current rules of a container.
 *
 * @returns no keys at all for a container without rules
 * @throws NodeApiError when the response shows no rules: to send what is not known would drop them
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
 * Finds the DRM rules in a response, bare or under a key (docs/openapi.yaml leaves the shape open).
 *
 * @returns undefined when the response shows none
 */
export function findDrmRules(value: unknown): DrmRules | undefined {
	return searchRules(value, MAX_NESTING);
}

/** Looks at an object itself before what it holds: the outermost rules are the container's own. */
function searchRules(value: unknown, levels: number): DrmRules | undefined {
	if (!isRecord(value) || levels === 0) return undefined;
	const named = ['drm', 'rules', 'drm_rules']
		.map((key) => value[key])
		.find((entry) => entry !== undefined);
	if (isRecord(named)) return pickRules(named);
	if (named === null) return {};
	if (isDrmRules(value)) return pickRules(value);
	for (const held of Object.values(value)) {
		const found = searchRules(held, levels - 1);
		if (found !== undefined) return found;
	}
	return undefined;
}

/** A status message may have a key such as `time` too, so the value must have the documented form as well. */
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
