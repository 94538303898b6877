import type { ApiCredentials } from '../engine/credentials.cts';
import { SENT_TEXTS, type Owned } from './walk.cts';

/** In place of the base URL. */
export const BASE_URL = 'https://share.example.com/api/v1';

const BASE_PATH = getBasePath(BASE_URL);

const QUERY_VALUE = /([?&][\w-]+=)([^&\s<>"']+)/g;
const UUID = /\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi;
const ADDRESS = /[^\s"'<>(){}[\],;:/\\@]+@[^\s"'<>(){}[\],;:/\\@]+/g;
const URL_TEXT = /\b[a-z][a-z\d+.-]*:\/\/[^\s"'<>,;]+/gi;
const IP = /\b(?:\d{1,3}\.){3}\d{1,3}\b/g;
/** For documentation only (RFC 5737); the probe sends them itself. */
const OWN_IP = /^(192\.0\.2|198\.51\.100|203\.0\.113)\./;

/** Text in these fields tells how the service works, or is a rule of the probe's own container. */
const KEPT_KEYS =
	/^(status|state|role|code|type|message|errors?|details?|title|reason|description|country|continent|subdivision|city|allow|block|start|end|timezone)$/i;
/** All that is kept of the record of a person. */
const PERSON_KEYS = /^(role|status|type)$/;
const PLAIN = /^(|true|false|\d{1,5}|\d{4}-\d\d-\d\d.*|\/Date\(.*\)\/|\w{3}, \d\d \w{3} \d{4}.*)$/;
const ID_KEY = /(^|_|-)id$|Id$|ID$|uuid/;
const DATE_KEY = /date|time|_at$|At$|^(start|end|expires)$/i;
const LARGE_NUMBER = 99_999;

/** Replaces what identifies the service, its users and their records, the same text always by the same. */
export class Redactor {
	private readonly placeholders = new Map<string, string>();
	/** IDs and names that no pattern finds. */
	private readonly known = new Map<string, string>();

	constructor(
		private readonly credential: ApiCredentials,
		private readonly owned: Owned,
	) {
		for (const id of [owned.containerId, owned.userId]) if (id) this.known.set(id, this.id(id));
	}

	/** @returns text, with what is replaced in it */
	text(value: string): string {
		const { baseUrl, apiKey } = this.credential;
		let text = value;
		for (const secret of [apiKey, encodeURIComponent(apiKey), btoa(encodeURI(apiKey))]) {
			text = text.replaceAll(secret, 'REMOVED');
		}
		text = text
			.replaceAll(baseUrl, BASE_URL)
			.replaceAll(new URL(baseUrl).host, new URL(BASE_URL).host)
			.replaceAll(getBasePath(baseUrl) || BASE_PATH, BASE_PATH)
			.replaceAll(this.owned.marker, '0000')
			.replace(URL_TEXT, (url) => (url.startsWith(BASE_URL) ? url : this.url(url)));
		for (const [name, placeholder] of this.known) {
			if (text === name) return placeholder;
			const before = name.length > 3 ? '(?<!\\w)' : '(?<=/)';
			const pattern = new RegExp(`${before}${name.replace(/\W/g, '\\$&')}(?!\\w)`, 'g');
			text = text.replace(pattern, () => placeholder);
		}
		return text
			.replace(QUERY_VALUE, (_all, name, text) => `${name}${this.query(text)}`)
			.replace(UUID, (id) => this.id(id))
			.replace(ADDRESS, (address) =>
				address.startsWith('n8n-probe-')
					? address
					: this.replace('person', address, (count) => `person-${count}@example.com`),
			)
			.replace(IP, (ip) =>
				OWN_IP.test(ip) ? ip : this.replace('ip', ip, (count) => `192.0.2.${100 + count}`),
			);
	}

	/** @returns a value of a response; text of unknown meaning is replaced as a whole */
	json(value: unknown, key = ''): unknown {
		if (Array.isArray(value)) return value.map((entry) => this.json(entry, key));
		if (typeof value === 'object' && value !== null) {
			const entries = Object.entries(value);
			return Object.fromEntries(
				entries.map(([name, child]) => [this.text(name), this.json(child, name)]),
			);
		}
		if (typeof value === 'number') return this.number(value, key);
		if (typeof value !== 'string') return value;
		const text = this.text(value);
		const isSent = SENT_TEXTS.includes(value) || value.includes(this.owned.marker);
		const isKept = isSent || KEPT_KEYS.test(key) || PLAIN.test(value);
		const isReplaced = text !== value && !/\s/.test(text);
		return isKept || isReplaced ? text : this.unknown(value);
	}

	/** From now on, the text in the record of a person is replaced wherever it occurs. */
	learn(record: object): void {
		for (const [key, value] of Object.entries(record)) {
			if (typeof value === 'object' && value !== null) this.learn(value as object);
			if (typeof value !== 'string' || value.length < 3 || this.known.has(value)) continue;
			if (PERSON_KEYS.test(key) || PLAIN.test(value) || SENT_TEXTS.includes(value)) continue;
			const text = this.text(value);
			this.known.set(value, text === value ? this.unknown(value) : text);
		}
	}

	private number(value: number, key: string): number {
		const known = this.known.get(String(value));
		if (known !== undefined) return Number(known);
		const isId = ID_KEY.test(key) || (Math.abs(value) > LARGE_NUMBER && !DATE_KEY.test(key));
		return isId ? Number(this.id(String(value))) : value;
	}

	/** In the form of the ID, so that a number stays one. */
	private id(id: string): string {
		return this.replace('id', id, (count) => {
			const digits = String(count).padStart(12, '0');
			return /^\d+$/.test(id) ? String(1_000_000 + count) : `00000000-0000-4000-8000-${digits}`;
		});
	}

	/** A cursor can contain an ID in any encoding. */
	private query(text: string): string {
		return PLAIN.test(text) || text.includes('0000') ? text : this.unknown(text);
	}

	private url(url: string): string {
		return this.replace('url', url, (count) => `https://removed-${count}.example.com/`);
	}

	private unknown(text: string): string {
		return this.replace('text', text, (count) => `text-${count}`);
	}

	private replace(kind: string, value: string, create: (count: number) => string): string {
		const isPlaceholder = [...this.placeholders.values()].includes(value);
		if (isPlaceholder) return value;
		const key = `${kind}:${value}`;
		const count = [...this.placeholders.keys()].filter((one) => one.startsWith(`${kind}:`)).length;
		const placeholder = this.placeholders.get(key) ?? create(count + 1);
		this.placeholders.set(key, placeholder);
		return placeholder;
	}
}

/** The path of a base URL; empty where it has none. */
export function getBasePath(baseUrl: string): string {
	return new URL(baseUrl).pathname.replace(/\/+$/, '');
}
