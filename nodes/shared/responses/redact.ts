import type { IDataObject } from 'n8n-workflow';

const HIDDEN = '[hidden]';
/** Shorter secrets are redacted only where no letter or digit is next to them. */
const MIN_LENGTH_IN_WORDS = 8;
const MIN_DIGITS = 4;
const SECRET_KEY = /^(pass(word|phrase|wd)|api_?key)$/i;
/** Fields by which the service and later nodes recognize a record. */
const IDENTITY_KEY =
	/^((uu)?id|.*_id|.*Id|name|first_name|last_name|file_?name|email|email_?address|mail|recipients)$/;
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
const ENTITIES: Record<string, string> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot' };
/** What JSON encoders escape beyond need: nothing, all but ASCII, what is special in HTML, or both. */
const JSON_ESCAPES = [/(?!)/g, /[^ -~]/g, /[<>&]/g, /[<>&'=]/g, /[^ -~]|\\"|[&'+<>`]/g];

/** Whether a key in JSON is one of passwords and API keys. */
export function isSecretKey(key: string): boolean {
	return SECRET_KEY.test(key);
}

/** Removes the API key and passwords from all that leaves the node, in every form in which the service may echo them. */
export class Redactor {
	private readonly secrets: Set<string>;

	/** What redacts identifiers and names, which the service would not recognize in another form: the API key alone. */
	private readonly base: Redactor;

	private readonly pattern?: RegExp;

	constructor(secrets: Array<string | undefined>, base?: Redactor) {
		this.base = base ?? this;
		this.secrets = new Set(secrets.filter((secret): secret is string => !!secret));
		const sources = [...this.secrets].map(getPatternSource);
		if (sources.length > 0) this.pattern = new RegExp(sources.join('|'), 'gu');
	}

	/** A redactor for passwords too. */
	extend(passwords: Array<string | undefined>): Redactor {
		if (!passwords.some(Boolean)) return this;
		return new Redactor([...this.secrets, ...passwords], this.base);
	}

	redactText(text: string): string {
		return this.pattern === undefined ? text : text.replace(this.pattern, HIDDEN);
	}

	/** Redacts keys and values of parsed JSON in place, without recursion. */
	redactJson<T extends IDataObject | unknown[]>(root: T): T {
		const open: Array<{ node: object; isIdentity: boolean }> = [{ node: root, isIdentity: false }];
		for (let next = open.pop(); next !== undefined; next = open.pop()) {
			const record = next.node as Record<string, unknown>;
			const isList = Array.isArray(record);
			for (const key of Object.keys(record)) {
				const isIdentity = isList ? next.isIdentity : IDENTITY_KEY.test(key);
				const redactor = isIdentity ? this.base : this;
				const value = redactor.redactValue(key, record[key]);
				if (value !== record[key]) record[key] = value;
				if (typeof value === 'object' && value !== null) open.push({ node: value, isIdentity });
				const redactedKey = isList || isIdentity ? key : this.redactText(key);
				if (redactedKey !== key) {
					record[redactedKey] = value;
					delete record[key];
				}
			}
		}
		return root;
	}

	private redactValue(key: string, value: unknown): unknown {
		if ((typeof value !== 'number' && typeof value !== 'string') || value === '') return value;
		const text = String(value);
		if (isSecretKey(key)) return HIDDEN;
		// A password of digits may return as a number; a number of few digits is rather a count.
		if (typeof value === 'number') {
			return text.length >= MIN_DIGITS && this.secrets.has(text) ? HIDDEN : value;
		}
		if (this.secrets.has(text)) return HIDDEN;
		return UUID.test(text) ? text : this.redactText(text);
	}
}

/** One alternative for each form of a secret; all are literal, so that a search takes linear time. */
function getPatternSource(secret: string): string {
	const isShort = secret.length < MIN_LENGTH_IN_WORDS;
	const json = toJsonForms(secret);
	const html = secret.replace(/[&<>"]/g, (sign) => `&${ENTITIES[sign]};`);
	const forms = [secret, ...json, ...json.flatMap(toJsonForms), ...toUrlForms(secret), html];
	if (!isShort) forms.push(...toByteForms(Buffer.from(secret)));
	const source = [...new Set([...new Set(forms)].flatMap(toBothCases))]
		.sort((a, b) => b.length - a.length)
		.map((form) => form.replace(/[$()*+./?[\\\]^{|}]/g, '\\$&'))
		.join('|');
	return isShort ? `(?<![\\p{L}\\p{N}])(?:${source})(?![\\p{L}\\p{N}])` : source;
}

/** A form, and the same with the digits of its escapes in lower and in upper case. */
function toBothCases(form: string): string[] {
	const digits = /(?<=%)[\da-f]{2}|(?<=\\u)[\da-f]{4}/gi;
	const lower = form.replace(digits, (found) => found.toLowerCase());
	return [form, lower, form.replace(digits, (found) => found.toUpperCase())];
}

function toJsonForms(text: string): string[] {
	const json = JSON.stringify(text).slice(1, -1);
	const escape = (found: string) => {
		const code = found.charCodeAt(found.length - 1).toString(16);
		return `\\u${code.padStart(4, '0')}`;
	};
	const forms = JSON_ESCAPES.map((special) => json.replace(special, escape));
	return [...new Set(forms.flatMap((form) => [form, form.replaceAll('/', '\\/')]))];
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

/** Hex, and what stands in Base64 for the bytes alone, after zero, one or two others, in both alphabets. */
function toByteForms(secret: Buffer): string[] {
	const hex = secret.toString('hex');
	const forms = [0, 1, 2].flatMap((before) => {
		const bytes = Buffer.concat([Buffer.alloc(before), secret]);
		const [start, end] = [Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6)];
		const base64 = bytes.toString('base64').slice(start, end);
		const base64Url = bytes.toString('base64url').slice(start, end);
		return [base64, base64.replaceAll('/', '\\/'), encodeURIComponent(base64), base64Url];
	});
	return [hex, hex.toUpperCase(), ...forms];
}
