import type { IDataObject } from 'n8n-workflow';

/** The names under which services hold a list (interface.md of the service leaves the shape open). */
const LIST_KEYS = ['containers', 'contacts', 'data', 'items', 'results'];
const RULE_CHECKS: Record<string, (value: unknown) => boolean> = {
	dynamic: (value) => typeof value === 'boolean',
	geo: isRecord,
	ip: isRecord,
	opens: (value) => typeof value === 'number',
	time: isRecord,
	downloadable: (value) => typeof value === 'boolean',
	recipients: Array.isArray,
};

/** The documented keys of DRM rules (service-api.md, DRM rules). */
export const RULE_KEYS = Object.keys(RULE_CHECKS);

const EMAIL_KEYS = ['email', 'email_address', 'emailAddress', 'mail', 'address'];

/** The DRM rules of a container, the seven documented keys only (service-api.md, DRM rules). */
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
 * Whether a value is a JSON object, neither list nor null.
 *
 * @param value any JSON value
 */
export function isRecord(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Finds the list in the answer of a list end point, whatever its shape (service-api.md leaves it open).
 *
 * @param value the parsed body: a list, or an object that holds one, also one level further down; null is an empty list
 * @returns the entries, or undefined when there is no list in it
 */
export function findList(value: unknown): unknown[] | undefined {
	if (Array.isArray(value)) return value as unknown[];
	// How some languages write a list that has nothing in it.
	if (value === null) return [];
	if (!isRecord(value)) return undefined;
	const held = LIST_KEYS.filter((key) => Object.prototype.hasOwnProperty.call(value, key)).map(
		(key) => value[key] as unknown,
	);
	const direct = held.find((entry): entry is unknown[] => Array.isArray(entry));
	if (direct !== undefined) return direct;
	for (const entry of held) {
		const nested = isRecord(entry) ? findList(entry) : undefined;
		if (nested !== undefined) return nested;
	}
	return held.includes(null) && !reportsError(value) ? [] : undefined;
}

/** Some services answer a failure as a success without data. */
function reportsError(value: IDataObject): boolean {
	return ['error', 'errors'].some((key) => value[key] !== undefined && value[key] !== null);
}

/**
 * Makes one JSON object of a list entry.
 *
 * @param entry an entry as answered: a record, or a bare identifier or address
 * @param nameOfBare the key for a bare text or number: `uuid` for containers, `email` for contacts
 * @returns the record, or undefined for an entry that holds nothing (null)
 */
export function toRecord(entry: unknown, nameOfBare: string): IDataObject | undefined {
	if (entry === null || entry === undefined) return undefined;
	if (isRecord(entry)) return entry;
	if (typeof entry === 'string') return { [nameOfBare]: entry };
	return typeof entry === 'number'
		? { [nameOfBare]: String(entry) }
		: { value: entry as IDataObject[] };
}

/**
 * Reads identifier and name of a container from an envelope or a plain record.
 *
 * @param record an entry of the container list, or the answer of encode
 * @returns both as text; undefined where the record has none
 */
export function getContainerIdentity(record: IDataObject): { id?: string; name?: string } {
	const container = isRecord(record.container) ? record.container : record;
	return {
		id: toText(container.uuid) ?? toText(container.id) ?? toText(container.container_id),
		name: toText(container.name),
	};
}

/**
 * Reads the address of a contact.
 *
 * @param record an entry of the contact list, plain or held under `contact`
 * @returns the e-mail address, or undefined where the record has none
 */
export function getContactEmail(record: IDataObject): string | undefined {
	const contact = unwrapContact(record);
	return EMAIL_KEYS.map((key) => toText(contact[key])).find((text) => text !== undefined);
}

/**
 * The fields of a contact, out of its wrapper if it has one.
 *
 * @param record an entry of the contact list, plain or held under `contact`
 */
export function unwrapContact(record: IDataObject): IDataObject {
	return isRecord(record.contact) ? record.contact : record;
}

/**
 * Finds the DRM rules in an answer, bare or held under a key (service-api.md leaves the shape open).
 *
 * @param value the parsed body of GET or PATCH drm, or of GET container
 * @returns the documented keys of the rules, or undefined when the answer shows none
 */
export function findDrmRules(value: unknown): DrmRules | undefined {
	return searchRules(value, 3);
}

/** Looks at an object itself, then one level further down at a time: the outermost rules are the container's own. */
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

/** A status message may have a key such as `time` too: only the documented forms count, or nothing set at all. */
function isDrmRules(value: IDataObject): boolean {
	const present = RULE_KEYS.filter((key) => key in value);
	return (
		present.length > 0 &&
		present.every((key) => value[key] === null || RULE_CHECKS[key](value[key]))
	);
}

function pickRules(record: IDataObject): DrmRules {
	return Object.fromEntries(
		RULE_KEYS.filter((key) => record[key] !== undefined && record[key] !== null).map((key) => [
			key,
			record[key],
		]),
	) as DrmRules;
}

function toText(value: unknown): string | undefined {
	if (typeof value === 'number') return String(value);
	return typeof value === 'string' && value !== '' ? value : undefined;
}
