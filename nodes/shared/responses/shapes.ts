import type { IDataObject } from 'n8n-workflow';

/** Where services put what the node looks for, the likeliest place first. */
const PLACES = {
	list: [
		...['containers', 'contacts', 'data', 'items', 'results'],
		...['content', 'records', 'value', '_embedded'],
	],
	id: ['uuid', 'id', 'container_id'],
	email: ['email', 'email_address', 'emailAddress', 'mail', 'address'],
	/** The words for a person in an error, and what holds them: names as `normalizeKeys` returns them. */
	message: ['message', 'errordescription', 'detail', 'description', 'title', 'reason', 'msg'],
	messageHolder: ['error', 'errors', 'fault', 'data', 'details'],
	code: ['code', 'errorcode'],
};

export function pick(record: IDataObject, place: keyof typeof PLACES): unknown[] {
	return PLACES[place].filter((key) => Object.hasOwn(record, key)).map((key) => record[key]);
}

/** Also for a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null;
}

export function isRecord(value: unknown): value is IDataObject {
	return isObject(value) && !Array.isArray(value);
}

/** Neither missing nor empty: not null, false, 0, '', [] or {}. */
export function isFilled(value: unknown): boolean {
	return isObject(value) ? Object.keys(value).length > 0 : Boolean(value);
}

/** Whether a flag is set, or says no; PHP and databases write numbers and text. */
export function isYes(value: unknown): boolean {
	return [true, 1, 'true', '1'].some((yes) => yes === value);
}

export function isNo(value: unknown): boolean {
	return [false, 0, 'false', '0'].some((no) => no === value);
}

/** A name as services in different languages share it: `created_at`, `createdAt` and `Created-At` are one. */
export function normalizeKey(name: string): string {
	const joined = name.replace(/[_\-\s]/g, '');
	return joined.normalize('NFC').toLowerCase();
}

/** Whether a name is one of those that a person entered: in any spelling, where none of the `names` is spelled so. */
export function createKeyFilter(entered: string[], names: string[]): (name: string) => boolean {
	const keys = entered.filter((name) => !names.includes(name)).map(normalizeKey);
	return (name) => entered.includes(name) || keys.includes(normalizeKey(name));
}
