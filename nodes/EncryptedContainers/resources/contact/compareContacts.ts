import type { IDataObject } from 'n8n-workflow';

import type { ListEntry } from '../../../shared/api/lists';
import { unwrapContact } from '../../../shared/api/records';
import { toAddressKey } from '../../../shared/parameters/addresses';
import { toMoment } from '../../../shared/parameters/values';
import { toCanonicalText } from '../../../shared/responses/canonicalJson';
import { isNo, isObject, isRecord, isYes } from '../../../shared/responses/shapes';

const MOMENT = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:?\d\d)?)?$/;
const NUMBER = /^[+-]?[\d.]+(e[+-]?\d+)?$/i;
const PHONE_NUMBER = /^\+[\d\s()./-]+$/;

/** Contacts by `toAddressKey`; several where a service distinguishes the forms of an address. */
export function groupByAddress(entries: ListEntry[]): Map<string, ListEntry[]> {
	const known = new Map<string, ListEntry[]>();
	for (const entry of entries) {
		const key = toAddressKey(entry.id);
		const same = known.get(key) ?? [];
		same.push(entry);
		known.set(key, same);
	}
	return known;
}

export function listDifferences(contact: IDataObject, values: IDataObject): string[] {
	const current = unwrapContact(contact);
	const read = (name: string) => (Object.hasOwn(current, name) ? current[name] : undefined);
	return Object.keys(values).filter((name) => !isSameValue(read(name), values[name]));
}

/**
 * The name of a field that a contact shows with another value than was sent. Services write phone numbers and names in a
 * form of their own, and no for what is empty: other spaces, signs and capitals prove nothing.
 */
export function findWrongField(contact: IDataObject, sent: IDataObject, mustShow = false) {
	const current = unwrapContact(contact);
	return listDifferences(contact, sent).find((name) => {
		const isShown = mustShow || Object.hasOwn(current, name);
		const [shown, entered] = [current[name], sent[name]].map(withoutSigns);
		// A phone number in another form: without or with other prefixes, an extension, a word.
		const isPhone = [current[name], sent[name]].some((value) => /^(tel:)?\+\d/.test(String(value)));
		const isEqual = shown === entered || (isPhone && endsNumber(String(sent[name]), shown));
		return isShown && !isEqual;
	});
}

/** Whether the last digits of a phone number end one that was entered, or what comes before its extension. */
function endsNumber(entered: string, shown: string): boolean {
	const [last] = /\d{7}$/.exec(shown.replace(/\D/g, '')) ?? [];
	if (last === undefined) return false;
	return new RegExp(`${[...last].join('\\D*')}(?![\\s()./+-]*\\d)`).test(entered);
}

/** Without signs, other than those of an address and of a number below zero. */
function withoutSigns(value: unknown): string {
	if (isObject(value)) return toCanonicalText(value);
	const text = isNo(value) ? '' : String(value ?? '');
	return text.replace(/(?!^-\d)[^\p{L}\p{N}@]/gu, '').toLowerCase();
}

/** Whether values of a field are the same to services, which store a number as text, yes as 1, a day as a timestamp. */
export function isSameValue(one: unknown, other: unknown): boolean {
	return isSame(normalize(one), normalize(other));
}

function isSame(one: unknown, other: unknown): boolean {
	if (isObject(one) && isObject(other)) {
		const isSameKind = Array.isArray(one) === Array.isArray(other);
		return (
			isSameKind && Object.keys({ ...one, ...other }).every((key) => isSame(one[key], other[key]))
		);
	}
	const values = [one, other];
	const isSwitch = [true, false, 'true', 'false'].some((value) => values.includes(value));
	if (isSwitch) return values.every(isYes) || values.every(isNo);
	// Of two texts, one can be a version or a postcode.
	const areNumbers =
		values.some((value) => typeof value === 'number') &&
		values.every((value) => NUMBER.test(String(value)));
	if (areNumbers && Number(one) === Number(other)) return true;
	return one === other || isSamePhoneNumber(one, other);
}

/** Services add the country to a number, tables don't: `0171 2345678` becomes `+491712345678`. */
function isSamePhoneNumber(whole: unknown, entered: unknown): boolean {
	if (typeof whole !== 'string' || isObject(entered)) return false;
	const local = String(entered);
	const digits = local.replace(/\D/g, '').replace(/^0+/, '');
	const isLocal = /^[\d\s()./-]+$/.test(local) && digits.length > 6;
	return isLocal && /^\+\d+$/.test(whole) && whole.endsWith(digits);
}

function normalize(value: unknown): unknown {
	if (value === undefined) return null;
	const moment = toMoment(value);
	if (moment !== undefined) return toSeconds(moment);
	if (typeof value === 'string') return normalizeText(value.trim()) || null;
	if (Array.isArray(value)) return value.length === 0 ? null : value.map(normalize);
	if (!isRecord(value)) return value;
	const fields = Object.entries(value).map(([key, field]) => [key, normalize(field)]);
	const filled = fields.filter(([, field]) => field !== null);
	return filled.length === 0 ? null : Object.fromEntries(filled);
}

/** Databases store no less. */
function toSeconds(moment: Date): string {
	return moment.toISOString().slice(0, 19);
}

function normalizeText(text: string): string {
	// Services that store only moments store a day, and a time without a zone, as in UTC.
	const [, day, time = '00:00', zone = 'Z'] = MOMENT.exec(text) ?? [];
	const moment = new Date(`${day}T${time}${zone}`);
	if (!Number.isNaN(moment.getTime())) return toSeconds(moment);
	// As people write the zero that is left out behind the country.
	if (PHONE_NUMBER.test(text)) return text.replace('(0)', '').replace(/[^+\d]/g, '');
	if (/^[^\s@]+@[^\s@]+$/.test(text)) return toAddressKey(text);
	// As spreadsheets write it.
	if (/^(true|false)$/i.test(text)) return text.toLowerCase();
	return text.normalize('NFC').replace(/\r\n?/g, '\n');
}
