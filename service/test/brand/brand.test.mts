import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { wcagContrast } from 'culori';
import { BACKGROUNDS, createAccent } from '../../src/brand/accent.mts';
import { readBrand } from '../../src/brand/brand.mts';
import { limitLanguages, readLanguages } from '../../src/brand/languages.mts';
import { createFolder } from '../support/service.mts';

const AA = 4.5;
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"/>';
const BRAND = { name: 'Example Ltd' };

/** @param files what they hold, by their names */
function createBrand(files: Record<string, unknown>): string {
	const folder = createFolder();
	mkdirSync(join(folder, 'languages'));
	for (const [name, content] of Object.entries(files)) {
		const isText = typeof content === 'string' || Buffer.isBuffer(content);
		writeFileSync(join(folder, name), isText ? content : JSON.stringify(content));
	}
	return folder;
}

describe('the color of a company', () => {
	const hues = Array.from({ length: 25 }, (_, n) => Math.round((n * 360) / 25));
	const colors = hues.flatMap((hue) =>
		[5, 35, 65, 95].map((lightness) => `hsl(${hue} 90% ${lightness}%)`),
	);
	colors.push('#000', '#fff', '#808080', '#ffd400', 'rebeccapurple');

	it.each(colors)('can be read as text and behind text: %s', (color) => {
		const { light, dark } = createAccent(color)!;
		const { hardest, onAccent } = BACKGROUNDS.light;
		const contrasts = [
			wcagContrast(light, hardest),
			wcagContrast(light, '#ffffff'),
			wcagContrast(light, onAccent),
			wcagContrast(dark, BACKGROUNDS.dark.hardest),
			wcagContrast(dark, '#131518'),
			wcagContrast(dark, BACKGROUNDS.dark.onAccent),
		];
		expect(Math.min(...contrasts)).toBeGreaterThanOrEqual(AA);
	});

	it('stays where it can be read', () => {
		const accent = createAccent('#0b1f4b');
		expect(accent).toMatchObject({ brand: '#0b1f4b', light: '#0b1f4b' });
		expect(createAccent('#ffd400')).toMatchObject({ brand: '#ffd400', dark: '#ffd400' });
	});
});

describe('the files of a company', () => {
	it('give a name, a color, links, and logos', () => {
		const links = { website: 'https://example.com/', help: 'mailto:help@example.com' };
		const folder = createBrand({
			'brand.json': { ...BRAND, accent: '#2a9d8f', links },
			'logo.svg': SVG,
			'logo.png': PNG,
			'logo-dark.png': PNG,
		});
		expect(readBrand(folder)).toMatchObject({
			name: 'Example Ltd',
			accent: { brand: '#2a9d8f' },
			links,
			logo: { type: 'image/svg+xml' },
			darkLogo: { type: 'image/png' },
			mailLogo: { content: PNG },
		});
	});

	it.each([
		['{', /brand\.json can't be read: .*JSON/],
		['[]', /brand\.json must hold a JSON object\.$/],
		[{}, /"name" in brand\.json must be/],
		[{ name: 'A\nBcc: eve@example.com' }, /"name" in brand\.json must be/],
		[{ name: 'moc.\u202eelpmaxe' }, /"name" in brand\.json must be/],
		[{ ...BRAND, color: 'red' }, /brand\.json has "color", but can only have name, accent/],
		[{ ...BRAND, accent: 'reddish' }, /"accent" in brand\.json must be a color/],
		[{ ...BRAND, accent: '#ff000080' }, /"accent" in brand\.json must be a color/],
		[{ ...BRAND, links: { shop: 'https://a.b' } }, /has "shop", but can only have website, help/],
		[{ ...BRAND, links: { help: 'http://a.b' } }, /"help" in brand\.json must begin with https/],
		[{ ...BRAND, links: { help: 'javascript:alert(1)' } }, /"help" in brand\.json must begin/],
		[{ ...BRAND, links: { help: 'https://' } }, /"help" in brand\.json must begin with https/],
	])('are refused with one sentence: %j', (brand, sentence) => {
		const folder = createBrand({ 'brand.json': brand });
		expect(() => readBrand(folder)).toThrow(sentence);
	});

	it.each([
		['logo.png', SVG],
		['logo.svg', PNG],
		['logo-dark.svg', 'Hello'],
		['logo.svg', SVG + ' '.repeat(256 * 1024)],
	])('are refused with a logo that is none: %s', (name, content) => {
		const folder = createBrand({ 'brand.json': BRAND, [name]: content });
		expect(() => readBrand(folder)).toThrow(name);
	});
});

describe('the languages of a company', () => {
	const read = (tag: string, language: unknown) =>
		readLanguages(createBrand({ [`languages/${tag}.json`]: language }));
	const find = (tag: string, language: unknown) =>
		read(tag, language).find((known) => known.tag === tag);

	it('change sentences of ours, and leave the others', () => {
		const sentences = { 'files.from': 'Mandant: {owner}', 'page.help': '<b>Hilfe</b>' };
		const german = find('de', { sentences })!;
		expect(german).toMatchObject({ name: 'Deutsch', sentences });
		expect(german.sentences['files.download']).toBe('Herunterladen');
	});

	it('add one that is complete', () => {
		const { sentences } = readLanguages().find(({ tag }) => tag === 'en')!;
		expect(find('sv', { name: 'Svenska', sentences })).toMatchObject({
			...{ tag: 'sv', name: 'Svenska', locale: 'sv', direction: 'ltr' },
		});
	});

	it.each([
		['de', { sentences: { 'page.hlep': 'Hilfe' } }, /has the unknown sentence "page\.hlep"/],
		['de', { sentences: { 'files.from': 'Von {sender}' } }, /unknown placeholder \{sender\}/],
		['de', { sentences: { 'files.from': 'Von {owner' } }, /"files\.from" in .* can't be read/],
		['de', { sentences: { 'files.from': 1 } }, /"sentences" in .* must be an object of texts/],
		['de', [], /must hold a JSON object/],
		['sv', { sentences: {} }, /must have the "name" of its language/],
		['sv', { name: 'Svenska', sentences: {} }, /lacks the sentence "page\.error"/],
		['sv', { name: 'Svenska', locale: 'x_y', sentences: {} }, /"locale" in .* must be such as/],
		['sv', { name: 'Svenska', direction: 'up', sentences: {} }, /"direction" in .* must be ltr/],
	])('are refused with one sentence: %s %j', (tag, language, sentence) => {
		expect(() => read(tag, language)).toThrow(sentence);
	});

	it('are those of LANGUAGES, in its order', () => {
		const all = readLanguages();
		const toTags = (tags?: string[]) => limitLanguages(all, tags).map(({ tag }) => tag);
		expect(toTags(['de', 'EN'])).toEqual(['de', 'en']);
		expect(toTags()[0]).toBe('en');
		expect(toTags()).toHaveLength(all.length);
		expect(() => toTags(['de', 'xx'])).toThrow('LANGUAGES has xx, but can only have en, ar, de,');
	});
});
