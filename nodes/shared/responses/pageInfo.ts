import { isFilled, isNo, isRecord, isYes } from './shapes';
import { toWords } from './words';

/** One page of a list as it was received. */
export interface ReceivedPage {
	status: number;
	headers: Record<string, string | undefined>;
	value: unknown;
	/** The list in the value. */
	entries: unknown[];
}

/** What a page says of the rest of its list. */
export interface PageInfo {
	/** URL of the next page, absolute or relative. */
	nextUrl?: string;
	/** What could mean that there is more, by name. */
	hints: Map<string, Hint>;
	/** Whether it plainly says that there is no more. */
	isLast: boolean;
	/** URLs of the first page and of this one, absolute or relative. */
	ownUrls: string[];
}

/** How much of a list was fetched. */
export interface Progress {
	entries: number;
	pages: number;
	/** URL of the last page that was fetched. */
	url: string;
}

interface Hint {
	kind: Kind;
	value: unknown;
}

/** What a name is about if it has one of these words: the first that fits counts. */
const KINDS = {
	more: 'next more rest remaining left omitted truncated incomplete partial continue continuation scroll limited capped reached exceeded',
	last: 'last',
	done: 'complete completed done finished exhausted exhaustive final eof',
	cursor: 'cursor token marker bookmark',
	page: 'page pagination paging',
	offset: 'offset',
	count: 'total count hit found overall',
	range: 'range',
	end: 'end',
};

type Kind = keyof typeof KINDS;

/** Words of names that say nothing of the rest: those of people, earlier pages, limits of the rate and of the storage. */
const SILENT = 'name prev previous before rate ratelimit quota retry credit storage byte day';
/** The same, unless the name speaks of what is next or last: those of a page's size and start, of units, times and keys. */
const MOSTLY_SILENT = `${SILENT} per limit first start accept cache date time unit csrf xsrf auth access session security bearer`;
/** The same in headers. */
const SILENT_IN_HEADERS = `${SILENT} request call cache speed`;

const OWN_URL = 'self first current';
const DATE = /^\d{4}-\d\d-\d\d|^\w{3}, \d\d \w{3} \d{4}/;
/** Such as `1-25 of 70`. */
const PART_OF = /^[\d\s-]*\d\s*(?:of|\/)\s*(\d+)$/i;
/** Beside a total that is no lower bound. */
const EXACT = /^(?:=|eq|equals?|exact)$/i;
const SAYS_MORE = /\b(?<!not )(?:truncated|incomplete|only the first)\b/i;
const PAGE_IN_URL = /[?&](?:page|page(?:\[|%5B)number(?:]|%5D))=(\d+)(?:&|$)/i;
/** Such as `items 0-24/25` (RFC 9110, Content-Range). */
const RANGE = /^\D*(?:(\d+)\s*-\s*(\d+)|\*)\s*\/\s*(\d+)$/;
const LINK = /<([^<>]*)>\s*((?:;\s*[^\s=;,]+\s*(?:=\s*(?:"(?:[^"\\]|\\.)*"|[^\s";,]+)\s*)?)*)/g;

/** What some services write for nothing, yes and no. */
const WORDS_FOR: Record<string, unknown> = {
	...{ null: '', none: '', '': '' },
	...{ yes: true, no: false, true: 'true', false: 'false' },
};

/** From here on, a number is seconds since 1970. */
const FIRST_TIME = 1e9;
/** How many fields beside a list are looked at, and how many entries of a list there: a longer one holds other records. */
const MAX_FIELDS = 5000;
const MAX_LISTED = 100;
/** How much of a value is quoted. */
const MAX_QUOTED = 100;

/**
 * Finds everything on a page that speaks of the rest of its list; docs/openapi.yaml leaves this open. What is named like
 * a page, a cursor, a total or a rest counts, beside the entries at any depth, and in headers.
 */
export function getPageInfo({ status, headers, value, entries }: ReceivedPage): PageInfo {
	const reader = new HintReader(entries);
	for (const [name, text] of Object.entries(headers)) {
		if (typeof text === 'string') reader.addHeader(name, text);
	}
	reader.addBeside(value);
	const { info } = reader;
	const hasRange = [...info.hints.values()].some(({ kind }) => kind === 'range');
	if (status === 206 && !hasRange) info.hints.set('status', { kind: 'more', value: status });
	return info;
}

/**
 * Finds what does not bear out that a list is whole, in words that follow "because".
 *
 * @param earlier what the pages before said of the number of entries and pages
 */
export function findRest(
	info: PageInfo,
	progress: Progress,
	earlier: PageInfo['hints'],
): string | undefined {
	const open = [...new Map([...earlier, ...info.hints])].find(
		([, hint]) => !saysAll(hint, info, progress),
	);
	if (open === undefined) return undefined;
	const [name, { value }] = open;
	return `"${name}" is ${String(JSON.stringify(value)).slice(0, MAX_QUOTED)}`;
}

/** Whether a hint is understood as "this is all". */
function saysAll(
	{ kind, value }: Hint,
	{ isLast, ownUrls }: PageInfo,
	{ entries, pages, url }: Progress,
): boolean {
	const number = toNumber(value);
	const isText = typeof value === 'string';
	switch (kind) {
		case 'count':
			return number === undefined ? EXACT.test(String(value)) : number <= entries;
		case 'offset':
			// It is that of this page, or of the next one.
			return number !== undefined && number < Math.max(entries, 1);
		case 'page':
			return number === undefined ? isText && isLast : number <= pages;
		case 'cursor':
			return isLast;
		case 'range': {
			const [, from, to, total = number] = RANGE.exec(String(value)) ?? [];
			return Number(total) <= entries || (from === '0' && Number(to) + 1 === Number(total));
		}
		case 'last': {
			if (number !== undefined) return number <= pages || number >= FIRST_TIME;
			if (isLast && Number(PAGE_IN_URL.exec(String(value))?.[1]) <= pages) return true;
			if (!isUrl(value)) return isText && (isLast || DATE.test(value));
			return [...ownUrls, url].some((own) => toAbsolute(own, url) === toAbsolute(value, url));
		}
		default:
			return kind === 'end';
	}
}

/** Whether a hint is a number of entries or pages, which also counts where later pages don't repeat it. */
export function isCount({ kind, value }: Hint): boolean {
	return (kind === 'count' || kind === 'page') && toNumber(value) !== undefined;
}

class HintReader {
	readonly info: PageInfo = { hints: new Map(), isLast: false, ownUrls: [] };
	private fields = 0;

	constructor(private readonly entries: unknown[]) {}

	addHeader(name: string, text: string): void {
		if (name.toLowerCase() === 'link') {
			for (const [, url, parameters] of text.matchAll(LINK)) {
				for (const relation of getRelations(parameters)) this.addField(relation, url, `${name}: `);
			}
			return;
		}
		const words = toWords(name);
		const isToken = hasWord(words, 'token') && !hasWord(words, 'next continuation page cursor');
		if (isToken || hasWord(words, SILENT_IN_HEADERS)) return;
		// .NET services write JSON about a list that is the whole body.
		const held = text.startsWith('{') ? parseOrUndefined(text) : undefined;
		if (isRecord(held)) this.addFields(held, `${name}.`);
		else this.addField(name, text);
	}

	addFields(record: object, path = '', inherited: string[] = []): void {
		for (const [name, value] of Object.entries(record)) {
			this.fields += 1;
			if (this.fields > MAX_FIELDS) {
				const excess = `more than ${MAX_FIELDS} fields`;
				this.info.hints.set('what is beside the list', { kind: 'more', value: excess });
				return;
			}
			if (value !== this.entries) this.addField(name, value, path, inherited);
		}
	}

	private addField(key: string, held: unknown, path = '', inherited: string[] = []): void {
		const { info } = this;
		const value = typeof held === 'string' ? (WORDS_FOR[held.trim().toLowerCase()] ?? held) : held;
		const name = `${path}${key}`;
		const words = [...inherited, ...toWords(key)];
		const url = unwrapLink(value);
		if (isUrl(url) && hasWord(words, OWN_URL)) info.ownUrls.push(url);
		const kind = getKind(words) ?? getKindOfText(held);
		if (kind === 'silent' || (kind === 'count' && (value === true || Array.isArray(value)))) return;
		if (kind === undefined || (kind === 'page' && isRecord(value)))
			this.addBeside(value, `${name}.`);
		else if (!isFilled(value) && !isNo(value)) info.isLast ||= hasWord(words, 'next');
		else if (isUrl(url) && kind === 'more' && hasWord(words, 'next')) info.nextUrl ??= url;
		else if (isUrl(url) && kind === 'last') info.hints.set(name, { kind, value: url });
		else if (isRecord(value)) this.addFields(value, `${name}.`, words);
		else this.addHint(name, { kind, value }, words);
	}

	/** Fields, or a list of some or of links such as `{ "rel": "next", "href": … }`. */
	addBeside(held: unknown, path?: string): void {
		if (isRecord(held)) this.addFields(held, path);
		if (!Array.isArray(held) || held === this.entries) return;
		for (const [index, link] of held.slice(0, MAX_LISTED).entries()) {
			const { rel, relation, name, label } = isRecord(link) ? link : {};
			const [key] = [rel ?? relation ?? name ?? label].flat();
			// The URL of null says that there is none.
			const url = isRecord(link) && 'url' in link ? link.url : (unwrapLink(link) ?? link);
			if (url !== this.entries) this.addField(String(key ?? index), url, path);
		}
	}

	private addHint(name: string, hint: Hint, words: string[]): void {
		const { info } = this;
		const { kind, value } = hint;
		const number = toNumber(value);
		const isFlag = number === undefined || hasWord(words, 'is has');
		if (kind === 'more') {
			if (isNo(value) || Number(number) <= 0) info.isLast = true;
			else info.hints.set(name, hint);
		} else if (
			kind === 'done' ||
			(/last|end/.test(kind) && isFlag && (isYes(value) || isNo(value)))
		) {
			// Another value is that of the day when something was completed.
			if (isYes(value)) info.isLast = true;
			else if (isNo(value)) info.hints.set(name, { kind: 'more', value });
		} else if (!isNo(value)) info.hints.set(name, hint);
	}
}

function getKind(words: string[]): Kind | 'silent' | undefined {
	const [kind] = Object.entries(KINDS).find(([, known]) => hasWord(words, known)) ?? [];
	if (hasWord(words, SILENT)) return 'silent';
	if (kind === 'more' || kind === 'last') return kind;
	// The size of a page, but `totalSize` counts entries.
	const isSize =
		(words.includes('size') || (words.includes('page') && words.includes('item'))) &&
		!words.includes('total');
	return isSize || hasWord(words, MOSTLY_SILENT) ? 'silent' : (kind as Kind | undefined);
}

/** @param known words with a space in between */
function hasWord(words: string[], known: string): boolean {
	return known.split(' ').some((word) => words.includes(word));
}

/** The relations of a link in a Link header (RFC 8288). */
function getRelations(parameters: string): string[] {
	const relation = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s";,]+))/i.exec(parameters);
	const relations = relation?.slice(1).join('').toLowerCase().split(/\s/) ?? [];
	return relations.filter((name) => /^(next|last|first|self|current)$/.test(name));
}

/** Links are text, or an object with the URL, or a list of one. */
function unwrapLink(value: unknown): unknown {
	const link: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
	return isRecord(link) ? (link.href ?? link.url ?? link.link ?? link.uri) : link;
}

/** What a text is about, whatever its name. */
function getKindOfText(text: unknown): Kind | undefined {
	if (typeof text !== 'string' || text.length > 1000) return undefined;
	if (SAYS_MORE.test(text)) return 'more';
	return PART_OF.test(text) && text.includes('of') ? 'count' : undefined;
}

function isUrl(value: unknown): value is string {
	const isOne = typeof value === 'string' && /^(https?:\/\/|\/|\?)\S+$/i.test(value);
	return isOne && URL.canParse(value, 'https://host');
}

/** @returns an absolute URL to compare; a service behind a proxy may take itself to be on plain HTTP */
function toAbsolute(url: string, base: string): string {
	return (URL.canParse(url, base) ? new URL(url, base).href : url).replace(/^http:/, 'https:');
}

function toNumber(value: unknown): number | undefined {
	const text = typeof value === 'string' ? (PART_OF.exec(value)?.[1] ?? value) : '';
	const number = /^-?\d+$/.test(text) ? Number(text) : value;
	return Number.isSafeInteger(number) ? (number as number) : undefined;
}

function parseOrUndefined(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}
