import type { IDataObject } from 'n8n-workflow';

import type { ServiceClient, ServiceRequest } from '../client/client';
import { buildPath } from '../client/path';
import type { RequestFailure } from '../errors/failure';
import { isRecord } from '../responses/shapes';
import { isSameRule, parseRule, RULE_KEYS } from './ruleValues';

/** Keys under which services return rules. */
const RULES_NAMES = ['drm', 'rules', 'drm_rules'];
/** Rules that stand beside the others in the manifest; of the rest, such as `opens`, a record may mean something else. */
const MANIFEST_KEYS = ['dynamic', 'downloadable', 'recipients'];
const MAX_NESTING = 3;

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

export function getRulesRequest(containerId: string): ServiceRequest {
	return {
		method: 'GET',
		path: buildPath(['containers', containerId, 'drm']),
		action: 'get the rules of the container',
		subject: { containerId },
	};
}

/**
 * Fetches the current rules of a container; without keys for a container without rules.
 *
 * @param mayBeMissing whether the caller goes on without the container if it was not found
 * @throws NodeApiError when the response doesn't show for certain what they are: an update based on it would delete some
 */
export async function fetchRules(
	client: ServiceClient,
	containerId: string,
	mayBeMissing = false,
): Promise<DrmRules> {
	const request = { ...getRulesRequest(containerId), mayBeMissing };
	const response = await client.requestObject(request, checkRules);
	return findRules(response).rules ?? {};
}

/** Without keys, a response shows a container without rules. */
function checkRules(response: IDataObject): RequestFailure | undefined {
	const { rules, problem } = findRules(response);
	const keys = Object.keys(response);
	if (rules !== undefined || keys.length === 0) return undefined;
	return {
		kind: 'unexpected',
		expected: 'access rules',
		received: problem ?? `an object with the fields ${keys.slice(0, 5).join(', ')}`,
	};
}

/** What a response shows of the rules: the rules, why they are not certain, or nothing about them. */
export type FoundRules =
	{ rules: DrmRules; problem?: undefined } | { rules?: undefined; problem?: string };

/** An object that may hold rules. */
interface Place {
	/** Whether it stands under a name of its own, such as `drm`: whatever it holds, it is meant as rules. */
	isNamed: boolean;
	rules: IDataObject;
	/** What it holds instead of rules, by key. */
	unreadable: Map<string, string>;
}

/**
 * Finds the DRM rules in a response, bare or under a key (docs/openapi.yaml leaves the shape open), with their values
 * in the documented types.
 *
 * Recipients and the like may stand beside the object with the rules, as they do in the manifest. Whatever could be a
 * rule counts, so that no rule gets lost when all are sent back: it is used where it is certain.
 */
export function findRules(response: unknown): FoundRules {
	if (!isRecord(response)) return {};
	const places = listPlaces(response, MAX_NESTING, false);
	const named = places.filter(({ isNamed }) => isNamed);
	const beside = places.filter(({ isNamed }) => !isNamed);
	const rules: IDataObject = {};
	const problems: string[] = [];
	for (const place of [...named, ...beside]) {
		for (const [key, value] of Object.entries(place.rules)) {
			const isRule = place.isNamed || named.length === 0 || MANIFEST_KEYS.includes(key);
			if (key in rules) {
				if (!isSameRule(rules[key], value)) problems.push(`two different "${key}"`);
			} else if (isRule) rules[key] = value;
			else problems.push(`"${key}" beside the access rules`);
		}
	}
	for (const { isNamed, unreadable, rules: readable } of places) {
		const isMeant = isNamed || (named.length === 0 && Object.keys(readable).length > 0);
		for (const [key, problem] of unreadable) {
			if (isMeant || (key.toLowerCase() === 'recipients' && rules.recipients === undefined)) {
				problems.push(problem);
			}
		}
	}
	if (problems.length > 0) return { problem: problems[0] };
	return Object.keys(rules).length > 0 || named.length > 0 ? { rules } : {};
}

function listPlaces(record: IDataObject, levels: number, isNamed: boolean): Place[] {
	const below = Object.entries(record).flatMap(([key, held]): Place[] => {
		if (RULE_KEYS.includes(key)) return [];
		if (!RULES_NAMES.includes(key)) {
			return isRecord(held) && levels > 1 ? listPlaces(held, levels - 1, false) : [];
		}
		if (isRecord(held)) return listPlaces(held, levels - 1, true);
		if (held !== null && !Array.isArray(held)) return [];
		const isEmpty = held === null || held.length === 0;
		const unreadable = new Map(isEmpty ? [] : [[key, `a list of "${key}"`]]);
		return [{ isNamed: true, rules: {}, unreadable }];
	});
	const isWrapper = below.some(({ rules }) => Object.keys(rules).length > 0);
	const place = parsePlace(record, isNamed && !isWrapper);
	return isNamed && isWrapper && place.unreadable.size + Object.keys(place.rules).length === 0
		? below
		: [{ ...place, isNamed }, ...below];
}

function parsePlace(record: IDataObject, mustHoldRules: boolean): Omit<Place, 'isNamed'> {
	const rules: IDataObject = {};
	const unreadable = new Map<string, string>();
	const keys = Object.keys(record);
	const isLone = !mustHoldRules && keys.filter((key) => RULE_KEYS.includes(key)).length === 1;
	for (const key of keys) {
		const value = record[key];
		if (!RULE_KEYS.includes(key)) {
			if (RULE_KEYS.includes(key.toLowerCase())) unreadable.set(key, `a field "${key}"`);
		} else if (value !== null && value !== undefined) {
			const rule = parseRule(key, value);
			if (rule === undefined)
				unreadable.set(key, `"${key}" with the value ${JSON.stringify(value)}`);
			else if (!isLone || isUnmistakable(rule)) rules[key] = rule as IDataObject;
		}
	}
	if (mustHoldRules && keys.length > 0 && !keys.some((key) => RULE_KEYS.includes(key))) {
		unreadable.set('', `access rules with the fields ${keys.slice(0, 5).join(', ')}`);
	}
	return { rules, unreadable };
}

/** A record about a request may have an `ip` or a `geo` too. */
function isUnmistakable(rule: unknown): boolean {
	return !isRecord(rule) || ['allow', 'block', 'start', 'end'].some((key) => key in rule);
}
