import { IntlMessageFormat } from 'intl-messageformat';
import { escapeHtml, Markup } from './markup.mts';

/** Sentences in the common format of messages (ICU), by their keys in languages/en.json. */
export type Sentences = Record<string, string>;
export type Values = Record<string, string | number | Markup>;

/** Fills values into the sentences of a language. */
export function createFormat(sentences: Sentences, locale: string) {
	const parsed = new Map<string, IntlMessageFormat>();
	const toParts = (key: string, values?: Values) => {
		const sentence = parsed.get(key) ?? parseSentence(sentences[key], locale);
		parsed.set(key, sentence);
		return sentence.formatToParts<Markup>(values).map(({ value }) => value);
	};
	return {
		/** As HTML: everything is escaped but the markup of the values. */
		html: (key: string, values?: Values) =>
			toParts(key, values)
				.map((part) => (part instanceof Markup ? part.html : escapeHtml(part)))
				.join(''),
		text: (key: string, values?: Values) =>
			toParts(key, values)
				.map((part) => (part instanceof Markup ? part.text : String(part)))
				.join(''),
	};
}

/** Tags would be markup by whoever writes a language: they are text. @throws Error with what is wrong with it */
const parseSentence = (sentence: string, locale: string) =>
	new IntlMessageFormat(sentence, locale, undefined, { ignoreTag: true });

type Node = ReturnType<IntlMessageFormat['getAst']>[number];
type Options = Record<string, { value: Node[] }>;

/** What a sentence needs: each placeholder with its forms, none for a plain one. @throws Error with what is wrong */
export function readPlaceholders(sentence: string, locale: string): Map<string, string[]> {
	const found = new Map<string, string[]>();
	const visit = (nodes: Node[]) => {
		for (const node of nodes) {
			// 0 is text, and 7 the number of the plural form around it.
			if (node.type === 0 || node.type === 7) continue;
			const options: Options = 'options' in node ? (node.options as Options) : {};
			found.set(node.value as string, Object.keys(options));
			for (const { value } of Object.values(options)) visit(value);
		}
	};
	visit(parseSentence(sentence, locale).getAst());
	return found;
}
