import { isObject } from './shapes';
import { takeBreak } from './takeBreak';

export const HIDDEN = '[hidden]';

/** Shorter secrets are redacted only where they are the whole value: `2026` is also a part of dates and sizes. */
const MIN_LENGTH_IN_TEXT = 8;
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

	constructor(private readonly secrets: string[]) {
		const long = secrets.filter((secret) => secret.length >= MIN_LENGTH_IN_TEXT);
		// One can be a part of another.
		this.forms = long.flatMap(listForms).sort((a, b) => b.length - a.length);
	}

	extend(secrets: string[]): Redactor {
		return secrets.length === 0 ? this : new Redactor([...this.secrets, ...secrets]);
	}

	redactText(text: string): string {
		return text !== '' && this.secrets.includes(text) ? HIDDEN : this.redactForms(text);
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

function listForms(secret: string): string[] {
	const inUrl = encodeURIComponent(secret.replace(/\p{Cs}/gu, ''));
	const inLowerCase = inUrl.replace(/%../g, (sign) => sign.toLowerCase());
	return [...new Set([secret, JSON.stringify(secret).slice(1, -1), inUrl, inLowerCase])];
}
