import type { IDataObject } from 'n8n-workflow';

import type { DecodedText } from './decodedText';
import { decode, fold, getPlace, readBytes } from './decodedText';
import { isPasswordName } from './passwordNames';

const HIDDEN = '[hidden]';
/** Shorter secrets are redacted only where no letter or digit is next to them. */
const MIN_LENGTH_IN_WORDS = 8;
const MIN_DIGITS = 4;
/** Characters after which others get their turn: so few that the slowest search in them takes some milliseconds. */
const MAX_AT_ONCE = 2000;
/** How many characters a form can have for each of the secret: `%E2%82%AC`. */
const MAX_GROWTH = 9;
/** Control characters, characters that hide or change the direction of text, and halves of a pair. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\s]+/gu;
const MAX_LINE = 500;
/** What is searched for the characters of a line: more, because spaces and secrets are dropped. */
const MAX_SEARCHED = 20_000;
/** Fields by which the service and later nodes recognize a record. */
const IDENTITY_KEY =
	/^((uu)?id|.*_id|.*Id|name|first_name|last_name|file_?name|email|email_?address|mail|recipients)$/;
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
const HEX = /^[\da-f]+$/i;

/** Where a secret begins and ends in a text. */
type Range = [start: number, end: number];

/** Removes the API key and passwords from all that leaves the node, in every form in which the service may echo them. */
export class Redactor {
	/** What redacts identifiers and names, which the service would not recognize in another form: the API key alone. */
	private readonly base: Redactor;

	/** The secrets as `fold` returns them, trimmed. */
	private readonly long: string[];
	private readonly short: string[];

	/** What could be a secret in Base64 or hex. */
	private readonly encoded: RegExp;

	/** The secrets that a service may return as a number; one of few digits is rather a count. */
	private readonly numbers: Set<number>;

	/** The length of the longest form. */
	private readonly longest: number;

	/** @param base what it extends */
	constructor(
		private readonly secrets: string[],
		base?: Redactor,
	) {
		const trimmed = secrets.map((secret) => secret.trim()).filter(Boolean);
		this.base = base ?? this;
		this.long = toFolded(trimmed.filter(isLong));
		this.short = toFolded(trimmed.filter((secret) => !isLong(secret)));
		const shortest = Math.min(...trimmed.map((secret) => secret.normalize('NFC').length));
		const digits = trimmed.length === 0 ? 1 : Math.ceil((shortest * 8) / 6);
		this.encoded = new RegExp(`[\\w+/-]{${digits},}={0,2}`, 'g');
		this.numbers = new Set(trimmed.map(Number).filter(hasManyDigits));
		const lengths = trimmed.map((secret) => secret.normalize('NFD').length * MAX_GROWTH);
		this.longest = Math.max(0, ...lengths);
	}

	/** A redactor for passwords too. */
	extend(passwords: string[]): Redactor {
		if (passwords.length === 0) return this;
		return new Redactor([...this.secrets, ...passwords], this.base);
	}

	redactText(text: string): string {
		let redacted = '';
		let from = 0;
		for (const [start, end] of this.find(text)) {
			redacted += text.slice(from, start) + HIDDEN;
			from = end;
		}
		return redacted + text.slice(from);
	}

	/** A copy whose texts are fit for a message. */
	redactLines<T extends object>(texts: T): T {
		const entries = Object.entries(texts).map(([key, value]: [string, unknown]) => [
			key,
			typeof value === 'string' ? this.redactLine(value) : value,
		]);
		return Object.fromEntries(entries) as T;
	}

	/**
	 * Redacts text of the service for a message: one line of at most 500 characters, all of which can be seen. n8n shows
	 * messages as HTML, so it has no tags either.
	 */
	redactLine(text: string): string {
		const isCut = text.length > MAX_SEARCHED + this.longest;
		let redacted = this.redactText(isCut ? text.slice(0, MAX_SEARCHED + this.longest) : text);
		// What was cut off may have been the other half of a secret.
		if (isCut) redacted = redacted.slice(0, Math.max(0, redacted.length - this.longest));
		const line = redacted
			.replaceAll('<', '‹')
			.replaceAll('>', '›')
			.replace(UNPRINTABLE, ' ')
			.trim();
		if (line.length <= MAX_LINE) return isCut ? `${line}…` : line;
		return `${line.slice(0, MAX_LINE).replace(/[\uD800-\uDBFF]$/, '')}…`;
	}

	/**
	 * Redacts keys and values of parsed JSON in place, without recursion.
	 *
	 * @param pause called often, for n8n to do something else meanwhile
	 */
	async redactJson<T extends IDataObject | unknown[]>(
		root: T,
		pause: () => Promise<void>,
	): Promise<T> {
		const open = [{ node: root as object, isIdentity: false, isPassword: false }];
		let work = 0;
		for (let next = open.pop(); next !== undefined; next = open.pop()) {
			const record = next.node as Record<string, unknown>;
			const isList = Array.isArray(record);
			for (const key of Object.keys(record)) {
				const isIdentity = isList ? next.isIdentity : IDENTITY_KEY.test(key);
				const isPassword = isList ? next.isPassword : !isIdentity && isPasswordName(key);
				const redactor = isIdentity ? this.base : this;
				let value = isPassword ? hideValue(record[key]) : record[key];
				const length = typeof value === 'string' ? value.length : 0;
				value =
					length > MAX_AT_ONCE
						? await redactor.redactLongText(value as string, pause)
						: redactor.redactValue(value);
				record[key] = value;
				if (typeof value === 'object' && value !== null) {
					open.push({ node: value, isIdentity, isPassword });
				}
				const redactedKey = isList ? key : String(redactor.redactValue(key));
				if (redactedKey !== key) {
					record[redactedKey] = value;
					delete record[key];
				}
				work += 50 + length;
				if (work < MAX_AT_ONCE) continue;
				work = 0;
				await pause();
			}
		}
		return root;
	}

	private redactValue(value: unknown): unknown {
		if (typeof value === 'number') return this.numbers.has(value) ? HIDDEN : value;
		if (typeof value !== 'string') return value;
		// In the middle of an identifier, a secret is there by chance.
		if (!UUID.test(value)) return this.redactText(value);
		return this.long.includes(value.toLowerCase()) ? HIDDEN : value;
	}

	private async redactLongText(text: string, pause: () => Promise<void>): Promise<string> {
		let redacted = '';
		for (let from = 0; from < text.length; await pause()) {
			// A secret that begins in this part may end after it, and what is next to it counts.
			const first = Math.max(0, from - 2);
			const last = from + MAX_AT_ONCE;
			const part = text.slice(first, last + this.longest + 2);
			for (const [start, end] of this.find(part, from - first)) {
				if (first + start >= last) break;
				redacted += text.slice(from, first + start) + HIDDEN;
				from = first + end;
			}
			redacted += text.slice(from, last);
			from = Math.max(from, last);
		}
		return redacted;
	}

	/** Where the secrets are from a place on, in their order and without overlaps, in time in proportion to the text. */
	private find(text: string, from = 0): Range[] {
		if (this.long.length + this.short.length === 0) return [];
		// Few texts have one: the others need no places.
		if (this.findForms({ text }, 0).length === 0) return [];
		const places = Array.from({ length: text.length + 1 }, (_place, index) => index);
		return withoutOverlaps(this.findForms({ text, places }, from));
	}

	private findForms(source: DecodedText, from: number): Range[] {
		const found = this.search(fold(source), from);
		const decoded = decode(source);
		if (decoded !== source) found.push(...this.search(fold(decoded), from));
		for (const { index, 0: run } of decoded.text.matchAll(this.encoded)) {
			const forms: Array<[BufferEncoding, number, number[]]> = [['base64', 4 / 3, [0, 1, 2, 3]]];
			if (HEX.test(run)) forms.push(['hex', 2, [0, 1]]);
			for (const [encoding, perByte, offsets] of forms) {
				// In a longer text, the secret need not begin where its bytes do. A short one could be anything there.
				for (const offset of this.long.length > 0 ? offsets : [0]) {
					const bytes = Buffer.from(run.slice(offset), encoding);
					const places = decoded.places?.slice(index + offset, index + run.length + 1);
					const content = fold(readBytes(bytes, perByte, places));
					const isShort = offset === 0 && this.short.includes(content.text.trim());
					if (isShort) found.push([getPlace(content, 0), getPlace(content, content.text.length)]);
					else found.push(...this.search(content, from, []));
				}
			}
		}
		return found;
	}

	private search(source: DecodedText, from: number, short = this.short): Range[] {
		const { text } = source;
		const found: Range[] = [];
		const add = (secret: string, isPart: (start: number, end: number) => boolean) => {
			let start = text.indexOf(secret);
			while (start !== -1) {
				const end = start + secret.length;
				const isFound = getPlace(source, start) >= from && !isPart(start, end);
				if (isFound) found.push([getPlace(source, start), getEnd(source, end)]);
				start = text.indexOf(secret, isFound ? end : start + 1);
			}
		};
		for (const secret of this.long) add(secret, () => false);
		for (const secret of short) {
			add(secret, (start, end) => {
				const isWord = /[\p{L}\p{M}\p{N}]$/u.test(text.slice(Math.max(0, start - 2), start));
				return isWord || /^[\p{L}\p{M}\p{N}]/u.test(text.slice(end, end + 2));
			});
		}
		return found;
	}
}

/** The end of a character of which only a part may be meant: `ß` is `ss`. */
function getEnd(source: DecodedText, index: number): number {
	let end = index;
	while (end < source.text.length && getPlace(source, end) === getPlace(source, end - 1)) end += 1;
	return getPlace(source, end);
}

function withoutOverlaps(ranges: Range[]): Range[] {
	const kept: Range[] = [];
	for (const [start, end] of ranges.sort((a, b) => a[0] - b[0] || b[1] - a[1])) {
		const last = kept.at(-1);
		if (last === undefined || start >= last[1]) kept.push([start, end]);
		else last[1] = Math.max(last[1], end);
	}
	return kept;
}

/** As they are, and without escapes, which a secret can contain by chance. */
function toFolded(secrets: string[]): string[] {
	const forms = secrets.flatMap((text) => [fold({ text }).text, fold(decode({ text })).text]);
	return [...new Set(forms.map((form) => form.trim()).filter(Boolean))];
}

/** Whatever a field for a password holds, other than a switch, a count or nothing. */
function hideValue(value: unknown): unknown {
	const isHidden = typeof value === 'number' ? hasManyDigits(value) : typeof value === 'string';
	return isHidden && value !== '' ? HIDDEN : value;
}

function isLong(secret: string): boolean {
	return secret.trim().length >= MIN_LENGTH_IN_WORDS;
}

function hasManyDigits(number: number): boolean {
	return Number.isFinite(number) && String(number).length >= MIN_DIGITS;
}
