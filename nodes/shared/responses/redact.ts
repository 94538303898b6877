import { isObject } from './shapes';
import { takeBreak } from './takeBreak';

export const HIDDEN = '[hidden]';

/** Shorter secrets are redacted only where they stand as a value: `2026` is also a part of dates and sizes. */
const MIN_LENGTH_IN_TEXT = 8;
/** What stands before a value in a text, such as `"password":"2026"`, `password=2026` or `the password 2026`. */
const BEFORE_VALUE = /(?<=["'`“‘«=:]\s?|(?:Password|password)\s)/u;
/** No letter or digit, and no sign that goes on with one, as in a date, a number or an address. */
const AFTER_VALUE = /(?![\p{L}\p{N}_]|[-.:/@%][\p{L}\p{N}])/u;
/** A container can have the same name as a short password. */
const NAMES = ['name', 'container_name'];

/** Control characters, characters that hide or change the direction of text, and halves of a pair. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\s]+/gu;
const MAX_LINE = 500;

const own = new WeakSet<object>();

export function keepAsIs<T extends object>(value: T): T {
	own.add(value);
	return value;
}

/** Removes the API key and passwords, as they are, in JSON and in URLs, from what the service returned. */
export class Redactor {
	private readonly forms: string[];
	private readonly shortValues?: RegExp;

	constructor(private readonly secrets: string[]) {
		const isLong = (secret: string) => secret.length >= MIN_LENGTH_IN_TEXT;
		this.forms = listForms(secrets.filter(isLong));
		const short = secrets.filter((secret) => secret !== '' && !isLong(secret));
		if (short.length > 0) this.shortValues = createValuePattern(listForms(short));
	}

	extend(secrets: string[]): Redactor {
		return secrets.length === 0 ? this : new Redactor([...this.secrets, ...secrets]);
	}

	redactText(text: string): string {
		if (text !== '' && this.secrets.includes(text)) return HIDDEN;
		const shown = this.redactForms(text);
		return this.shortValues === undefined ? shown : shown.replace(this.shortValues, HIDDEN);
	}

	redactLines<T extends object>(texts: T): T {
		const entries = Object.entries(texts).map(([key, text]: [string, unknown]) => {
			return [key, typeof text === 'string' ? this.redactLine(text) : text];
		});
		return Object.fromEntries(entries) as T;
	}

	/** Text of the service for a message: one line that can be seen. n8n shows messages as HTML, so it has no tags. */
	redactLine(text: string): string {
		const visible = this.redactText(text).replaceAll('<', '‹').replaceAll('>', '›');
		const line = visible.replace(UNPRINTABLE, ' ').trim();
		if (line.length <= MAX_LINE) return line;
		return `${line.slice(0, MAX_LINE).replace(/[\uD800-\uDBFF]$/, '')}…`;
	}

	/** Redacts parsed JSON in place. */
	async redactJson<T extends object>(root: T): Promise<T> {
		const open: object[] = [root];
		let searched = 0;
		for (let node = open.pop(); node !== undefined; node = open.pop()) {
			const record = node as Record<string, unknown>;
			for (const [key, value] of Object.entries(record)) {
				// A short password can be the name of a field, or the index of an entry.
				const shownKey = this.redactForms(key);
				if (shownKey !== key) delete record[key];
				record[shownKey] = this.redactValue(key, value);
				if (isObject(value) && !own.has(value)) open.push(value);
				searched += 1;
				if (searched % 100 === 0) await takeBreak();
			}
		}
		return root;
	}

	redactValue(key: string, value: unknown): unknown {
		if (typeof value === 'number') return this.forms.includes(String(value)) ? HIDDEN : value;
		if (typeof value !== 'string') return value;
		return NAMES.includes(key) ? this.redactForms(value) : this.redactText(value);
	}

	private redactForms(text: string): string {
		return this.forms.reduce((shown, form) => shown.replaceAll(form, HIDDEN), text);
	}
}

/** The longest first: one can be a part of another. */
function listForms(secrets: string[]): string[] {
	const forms = secrets.flatMap((secret) => {
		const inUrl = encodeURIComponent(secret.replace(/\p{Cs}/gu, ''));
		const inLowerCase = inUrl.replace(/%../g, (sign) => sign.toLowerCase());
		return [secret, JSON.stringify(secret).slice(1, -1), inUrl, inLowerCase];
	});
	return [...new Set(forms)].sort((a, b) => b.length - a.length);
}

function createValuePattern(forms: string[]): RegExp {
	const literals = forms.map((form) => form.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&'));
	return new RegExp(`${BEFORE_VALUE.source}(?:${literals.join('|')})${AFTER_VALUE.source}`, 'gu');
}
