import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LANGUAGES_FOLDER, readLanguages } from '../../src/brand/languages.mts';
import { isolate } from '../../src/brand/markup.mts';
import { createFormat, readPlaceholders } from '../../src/brand/sentences.mts';
import { chooseTexts, createTexts } from '../../src/brand/texts.mts';

const languages = readLanguages();
const english = languages.find(({ tag }) => tag === 'en')!;
const service = join(import.meta.dirname, '../..');

function readSources(folder: string, ending: RegExp): string {
	const names = readdirSync(join(service, folder), { recursive: true, encoding: 'utf8' });
	const files = names.filter((name) => ending.test(name));
	return files.map((name) => readFileSync(join(service, folder, name), 'utf8')).join('\n');
}

describe.each(languages)('$name', (language) => {
	const { sentences, locale, tag } = language;

	it('has all sentences and no others', () => {
		expect(Object.keys(sentences)).toEqual(Object.keys(english.sentences));
	});

	it('has the placeholders of the English sentences, and all plural forms of the language', () => {
		const forms = new Intl.PluralRules(locale).resolvedOptions().pluralCategories.sort();
		for (const [key, sentence] of Object.entries(sentences)) {
			const known = readPlaceholders(english.sentences[key], english.locale);
			// Such as =0, which is a sentence of its own in each language.
			const getExact = (plural: string[]) => plural.filter((form) => form.startsWith('='));
			const expected = [...known].map(([name, plural]) => [
				name,
				plural.length > 0 ? [...getExact(plural), ...forms] : [],
			]);
			const found = [...readPlaceholders(sentence, locale)];
			const sorted = found.map(([name, plural]) => [name, [...plural].sort()]).sort();
			expect([key, sorted]).toEqual([key, expected.sort()]);
		}
	});

	it('is written with the marks of its print, and says neither container nor DRM', () => {
		for (const [key, sentence] of Object.entries(sentences)) {
			expect([key, sentence]).toEqual([key, sentence.trim()]);
			expect([key, sentence]).not.toEqual([key, expect.stringMatching(/['"]|\.\.\.| {2}/)]);
			expect([key, sentence]).not.toEqual([key, expect.stringMatching(/\bcontainer|\bDRM\b/i)]);
		}
	});

	it('is in the list of who has read it', () => {
		const list = readFileSync(join(LANGUAGES_FOLDER, 'README.md'), 'utf8');
		expect(list).toMatch(new RegExp(`^\\| \`${tag}\` +\\| ${language.name} +\\| (no|yes)`, 'm'));
	});
});

it('each sentence is used, and each that is used exists', () => {
	const sources = readSources('src', /\.mts$/) + readSources('pages', /\.eta$/);
	const composed = [
		...['page.website', 'page.help', 'page.imprint', 'page.privacy'],
		...['genuine.title', 'genuine.host', 'genuine.account'],
		...['unbranded.title', 'unbranded.host', 'unbranded.account'],
		...['signIn', 'signInToSend'].flatMap((key) => [`${key}.title`, `${key}.lead`]),
		...['signIn.leadUnbranded', 'signInToSend.leadUnbranded'],
		...['code', 'codeToSend'].flatMap((key) => [`${key}.lead`, `${key}.late`, `${key}.button`]),
		...['send.tooLarge', 'send.tooMany', 'send.noFiles', 'send.badName', 'send.form'],
		...['send.unsafe', 'send.unscanned', 'send.full', 'send.ended', 'send.failed'],
		...['sendRefused.sender', 'sendRefused.starts', 'sendRefused.ended'],
		...['kind.text', 'kind.audio', 'kind.video', 'notShown.empty'],
		...['notShown.kind', 'notShown.media'],
		...['notShown.broken', 'notShown.locked', 'notShown.tooHeavy', 'notShown.timedOut'],
		...['notShown.busy', 'notShown.damaged', 'notShown.unread', 'notShown.unavailable'],
	];
	const isUsed = (key: string) => sources.includes(`'${key}'`) || composed.includes(key);
	expect(Object.keys(english.sentences).filter((key) => !isUsed(key))).toEqual([]);
	const rooms = [...new Set(Object.keys(english.sentences).map((key) => key.split('.')[0]))];
	const named = sources.matchAll(new RegExp(`'((?:${rooms.join('|')})\\.[a-z]\\w+)'`, 'gi'));
	// Actions of events, such as code.refuse, look alike.
	const actions = readSources('src/containers', /^trail\.mts$/);
	const isKnown = (key: string) => key in english.sentences || actions.includes(`'${key}'`);
	const unknown = [...named].map(([, key]) => key).filter((key) => !isKnown(key));
	expect(unknown).toEqual([]);
});

describe('a sentence', () => {
	const { html, text } = createFormat(
		{ ask: '<b>Ask</b> {owner} & {n, plural, one {# file} other {# files}}' },
		'en',
	);

	it('is text: only what the service puts in is markup', () => {
		const values = { owner: isolate('a<b>@example.com'), n: 1200 };
		expect(html('ask', values)).toBe(
			'&lt;b&gt;Ask&lt;/b&gt; <bdi>a&lt;b&gt;@example.com</bdi> &amp; 1,200 files',
		);
		expect(text('ask', values)).toBe('<b>Ask</b> a<b>@example.com & 1,200 files');
		expect(html('ask', { owner: '<i>', n: 1 })).toContain('&lt;i&gt; &amp; 1 file');
	});

	it('fails without one of its values', () => {
		expect(() => html('ask', { n: 1 })).toThrow('owner');
		expect(() => html('none')).toThrow();
	});
});

describe('what a visitor reads', () => {
	const all = languages.map((language) => createTexts(language, 'Europe/Berlin'));
	const byTag = (tag: string) => all.find((texts) => texts.tag === tag)!;
	const first = byTag('en');
	all.unshift(...all.splice(all.indexOf(first), 1));

	it.each([
		[undefined, undefined, 'en'],
		[undefined, '', 'en'],
		[undefined, '*', 'en'],
		[undefined, 'de-AT,de;q=0.9,en;q=0.8', 'de'],
		[undefined, 'sv,fr-CA;q=0.8,en;q=0.5', 'fr'],
		[undefined, 'pt-PT', 'pt'],
		[undefined, 'xx, ;q=, de;q=0', 'en'],
		['ja', 'de', 'ja'],
		['xx', 'de', 'de'],
	])('chosen %s, asked for %s: %s', (chosen, acceptLanguage, tag) => {
		expect(chooseTexts(all, chosen, acceptLanguage).tag).toBe(tag);
	});

	it.each([
		['en', '31 December 2026', '16:52 CET', '2.4 MB'],
		['de', '31. Dezember 2026', '16:52 MEZ', '2,4 MB'],
		['fr', '31 décembre 2026', /^16:52 UTC/, /^2,4\sMo$/],
		['pl', '31 grudnia 2026', '16:52 CET', /^2,4\sMB$/],
		['ja', '2026年12月31日', /^16:52 /, /^2\.4 ?MB$/],
		['ar', /^31 ديسمبر 2026$/, /04:52/, /^2\.4 /],
	])('%s writes days, times and sizes as its readers do', (tag, day, time, size) => {
		const texts = byTag(tag);
		const written = [
			texts.day('2026-12-31'),
			texts.time(Date.UTC(2026, 10, 28, 15, 52)),
			texts.size(2_400_000),
		];
		for (const [index, expected] of [day, time, size].entries()) {
			expect(written[index].replace(/[\u00a0\u200f\u061c]/g, ' ').trim()).toMatch(expected);
		}
	});

	it.each([
		[0, '0 bytes'],
		[1, '1 byte'],
		[999, '999 bytes'],
		[1000, '1 kB'],
		[14_336, '14 kB'],
		[999_499, '999 kB'],
		[999_700, '1 MB'],
		[2_350_000_000, '2.4 GB'],
		[5e15, '5,000 TB'],
	])('%s bytes are %s', (bytes, size) => {
		expect(first.size(bytes)).toBe(size);
	});
});
