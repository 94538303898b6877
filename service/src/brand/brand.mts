import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SettingError } from '../errors.mts';
import { createAccent, type Accent } from './accent.mts';

const LINKS = ['website', 'help', 'imprint', 'privacy'] as const;
export type Links = Partial<Record<(typeof LINKS)[number], string>>;

export interface Logo {
	type: 'image/svg+xml' | 'image/png';
	content: Buffer;
	/** Changes with the content, so that browsers can keep the logo. */
	version: string;
}

/** The company that sends files, as its customers know it. */
export interface Brand {
	name: string;
	accent?: Accent;
	links: Links;
	logo?: Logo;
	darkLogo?: Logo;
	/** Few mail programs show an SVG. */
	mailLogo?: Logo;
}

const FILE = 'brand.json';
const MAX_NAME = 100;
const MAX_LOGO_BYTES = 256 * 1024;
const PNG_START = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

/** Reads brand.json and the logos of a folder. @throws SettingError */
export function readBrand(folder: string): Brand {
	const given = readJsonFile(join(folder, FILE));
	const unknown = Object.keys(given).find((key) => !['name', 'accent', 'links'].includes(key));
	if (unknown !== undefined) {
		throw new SettingError(`${FILE} has "${unknown}", but can only have name, accent and links.`);
	}
	return {
		name: readName(given.name),
		accent: given.accent === undefined ? undefined : readAccent(given.accent),
		links: readLinks(given.links ?? {}),
		logo: readLogo(folder, 'logo.svg') ?? readLogo(folder, 'logo.png'),
		darkLogo: readLogo(folder, 'logo-dark.svg') ?? readLogo(folder, 'logo-dark.png'),
		mailLogo: readLogo(folder, 'logo.png'),
	};
}

/** @throws SettingError with a sentence that names the file */
export function readJsonFile(path: string): Record<string, unknown> {
	let content: unknown;
	try {
		content = JSON.parse(readFileSync(path, 'utf8'));
	} catch (error) {
		throw new SettingError(`${path} can't be read: ${(error as Error).message}.`);
	}
	if (!isObject(content)) throw new SettingError(`${path} must hold a JSON object.`);
	return content;
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

function readName(name: unknown): string {
	const isName = typeof name === 'string' && name.trim() !== '' && name.length <= MAX_NAME;
	// A line end would break the subject of a mail, and marks of direction the page around it.
	if (!isName || /[\p{Cc}\u2028-\u202e\u2066-\u2069]/u.test(name)) {
		throw new SettingError(`"name" in ${FILE} must be the name of the company, on one line.`);
	}
	return name.trim();
}

function readAccent(color: unknown): Accent {
	const accent = typeof color === 'string' ? createAccent(color) : undefined;
	if (accent) return accent;
	throw new SettingError(`"accent" in ${FILE} must be a color of CSS such as #1a56b8.`);
}

function readLinks(links: unknown): Links {
	if (!isObject(links)) throw new SettingError(`"links" in ${FILE} must be an object.`);
	for (const [name, url] of Object.entries(links)) {
		if (!LINKS.includes(name as never)) {
			const names = LINKS.join(', ');
			throw new SettingError(`"links" in ${FILE} has "${name}", but can only have ${names}.`);
		}
		if (typeof url !== 'string' || !isLink(url)) {
			throw new SettingError(`"${name}" in ${FILE} must begin with https:// or mailto:.`);
		}
	}
	return links as Links;
}

const isLink = (url: string) => URL.canParse(url) && /^(https:\/\/|mailto:)\S+$/i.test(url);

function readLogo(folder: string, name: string): Logo | undefined {
	const path = join(folder, name);
	if (!existsSync(path)) return undefined;
	const content = readFileSync(path);
	if (content.length > MAX_LOGO_BYTES) {
		throw new SettingError(`${name} is larger than ${MAX_LOGO_BYTES / 1024} KB.`);
	}
	const isPng = name.endsWith('.png');
	const isRight = isPng
		? content.subarray(0, PNG_START.length).equals(PNG_START)
		: /<svg[\s>]/i.test(content.toString());
	if (!isRight) throw new SettingError(`${name} isn't a picture in the format of its name.`);
	const version = createHash('sha256').update(content).digest('hex').slice(0, 8);
	return { type: isPng ? 'image/png' : 'image/svg+xml', content, version };
}
