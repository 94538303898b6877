import type { IDataObject } from 'n8n-workflow';

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

/** Removes the API key and passwords from all that leaves the node, in every form in which the service may echo them. */
export class Redactor {
	/** What redacts identifiers and names, which the service would not recognize in another form: the API key alone. */
	private readonly base: Redactor;

	/** Any form of any secret. */
	private readonly pattern: RegExp;

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
		const long = toPattern(secrets.filter(isLong));
		const short = toPattern(secrets.filter((secret) => !isLong(secret)));
		this.base = base ?? this;
		this.pattern = new RegExp(`${long}|(?<![\\p{L}\\p{N}])${short}(?![\\p{L}\\p{N}])`, 'gu');
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
		return text.replace(this.pattern, HIDDEN);
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
		const redacted = this.redactText(value);
		// In the middle of an identifier, a short secret is there by chance.
		return UUID.test(value) && redacted !== HIDDEN ? value : redacted;
	}

	private async redactLongText(text: string, pause: () => Promise<void>): Promise<string> {
		let redacted = '';
		for (let from = 0; from < text.length; await pause()) {
			// A secret that begins in this part may end after it, and what is next to it counts.
			const start = Math.max(0, from - 2);
			const end = from + MAX_AT_ONCE;
			const part = text.slice(start, end + this.longest + 2);
			this.pattern.lastIndex = from - start;
			for (const { index, 0: found } of part.matchAll(this.pattern)) {
				if (start + index >= end) break;
				redacted += text.slice(from, start + index) + HIDDEN;
				from = start + index + found.length;
			}
			redacted += text.slice(from, end);
			from = Math.max(from, end);
		}
		return redacted;
	}
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

/** A pattern for any of the secrets, the longest first, each as a text or as bytes in hex or Base64. */
function toPattern(secrets: string[]): string {
	const sorted = secrets.filter((secret) => secret.trim()).sort((a, b) => b.length - a.length);
	const patterns = sorted.flatMap((secret) => [
		...toTextPatterns(secret),
		...toBytePatterns(secret),
	]);
	return patterns.length === 0 ? '(?!)' : `(?:${[...new Set(patterns)].join('|')})`;
}

/** A text as a service may change it: in one case, with letters in one or more characters. */
function getVariants(text: string): string[] {
	const cases = [text, text.toLowerCase(), text.toUpperCase()];
	return cases.flatMap((variant) => [variant, variant.normalize('NFC'), variant.normalize('NFD')]);
}

/** As it is, in a URL, in JSON and in JSON in JSON. */
function toTextPatterns(secret: string): string[] {
	const encodings = [
		toUrlForms,
		toJsonForms,
		(sign: string) => toJsonForms(sign).flatMap(toJsonForms),
	];
	const toAllForms = (sign: string) => encodings.flatMap((toForms) => toForms(sign));
	const texts = [secret.trim(), secret.trim().normalize('NFC')];
	// Hardly another character has a form that is the start of another one, so that a search never tries many ways.
	return (secret.includes('\\') ? encodings : [toAllForms]).flatMap((toForms) =>
		texts.map((text) => text.replace(/[^\d-]/gu, (sign) => toSignPattern(sign, toForms))),
	);
}

/** It ignores case by itself: V8 takes a hundred times as long for the flag that does. */
function toSignPattern(sign: string, toForms: (text: string) => string[]): string {
	const inBothCases = (text: string) =>
		text.replace(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);
	if (/[a-z]/i.test(sign)) return inBothCases(sign);
	const forms = new Set([...new Set(getVariants(sign))].flatMap(toForms));
	const escaped = [...forms].map((form) => form.replace(/[$()*+./?[\\\]^{|}]/g, '\\$&'));
	return `(?:${escaped.map(inBothCases).join('|')})`;
}

function toUrlForms(text: string): string[] {
	// Half a surrogate pair can't be encoded.
	const url = encodeURIComponent(Buffer.from(text).toString());
	const strict = url.replace(/[!'()*.~]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
	return [text, url, strict, ...(text === ' ' ? ['+'] : [])];
}

/** JSON encoders differ in what they escape beyond need. */
function toJsonForms(text: string): string[] {
	const json = JSON.stringify(text).slice(1, -1);
	const escaped = json.replace(/\\"|[^\w \\]/g, (sign) => {
		const code = sign.charCodeAt(sign.length - 1).toString(16);
		return `\\u${code.padStart(4, '0')}`;
	});
	return [json, json.replaceAll('/', '\\/'), escaped];
}

/** In Base64 of a longer text, what stands for the secret depends on the number of bytes before it. */
function toBytePatterns(secret: string): string[] {
	return [secret, secret.trim()].flatMap(getVariants).flatMap((text) => {
		const bytes = Buffer.from(text);
		const hex = bytes.toString('hex');
		// What stands for a short one could be anything.
		const inLonger = (isLong(secret) ? [0, 1, 2] : []).map((before) => {
			const shifted = Buffer.concat([Buffer.alloc(before), bytes]);
			const end = Math.floor((shifted.length * 8) / 6);
			return shifted.toString('base64').slice(Math.ceil((before * 8) / 6), end);
		});
		const base64 = [bytes.toString('base64'), ...inLonger].map((form) =>
			form
				.replace(/=/g, '(?:=|(?:%|\\\\{1,3}u00)3[dD])?')
				.replace(/\+/g, '(?:[+-]|(?:%|\\\\{1,3}u00)2[bB])')
				.replace(/\//g, '(?:\\\\{0,3}[/_]|(?:%|\\\\{1,3}u00)2[fF])'),
		);
		return [hex, hex.toUpperCase(), ...base64];
	});
}
