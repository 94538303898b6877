import { isObject } from './shapes';

export const HIDDEN = '[hidden]';
/** Shorter secrets are redacted only where no letter or digit is next to them. */
const MIN_LENGTH_IN_WORDS = 8;
/** A number of fewer digits is rather a count. */
const MIN_DIGITS = 4;
/** Characters after which others get their turn: so few that the slowest search in them takes some milliseconds. */
const MAX_AT_ONCE = 1000;
/** How many characters a form can have for each of the secret: an escape in JSON within JSON. */
const MAX_GROWTH = 10;
/** Control characters, characters that hide or change the direction of text, and halves of a pair. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\s]+/gu;
const MAX_LINE = 500;
/** What is searched for the characters of a line: more, because spaces and secrets are dropped. */
const MAX_SEARCHED = 20_000;
/** Fields by which the service and later nodes recognize a record. */
const IDENTITY_KEY =
	/^((uu)?id|.*_id|.*Id|name|first_name|last_name|file_?name|email|email_?address|emailTo|endsOn|mail|recipients)$/;

/** No letter or digit is next to it, other than one of an escape. */
const START = '(?:(?<![\\p{L}\\p{M}\\p{N}])|(?<=%[\\da-f]{2}|\\\\u[\\da-f]{4}))';
const END = '(?![\\p{L}\\p{M}\\p{N}])';

/** A part of every name below, so that most names need no closer look. */
const HINT = /pass|pw|pin|secret|key|wort/i;
/** Such as `pin` in `userPin`, `user_pin` and `USER-PIN`, but not in `opinion`; compounds also within a word. */
const PASSWORD =
	/(?<!\p{L})(?:pass|pwd?|pin|secret)s?(?!\p{L})|(?:pass_?(?:word|wd|code|phrase|key)|pin_?code|api_?key|kennwort|passwort)s?/u;
/** In the name of a field that holds one: `user_pin`, but not `pin_count`. */
const AT_END = new RegExp(`(?:${PASSWORD.source})[^\\p{L}]*$`, 'u');

/** Removes the API key and passwords from all that leaves the node, in every form in which the service may echo them. */
export class Redactor {
	private readonly pattern: RegExp;
	/** The length of the longest form. */
	private readonly longest: number;

	/** @param base redacts identifiers and names */
	constructor(
		private readonly secrets: string[],
		private readonly base?: Redactor,
	) {
		// A secret can be a part of another one.
		const known = secrets.filter((secret) => secret.trim()).sort((a, b) => b.length - a.length);
		this.pattern = new RegExp(known.map(toPattern).join('|') || '(?!)', 'giu');
		this.longest = (known.at(0)?.length ?? 0) * MAX_GROWTH;
	}

	/** For passwords too, apart from identifiers and names: the service would not recognize them in another form. */
	extend(passwords: string[]): Redactor {
		return passwords.length === 0 ? this : new Redactor([...this.secrets, ...passwords], this);
	}

	redactText(text: string): string {
		return text.replace(this.pattern, HIDDEN);
	}

	/** A copy whose texts are fit for a message. */
	redactLines<T extends object>(texts: T): T {
		const clean = (value: unknown) => (typeof value === 'string' ? this.redactLine(value) : value);
		const entries = Object.entries(texts).map(([key, value]) => [key, clean(value)]);
		return Object.fromEntries(entries) as T;
	}

	/** Text of the service for a message: one line that can be seen. n8n shows messages as HTML, so it has no tags. */
	redactLine(text: string): string {
		const isCut = text.length > MAX_SEARCHED;
		const redacted = this.redactText(text.slice(0, MAX_SEARCHED));
		// What was cut off may have been the other half of a secret.
		const line = redacted
			.slice(0, isCut ? -this.longest || undefined : undefined)
			.replaceAll('<', '‹')
			.replaceAll('>', '›')
			.replace(UNPRINTABLE, ' ')
			.trim();
		if (line.length <= MAX_LINE) return isCut ? `${line}…` : line;
		return `${line.slice(0, MAX_LINE).replace(/[\uD800-\uDBFF]$/, '')}…`;
	}

	/** Redacts keys and values of parsed JSON in place, with pauses for n8n to do something else meanwhile. */
	async redactJson<T extends object>(root: T, pause: () => Promise<void>): Promise<T> {
		const open = [{ node: root as object, isIdentity: false, isPassword: false }];
		let work = 0;
		for (let next = open.pop(); next !== undefined; next = open.pop()) {
			const record = next.node as Record<string, unknown>;
			const isList = Array.isArray(record);
			for (const key of Object.keys(record)) {
				const isIdentity = isList ? next.isIdentity : IDENTITY_KEY.test(key);
				const isPassword = isList ? next.isPassword : !isIdentity && mentionsPassword(key, AT_END);
				const redactor = (isIdentity && this.base) || this;
				const value = record[key];
				const length = typeof value === 'string' && !isPassword ? value.length : 0;
				const redactedKey = isList ? key : redactor.redactText(key);
				if (redactedKey !== key) delete record[key];
				record[redactedKey] =
					length > MAX_AT_ONCE
						? await redactor.redactLongText(value as string, pause)
						: redactor.redactValue(value, isPassword);
				if (isObject(value)) open.push({ node: value, isIdentity, isPassword });
				work += 50 + length;
				if (work < MAX_AT_ONCE) continue;
				work = 0;
				await pause();
			}
		}
		return root;
	}

	/** @param isPassword whether to hide it, other than a switch, a count or nothing */
	private redactValue(value: unknown, isPassword: boolean): unknown {
		const isNumber = typeof value === 'number' && String(value).length >= MIN_DIGITS;
		if (!isNumber && (typeof value !== 'string' || value === '')) return value;
		const redacted = isPassword ? HIDDEN : this.redactText(String(value));
		return isNumber && redacted !== HIDDEN ? value : redacted;
	}

	private async redactLongText(text: string, pause: () => Promise<void>): Promise<string> {
		let redacted = '';
		let from = 0;
		while (from < text.length) {
			const end = from + MAX_AT_ONCE;
			// A secret that begins in this part may end after it, and what is next to it counts.
			const searched = text.slice(0, end + this.longest + 2);
			this.pattern.lastIndex = from;
			const find = () => this.pattern.exec(searched);
			for (let match = find(); match !== null && match.index < end; match = find()) {
				redacted += text.slice(from, match.index) + HIDDEN;
				from = this.pattern.lastIndex;
			}
			redacted += text.slice(from, end);
			from = Math.max(from, end);
			await pause();
		}
		return redacted;
	}
}

export function mentionsPassword(name: string, pattern = PASSWORD): boolean {
	if (!HINT.test(name)) return false;
	const words = name.replace(/(?<=\p{Ll})(?=\p{Lu})/gu, '_').toLowerCase();
	return pattern.test(words.replace(/[^\p{L}]+/gu, '_'));
}

/** Matches a secret in each form in which a service may echo it, whatever its capitals. */
function toPattern(secret: string): string {
	const trimmed = secret.trim();
	const isLong = trimmed.length >= MIN_LENGTH_IN_WORDS;
	const spellings = [trimmed, trimmed.toUpperCase(), trimmed.toLowerCase()];
	const encoded = isLong ? spellings : [...spellings, secret];
	const base64 = encoded.flatMap((text) => toBase64Patterns(Buffer.from(text), isLong));
	const forms = new Set([...spellings.map(toTextPattern), ...base64]);
	const pattern = [...forms].join('|');
	return isLong ? pattern : `${START}(?:${pattern})${END}`;
}

/** Matches each character as it is, or as JSON, JSON within JSON, URLs and HTML write it. */
function toTextPattern(text: string): string {
	return text.replace(/\W/gu, (sign) => {
		const bytes = Buffer.from(sign).toString('hex').replace(/../g, '%$&');
		const units = Buffer.from(sign, 'utf16le').swap16().toString('hex');
		const escapes = units.replace(/.{4}/g, '\\\\{1,4}u$&');
		const plain = sign === ' ' ? '[ +]' : sign.replace(/[$()*+./?[\\\]^{|}]/, '\\$&');
		const code = sign.codePointAt(0) ?? 0;
		const entity = `&(?:amp;)*(?:[a-z]{2,8}|#0*${code}|#x0*${code.toString(16)});`;
		return `(?:\\\\{0,4}${plain}|${bytes}|${escapes}|${entity})`;
	});
}

/** Matches bytes in Base64, also where they are in the middle of others if they are many. */
function toBase64Patterns(bytes: Buffer, isLong: boolean): string[] {
	return (isLong ? [0, 1, 2] : [0]).map((offset) => {
		const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
		// The characters at the ends also stand for what is next to the secret.
		const own = text.slice(offset && offset + 1, Math.floor(((offset + bytes.length) * 4) / 3));
		const end = isLong ? '\\w?' : text.slice(own.length).replaceAll('=', '');
		const escaped = `${own}${end}`.replaceAll('+', '(?:[+-]|%2b)');
		return `${escaped.replaceAll('/', '(?:\\\\?/|_|%2f)')}(?:=|%3d)*`;
	});
}
