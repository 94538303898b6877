import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SettingError } from '../errors.mts';
import { isObject, readJsonFile } from './brand.mts';
import { readPlaceholders, type Sentences } from './sentences.mts';

/** One file of a folder with languages. */
export interface Language {
	/** Its BCP 47 tag and the name of its file, such as `de` or `pt-PT`. */
	tag: string;
	/** As its speakers write it. */
	name: string;
	/** How dates and numbers are written: a locale of Intl. */
	locale: string;
	direction: 'ltr' | 'rtl';
	sentences: Sentences;
}

export const LANGUAGES_FOLDER = fileURLToPath(new URL('../../pages/languages', import.meta.url));
const SOURCE = 'en';

/** All languages of the service, with those that a company adds and the texts that it changes. @throws SettingError */
export function readLanguages(brandFolder?: string): Language[] {
	const languages = new Map<string, Language>();
	for (const path of listFiles(LANGUAGES_FOLDER)) {
		const language = readLanguage(path);
		languages.set(language.tag, language);
	}
	const source = languages.get(SOURCE)!;
	for (const path of brandFolder === undefined ? [] : listFiles(join(brandFolder, 'languages'))) {
		const language = readLanguage(path, languages.get(toTag(path)));
		checkSentences(path, language, source);
		languages.set(language.tag, language);
	}
	return [...languages.values()];
}

/** The languages that LANGUAGES names, in its order: the first one is for whoever speaks none. @throws SettingError */
export function limitLanguages(languages: Language[], tags?: string[]): Language[] {
	const first = [SOURCE, ...languages.map(({ tag }) => tag).filter((tag) => tag !== SOURCE)];
	return (tags ?? first).map((tag) => {
		const language = languages.find((known) => known.tag.toLowerCase() === tag.toLowerCase());
		if (language !== undefined) return language;
		throw new SettingError(`LANGUAGES has ${tag}, but can only have ${first.join(', ')}.`);
	});
}

const toTag = (path: string) => basename(path, '.json');

function listFiles(folder: string): string[] {
	const names = existsSync(folder) ? readdirSync(folder).sort() : [];
	return names.filter((name) => name.endsWith('.json')).map((name) => join(folder, name));
}

function readLanguage(path: string, known?: Language): Language {
	const tag = toTag(path);
	const file = readJsonFile(path);
	const { name = known?.name, locale = known?.locale ?? tag } = file;
	const { direction = known?.direction ?? 'ltr', sentences } = file;
	if (typeof name !== 'string')
		throw new SettingError(`${path} must have the "name" of its language.`);
	if (!isLocale(locale)) throw new SettingError(`"locale" in ${path} must be such as de or pt-BR.`);
	if (direction !== 'ltr' && direction !== 'rtl') {
		throw new SettingError(`"direction" in ${path} must be ltr or rtl.`);
	}
	if (!isObject(sentences) || !Object.values(sentences).every((text) => typeof text === 'string')) {
		throw new SettingError(`"sentences" in ${path} must be an object of texts.`);
	}
	const all = { ...known?.sentences, ...(sentences as Sentences) };
	return { tag, name, locale, direction, sentences: all };
}

const isLocale = (locale: unknown): locale is string => {
	try {
		return typeof locale === 'string' && Intl.getCanonicalLocales(locale).length === 1;
	} catch {
		return false;
	}
};

/** A page with a sentence that can't be filled in would be an error for a customer. */
function checkSentences(path: string, { sentences, locale }: Language, source: Language): void {
	for (const key of Object.keys({ ...source.sentences, ...sentences })) {
		const original = source.sentences[key];
		if (original === undefined)
			throw new SettingError(`${path} has the unknown sentence "${key}".`);
		if (!(key in sentences)) throw new SettingError(`${path} lacks the sentence "${key}".`);
		const known = readPlaceholders(original, source.locale);
		const unknown = [...readFrom(path, key, sentences[key], locale).keys()];
		const wrong = unknown.find((placeholder) => !known.has(placeholder));
		if (wrong === undefined) continue;
		throw new SettingError(
			`The sentence "${key}" in ${path} has the unknown placeholder {${wrong}}.`,
		);
	}
}

function readFrom(path: string, key: string, sentence: string, locale: string) {
	try {
		return readPlaceholders(sentence, locale);
	} catch (error) {
		const reason = (error as Error).message;
		throw new SettingError(`The sentence "${key}" in ${path} can't be read: ${reason}.`);
	}
}
