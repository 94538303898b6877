import type { IDataObject } from 'n8n-workflow';

const HIDDEN = '[hidden]';
const SHORTEST_ANYWHERE = 8;
const SHORTEST_NUMBER = 4;
const ENTITIES: Record<string, string> = {
	'&': 'amp',
	'<': 'lt',
	'>': 'gt',
	'"': 'quot',
	"'": 'apos',
};
const SHORT_ESCAPES: Record<string, string> = {
	'\b': 'b',
	'\f': 'f',
	'\n': 'n',
	'\r': 'r',
	'\t': 't',
};
/** What begins an escape in JSON, also when it is inside of JSON. */
const ESCAPE = '\\\\{1,4}';
const IDENTIFIER = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

/**
 * Takes secrets out of what leaves the node, whatever the service echoes: the API key and a container's password.
 *
 * A long secret is taken out wherever it stands. A short one (a password such as `1234`) is taken out where it stands
 * alone, so that identifiers which happen to contain it stay usable.
 */
export class Redactor {
	private readonly pattern?: RegExp;

	private readonly whole: Set<string>;

	/** No spelling of a secret is shorter than it is itself. */
	private readonly shortest: number;

	/** @param secrets the texts to hide; empty ones are ignored */
	constructor(secrets: Array<string | undefined>) {
		const texts = secrets.filter((secret): secret is string => !!secret);
		this.whole = new Set(texts);
		this.shortest = Math.min(...texts.map(({ length }) => length));
		const sources = [...this.whole].map(patternOf);
		if (sources.length > 0) this.pattern = new RegExp(sources.join('|'), 'gu');
	}

	/**
	 * @param more further texts to hide
	 * @returns a filter for all of them; this one when there are none
	 */
	extend(more: Array<string | undefined> = []): Redactor {
		return more.some(Boolean) ? new Redactor([...this.whole, ...more]) : this;
	}

	/**
	 * @param text any text, such as a message of the service
	 * @returns the text with each secret replaced by `[hidden]`
	 */
	redactText(text: string): string {
		if (this.pattern === undefined || text.length < this.shortest) return text;
		return text.replace(this.pattern, HIDDEN);
	}

	/**
	 * Cleans a JSON value in place, keys and values, without recursion.
	 *
	 * @param root an object or list that came from JSON
	 * @returns the same object, cleaned; texts and numbers under a key named password are hidden whatever they are
	 */
	redactJson<T extends IDataObject | unknown[]>(root: T): T {
		const open: object[] = [root];
		for (let node = open.pop(); node !== undefined; node = open.pop()) {
			const record = node as Record<string, unknown>;
			for (const key of Object.keys(record)) {
				const value = record[key];
				const clean = this.value(key, value);
				if (clean !== value) record[key] = clean;
				else if (typeof value === 'object' && value !== null) open.push(value);
				const cleanKey = this.redactText(key);
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
		return IDENTIFIER.test(value) ? value : this.redactText(value);
	}

	/** A password of digits may come back as a number; of very few digits it is rather a count. */
	private isSecret(value: number): boolean {
		const digits = String(value);
		return digits.length >= SHORTEST_NUMBER && this.whole.has(digits);
	}
}

/** A pattern for a secret in whatever way it may be written when it comes back. */
function patternOf(secret: string): string {
	const plain = plainPattern(secret);
	if (secret.length < SHORTEST_ANYWHERE) {
		return `(?<![\\p{L}\\p{N}])${plain}(?![\\p{L}\\p{N}])`;
	}
	const bytes = Buffer.from(secret);
	return [
		plain,
		...[0, 1, 2].map((before) => base64Pattern(bytes, before)),
		hexPattern(bytes),
	].join('|');
}

/** Characters as they are, and as JSON (also inside of JSON), URLs, forms and HTML write them. */
function plainPattern(secret: string): string {
	let isAfterBackslash = false;
	const patterns = Array.from(secret.matchAll(/\\+|[^\\]/gu), ([part]) => {
		// What goes before may have taken the backslashes: two patterns that share them take for ever to fail.
		const backslashes = isAfterBackslash ? '' : '\\\\{0,4}';
		isAfterBackslash = part.startsWith('\\');
		return isAfterBackslash ? backslashPattern(part.length) : characterPattern(part, backslashes);
	});
	return patterns.join('');
}

function backslashPattern(count: number): string {
	return `(?:\\\\{${count},${8 * count}}|(?:%5[cC]|\\\\{1,4}u005[cC]|&#92;){${count}})`;
}

function characterPattern(character: string, backslashes: string): string {
	if (/^[a-z\d]$/i.test(character)) return character;
	const units = Array.from(
		{ length: character.length },
		(_unit, index) =>
			`${index === 0 && backslashes === '' ? '' : ESCAPE}u${anyCase(hex(character.charCodeAt(index), 4))}`,
	);
	const code = character.codePointAt(0) ?? 0;
	const entities = [`#0*${code}`, `#[xX]0*${anyCase(hex(code, 1))}`];
	if (character in ENTITIES) entities.push(ENTITIES[character]);
	const forms = [
		`${backslashes}${escaped(character)}`,
		percentPattern(Buffer.from(character)),
		units.join(''),
		`&(?:${entities.join('|')});`,
	];
	if (character === ' ') forms.push('\\+');
	if (character in SHORT_ESCAPES) forms.push(`${backslashes}${SHORT_ESCAPES[character]}`);
	return `(?:${forms.join('|')})`;
}

function percentPattern(bytes: Buffer): string {
	return Array.from(bytes, (byte) => `%${anyCase(hex(byte, 2))}`).join('');
}

function hexPattern(bytes: Buffer): string {
	return Array.from(bytes, (byte) => anyCase(hex(byte, 2))).join('');
}

/** The characters of Base64 that stand for these bytes alone when so many others, modulo three, go before them. */
function base64Pattern(bytes: Buffer, before: number): string {
	const text = Buffer.concat([Buffer.alloc(before), bytes])
		.toString('base64')
		.replace(/=+$/, '');
	const first = Math.ceil((before * 8) / 6);
	const end = Math.floor(((before + bytes.length) * 8) / 6);
	return text
		.slice(first, end)
		.replace(/[+/]/g, (sign) => (sign === '+' ? '(?:[+-]|%2[bB])' : '(?:\\\\{0,4}/|_|%2[fF])'));
}

function hex(value: number, digits: number): string {
	return value.toString(16).padStart(digits, '0');
}

function anyCase(digits: string): string {
	return digits.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

function escaped(character: string): string {
	return character.replace(/[$()*+./?[\\\]^{|}]/, '\\$&');
}
