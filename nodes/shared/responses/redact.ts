import type { IDataObject } from 'n8n-workflow';

import { isPasswordName } from './passwordNames';

const HIDDEN = '[hidden]';
/** Shorter secrets are redacted only where no letter or digit is next to them. */
const MIN_LENGTH_IN_WORDS = 8;
const MIN_DIGITS = 4;
/** V8 needs linear time to find a text of at most 249 characters, whatever it is searched in. */
const MAX_NATIVE = 200;
/** Control characters, characters that hide or change the direction of text, and halves of a pair. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\s]+/gu;
const MAX_LINE = 500;
/** What is searched for the characters of a line: more, because spaces and secrets are dropped. */
const MAX_SEARCHED = 20_000;
/** Fields by which the service and later nodes recognize a record. */
const IDENTITY_KEY =
	/^((uu)?id|.*_id|.*Id|name|first_name|last_name|file_?name|email|email_?address|mail|recipients)$/;
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
const ENTITIES: Record<string, string> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot' };
/** What JSON encoders escape beyond need: nothing, all but ASCII, what is special in HTML, or both. */
const JSON_ESCAPES = [/(?!)/g, /[^ -~]/g, /[<>&]/g, /[<>&'=]/g, /[^ -~]|\\"|[&'+<>`]/g];

/** Removes the API key and passwords from all that leaves the node, in every form in which the service may echo them. */
export class Redactor {
	private readonly secrets: Set<string>;

	/** What redacts identifiers and names, which the service would not recognize in another form: the API key alone. */
	private readonly base: Redactor;

	/** The forms of the secrets, the longest first. */
	private readonly longForms: string[];
	private readonly shortForms: string[];

	/** The starts of the long forms: a text without any of them is not searched. */
	private readonly starts: RegExp;

	/** The short forms where they stand alone. */
	private readonly words?: RegExp;

	/** The length of the longest form. */
	private readonly longest: number;

	/** @param base what it extends */
	constructor(secrets: string[], base?: Redactor) {
		const own = secrets.filter(Boolean);
		const variants = [...new Set(own.flatMap(getVariants))];
		const isShort = ({ length }: string) => length < MIN_LENGTH_IN_WORDS;
		const longForms = toForms(variants.filter((variant) => !isShort(variant)));
		const shortForms = toForms(variants.filter(isShort));
		this.base = base?.base ?? this;
		this.secrets = new Set([...(base?.secrets ?? []), ...own]);
		this.longForms = sortByLength([...(base?.longForms ?? []), ...longForms]);
		this.shortForms = sortByLength([...(base?.shortForms ?? []), ...shortForms]);
		const lengths = [this.longForms, this.shortForms].map((forms) => forms.at(0)?.length ?? 0);
		this.longest = Math.max(...lengths);
		const starts = new Set(this.longForms.map((form) => form.slice(0, MIN_LENGTH_IN_WORDS)));
		this.starts = new RegExp(toPattern([...starts]));
		if (this.shortForms.length > 0) {
			const words = toPattern(this.shortForms);
			this.words = new RegExp(`(?<![\\p{L}\\p{N}])(?:${words})(?![\\p{L}\\p{N}])`, 'gu');
		}
	}

	/** A redactor for passwords too. */
	extend(passwords: string[]): Redactor {
		return passwords.length === 0 ? this : new Redactor(passwords, this);
	}

	/** Takes time in proportion to the text, whatever the secrets. */
	redactText(text: string): string {
		let redacted = text;
		if (this.starts.test(text)) {
			for (const form of this.longForms) redacted = hide(redacted, form);
		}
		return this.words === undefined ? redacted : redacted.replace(this.words, HIDDEN);
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

	/** Redacts keys and values of parsed JSON in place, without recursion. */
	redactJson<T extends IDataObject | unknown[]>(root: T): T {
		const open = [{ node: root as object, isIdentity: false, isPassword: false }];
		for (let next = open.pop(); next !== undefined; next = open.pop()) {
			const record = next.node as Record<string, unknown>;
			const isList = Array.isArray(record);
			for (const key of Object.keys(record)) {
				const isIdentity = isList ? next.isIdentity : IDENTITY_KEY.test(key);
				const isPassword = isList ? next.isPassword : !isIdentity && isPasswordName(key);
				const redactor = isIdentity ? this.base : this;
				const value = isPassword ? hideValue(record[key]) : redactor.redactValue(record[key]);
				record[key] = value;
				if (typeof value === 'object' && value !== null) {
					open.push({ node: value, isIdentity, isPassword });
				}
				const redactedKey = isList ? key : redactor.redactText(key);
				if (redactedKey !== key) {
					record[redactedKey] = value;
					delete record[key];
				}
			}
		}
		return root;
	}

	private redactValue(value: unknown): unknown {
		// A password of digits may return as a number; a number of few digits is rather a count.
		if (typeof value === 'number') {
			const isHidden = isLong(value) && this.secrets.has(String(value));
			return isHidden ? HIDDEN : value;
		}
		if (typeof value !== 'string') return value;
		if (this.secrets.has(value)) return HIDDEN;
		return UUID.test(value) ? value : this.redactText(value);
	}
}

/** Whatever a field for a password holds, other than a switch, a count or nothing. */
function hideValue(value: unknown): unknown {
	const isHidden = typeof value === 'number' ? isLong(value) : typeof value === 'string' && value;
	return isHidden ? HIDDEN : value;
}

function isLong(number: number): boolean {
	return String(number).length >= MIN_DIGITS;
}

/** A secret as a service may change it: trimmed, in one case, and with letters in one or more characters. */
function getVariants(secret: string): string[] {
	const trimmed = [secret, secret.trim()];
	const cased = trimmed.flatMap((text) => [text, text.toLowerCase(), text.toUpperCase()]);
	const variants = cased.flatMap((text) => [text, text.normalize('NFC'), text.normalize('NFD')]);
	return [...new Set(variants)].filter(Boolean);
}

/** The forms in which services write texts. */
function toForms(texts: string[]): string[] {
	return texts.flatMap((text) => {
		const html = text.replace(/[&<>"]/g, (sign) => `&${ENTITIES[sign]};`);
		const forms = new Set([text, html, ...toJsonForms(text), ...toUrlForms(text)]);
		return [...[...forms].flatMap(toBothCases), ...toByteForms(Buffer.from(text))];
	});
}

function sortByLength(texts: string[]): string[] {
	return [...new Set(texts)].sort((a, b) => b.length - a.length);
}

/** Hides each place of a text that has a form. */
function hide(text: string, form: string): string {
	if (form.length <= MAX_NATIVE) return text.split(form).join(HIDDEN);
	if (!text.includes(form.slice(0, MAX_NATIVE))) return text;
	// Knuth, Morris and Pratt: for each start of the form, the longest other start with which it ends.
	const borders: number[] = [0];
	const match = (matched: number, sign: string) => {
		let length = matched;
		while (length > 0 && form[length] !== sign) length = borders[length - 1];
		return form[length] === sign ? length + 1 : length;
	};
	for (let index = 1; index < form.length; index += 1) {
		borders.push(match(borders[index - 1], form[index]));
	}
	const kept: string[] = [];
	let from = 0;
	let matched = 0;
	for (let index = 0; index < text.length; index += 1) {
		matched = match(matched, text[index]);
		if (matched < form.length) continue;
		kept.push(text.slice(from, index + 1 - form.length));
		from = index + 1;
		matched = 0;
	}
	return [...kept, text.slice(from)].join(HIDDEN);
}

/** A pattern for any of the texts. */
function toPattern(texts: string[]): string {
	return texts.map((text) => text.replace(/[$()*+./?[\\\]^{|}]/g, '\\$&')).join('|');
}

/** A form, and the same with the digits of its escapes in lower and in upper case. */
function toBothCases(form: string): string[] {
	const digits = /(?<=%)[\da-f]{2}|(?<=\\u)[\da-f]{4}/gi;
	const lower = form.replace(digits, (found) => found.toLowerCase());
	return [form, lower, form.replace(digits, (found) => found.toUpperCase())];
}

/** As JSON, and as JSON in JSON. */
function toJsonForms(text: string): string[] {
	return JSON_ESCAPES.flatMap((special) =>
		['/', '\\/'].flatMap((slash) => {
			const encode = (inner: string) => toJsonForm(inner, special).replaceAll('/', slash);
			return [encode(text), encode(encode(text))];
		}),
	);
}

function toJsonForm(text: string, special: RegExp): string {
	return JSON.stringify(text)
		.slice(1, -1)
		.replace(special, (found) => {
			const code = found.charCodeAt(found.length - 1).toString(16);
			return `\\u${code.padStart(4, '0')}`;
		});
}

/** URL encoders differ in slashes, spaces and `!'()*~`; forms follow URLSearchParams. */
function toUrlForms(text: string): string[] {
	// Half a surrogate pair can't be encoded.
	const wellFormed = Buffer.from(text).toString();
	const url = encodeURIComponent(wellFormed);
	const strict = url.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
	const forms = [url, strict, strict.replaceAll('~', '%7E')].flatMap((form) => [
		form,
		form.replaceAll('%2F', '/'),
		form.replaceAll('%20', '+'),
	]);
	const query = new URLSearchParams([['', wellFormed]]).toString();
	return [encodeURI(wellFormed), query.slice('='.length), ...forms];
}

/**
 * Hex, Base64 and, where it is long enough to be distinctive, what stands in Base64 for the bytes after zero, one or two
 * others; in both alphabets.
 */
function toByteForms(bytes: Buffer): string[] {
	const hex = bytes.toString('hex');
	const shifts = bytes.length < MIN_LENGTH_IN_WORDS ? [] : [0, 1, 2];
	const forms = (['base64', 'base64url'] as const).flatMap((alphabet) => [
		bytes.toString(alphabet),
		...shifts.map((before) => {
			const shifted = Buffer.concat([Buffer.alloc(before), bytes]);
			const [start, end] = [Math.ceil((before * 8) / 6), Math.floor((shifted.length * 8) / 6)];
			return shifted.toString(alphabet).slice(start, end);
		}),
	]);
	const escaped = forms.flatMap((form) => [form.replaceAll('/', '\\/'), encodeURIComponent(form)]);
	return [hex, hex.toUpperCase(), ...forms, ...escaped];
}
