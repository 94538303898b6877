import type { IDataObject } from 'n8n-workflow';

const HIDDEN = '[hidden]';
const SHORTEST_ANYWHERE = 8;
const SHORTEST_NUMBER = 4;
const IDENTIFIER = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

/**
 * Takes secrets out of what leaves the node, whatever the service echoes: the API key and a container's password.
 *
 * A long secret is taken out wherever it stands. A short one (a password such as `1234`) is taken out where it stands
 * alone, so that identifiers which happen to contain it stay usable.
 */
export class SecretFilter {
	private readonly patterns: RegExp[];

	private readonly whole: Set<string>;

	/** @param secrets the texts to hide; empty ones are ignored */
	constructor(secrets: Array<string | undefined>) {
		const texts = secrets.filter((secret): secret is string => !!secret);
		this.whole = new Set(texts);
		this.patterns = [...new Set(texts.flatMap(spellings))].map(toPattern);
	}

	/**
	 * @param more further texts to hide
	 * @returns a filter for all of them; this one when there are none
	 */
	and(more: Array<string | undefined> = []): SecretFilter {
		return more.some(Boolean) ? new SecretFilter([...this.whole, ...more]) : this;
	}

	/**
	 * @param text any text, such as a message of the service
	 * @returns the text with each secret replaced by `[hidden]`
	 */
	text(text: string): string {
		return this.patterns.reduce((cleaned, pattern) => cleaned.replace(pattern, HIDDEN), text);
	}

	/**
	 * Cleans a JSON value in place, keys and values, without recursion.
	 *
	 * @param root an object or list that came from JSON
	 * @returns the same object, cleaned; texts and numbers under a key named password are hidden whatever they are
	 */
	json<T extends IDataObject | unknown[]>(root: T): T {
		const open: object[] = [root];
		for (let node = open.pop(); node !== undefined; node = open.pop()) {
			const record = node as Record<string, unknown>;
			for (const key of Object.keys(record)) {
				const value = record[key];
				const clean = this.value(key, value);
				if (clean !== value) record[key] = clean;
				else if (typeof value === 'object' && value !== null) open.push(value);
				const cleanKey = this.text(key);
				if (cleanKey !== key && !Array.isArray(node)) {
					record[cleanKey] = record[key];
					delete record[key];
				}
			}
		}
		return root;
	}

	private value(key: string, value: unknown): unknown {
		if (/^(pass(word|phrase|wd)|api_?key)$/i.test(key)) {
			const tellsIt = typeof value === 'number' || (typeof value === 'string' && value !== '');
			return tellsIt ? HIDDEN : value;
		}
		if (typeof value === 'number') return this.isSecret(value) ? HIDDEN : value;
		if (typeof value !== 'string' || value === '') return value;
		if (this.whole.has(value)) return HIDDEN;
		return IDENTIFIER.test(value) ? value : this.text(value);
	}

	/** A password of digits may come back as a number; of very few digits it is rather a count. */
	private isSecret(value: number): boolean {
		const digits = String(value);
		return digits.length >= SHORTEST_NUMBER && this.whole.has(digits);
	}
}

/** How a secret may be written when it comes back: plain, in JSON, in a URL, in Base64. */
function spellings(secret: string): string[] {
	const forms = [secret, JSON.stringify(secret).slice(1, -1)];
	if (!/\p{Cs}/u.test(secret)) forms.push(encodeURIComponent(secret));
	if (secret.length >= SHORTEST_ANYWHERE) forms.push(Buffer.from(secret).toString('base64'));
	return forms;
}

function toPattern(secret: string): RegExp {
	const literal = secret.replace(/[$()*+./?[\\\]^{|}-]/g, '\\$&');
	return secret.length >= SHORTEST_ANYWHERE
		? new RegExp(literal, 'g')
		: new RegExp(`(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`, 'gu');
}
