import type { IDataObject } from 'n8n-workflow';

import type { ServiceClient, ServiceRequest } from '../client/client';
import { buildPath } from '../client/path';
import type { RequestFailure } from '../errors/failure';
import { isFilled, isRecord } from '../responses/shapes';
import { checkContainerId, getContainerIdentity, getContainerIdOfRules } from './records';
import { isSameRule, parseRule, RULE_KEYS } from './ruleValues';

const RULES_NAMES = ['drm', 'rules', 'drm_rules'];
/** These can stand beside the others, as they do in the manifest. */
const MANIFEST_KEYS = ['dynamic', 'downloadable', 'recipients'];
/** Of these, a rule that is an object has at least one. */
const PARTS = ['allow', 'block', 'start', 'end'];
const MAX_NESTING = 3;

/**
 * The DRM rules of a container: the documented keys only (docs/openapi.yaml, DrmRules). From a response, each value is as
 * it came: only a rule that `parseRules` understood has the documented form for certain.
 */
export interface DrmRules extends IDataObject {
	time?: { start?: string; end?: string };
	recipients?: string[];
}

/** @param needs the rules that must be understood, if any @throws NodeApiError also where the response names another container */
export async function requestRules(client: ServiceClient, containerId: string, needs?: string[]) {
	const request = createRequest(containerId, 'rules', ['drm']);
	return await client.requestObject(request, (response) => {
		const failure = checkContainerId(containerId, getContainerIdOfRules(response));
		return failure ?? (needs && checkRules(response, needs));
	});
}

function createRequest(containerId: string, what: string, segments: string[] = []): ServiceRequest {
	return {
		method: 'GET',
		path: buildPath(['containers', containerId, ...segments]),
		action: `get the ${what} of the container`,
		subject: { containerId },
	};
}

/** The rules of a container to show or to compare, in the documented form where understood. @throws NodeApiError */
export async function fetchRules(client: ServiceClient, containerId: string): Promise<DrmRules> {
	const { rules } = await fetchShownRules(client, containerId);
	const readable = Object.entries(rules).map(([key, held]) => [key, readRule(key, held)]);
	return Object.fromEntries(readable) as DrmRules;
}

/**
 * Fetches the current rules of a container as they came, to send them back, with what stands beside them.
 *
 * @param needs the rules that must be understood, and are returned in the documented form
 * @param wanted with recipients, those of the container itself count where its rules show none
 * @throws NodeApiError when the response shows none, or a needed one can't be understood: a change would be wrong
 */
export async function fetchShownRules(
	client: ServiceClient,
	containerId: string,
	needs: string[] = [],
	wanted = needs,
): Promise<ShownRules> {
	const found = findRules(await requestRules(client, containerId, needs));
	const shown = { rules: {}, record: {}, own: {}, doubts: {}, ...found };
	const rules: DrmRules = { ...shown.rules, ...parseRules(shown, needs).rules };
	const isMissing = wanted.includes('recipients') && !isFilled(rules.recipients);
	const isNobody = rules.recipients !== undefined && needs.includes('recipients');
	if (isMissing) Object.assign(rules, await fetchRecipients(client, containerId, isNobody));
	// Nobody knows what an empty list means: it is not sent back.
	if (Array.isArray(rules.recipients) && !isFilled(rules.recipients)) delete rules.recipients;
	return { ...shown, rules };
}

/** The recipients in the record of a container, where the manifest has them. `isNobody`: its rules show an empty list. */
async function fetchRecipients(
	client: ServiceClient,
	containerId: string,
	isNobody: boolean,
): Promise<DrmRules> {
	// Named as rules, because recipients that are a number must not count as none.
	const parse = (record: IDataObject) =>
		parseRules(findRules({ drm: record.container ?? record }), ['recipients']);
	const record = await client.requestObject(createRequest(containerId, 'recipients'), (found) => {
		const { rules, problem } = parse(found);
		const isOther = isNobody && isFilled(rules.recipients);
		const received = isOther ? 'two different "recipients"' : problem;
		if (received !== undefined) return { kind: 'unexpected', expected: 'recipients', received };
		return checkContainerId(containerId, getContainerIdentity(found).id);
	});
	return parse(record).rules;
}

/** Without keys, a response shows a container without rules. */
function checkRules(response: IDataObject, needs: string[]): RequestFailure | undefined {
	const keys = Object.keys(response);
	if (keys.length === 0) return undefined;
	const found = findRules(response);
	const fields = `an object with the fields ${keys.slice(0, 5).join(', ')}`;
	const received = found.rules ? parseRules(found, needs).problem : (found.problem ?? fields);
	return received ? { kind: 'unexpected', expected: 'access rules', received } : undefined;
}

export interface ShownRules {
	rules: DrmRules;
	/** All fields of the object that holds the rules, and of the response around it. */
	record: IDataObject;
	/** All fields of an object that stands under a name for rules. */
	own: IDataObject;
	/** Why a rule is not certain, by its key. */
	doubts: Record<string, string>;
}

/** Some of the rules in the documented form, and why one of them can't be understood. */
export function parseRules({ rules = {}, doubts = {} }: Partial<ShownRules>, keys: string[]) {
	const held = keys.filter((key) => key in rules);
	const parsed = held.map((key) => [key, parseRule(key, rules[key])] as const);
	const unclear = parsed.find(([key, value]) => value === undefined || key in doubts)?.[0];
	const describe = (key: string) => `"${key}" with the value ${JSON.stringify(rules[key])}`;
	const problem = unclear && (doubts[unclear] ?? describe(unclear));
	return { rules: Object.fromEntries(parsed) as DrmRules, problem };
}

/** An object in a response that may hold rules, and the objects around it. */
interface Place {
	record: IDataObject;
	ruleKeys: string[];
	around: IDataObject[];
	/** Whether it stands under a name such as `drm`: whatever it holds, it is meant as rules. */
	isNamed: boolean;
}

/**
 * Finds the DRM rules in a response, bare or under a key (docs/openapi.yaml leaves the shape open): those nearest to the
 * top. Recipients and the like may stand around them or in the container, as they do in the manifest. Other objects can
 * have fields with familiar names, which mean something else. Also says why rules can't be understood.
 */
export function findRules(response: unknown) {
	if (!isRecord(response)) return {};
	const places = listPlaces(response).sort((a, b) => a.around.length - b.around.length);
	const named = places.filter(({ isNamed }) => isNamed);
	const unknown = named.flatMap(({ record }) =>
		Object.keys(record).filter((key) => !isRecord(record[key]) && record[key] !== null),
	);
	const known = named.find(({ ruleKeys }) => ruleKeys.length > 0);
	if (known === undefined && unknown.length > 0) {
		return { problem: `access rules with the fields ${unknown.slice(0, 5).join(', ')}` };
	}
	const place = known ?? places.find(holdsRules) ?? named.at(0);
	if (place === undefined) return {};
	const rules: DrmRules = {};
	const doubts: Record<string, string> = {};
	const around = [...place.around, response.container].filter(isRecord);
	for (const key of RULE_KEYS) {
		const holders = MANIFEST_KEYS.includes(key) ? [place.record, ...around] : [place.record];
		const held = holders.map((holder) => holder[key] ?? null);
		const [value, ...others] = held.filter((one) => one !== null);
		if (value === undefined) continue;
		rules[key] = value;
		const isSame = (other: unknown) => isSameRule(readRule(key, value), readRule(key, other));
		if (!others.every(isSame)) doubts[key] = `two different "${key}"`;
	}
	const own = place.isNamed ? place.record : {};
	return { rules, record: { ...response, ...place.record }, own, doubts };
}

function listPlaces(record: IDataObject, around: IDataObject[] = [], isNamed = false): Place[] {
	const below = Object.entries(record).flatMap(([key, held]): Place[] => {
		if (RULE_KEYS.includes(key) || around.length >= MAX_NESTING) return [];
		const isName = RULES_NAMES.includes(key);
		const isEmpty = held === null || (Array.isArray(held) && held.length === 0);
		const inner = isName && isEmpty ? {} : held;
		return isRecord(inner) ? listPlaces(inner, [record, ...around], isNamed || isName) : [];
	});
	const ruleKeys = RULE_KEYS.filter((key) => Object.hasOwn(record, key));
	return [{ record, ruleKeys, around, isNamed }, ...below];
}

/** Whether an object without a name for rules holds some: a record about a request has an `ip`, a `geo` or a `time` too. */
function holdsRules({ record, ruleKeys }: Place): boolean {
	const isUnmistakable = (key: string) => {
		const rule = parseRule(key, record[key]);
		return isRecord(rule) ? PARTS.some((part) => part in rule) : rule !== undefined;
	};
	return ruleKeys.length > 2 || ruleKeys.some(isUnmistakable);
}

function readRule(key: string, value: unknown): unknown {
	return parseRule(key, value) ?? value;
}
