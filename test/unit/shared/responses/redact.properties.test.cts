import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { Redactor } from '../../../../nodes/shared/responses/redact';
import { always, anyText } from '../../support/seeded.cts';

const secret = fc
	.string({ unit: 'grapheme', minLength: 8, maxLength: 60 })
	.filter((text) => text.trim().length >= 8);
const forms = (text: string) => [
	text,
	JSON.stringify(text).slice(1, -1),
	encodeURIComponent(text),
	Buffer.from(text).toString('base64'),
];
const pause = async () => await Promise.resolve();

function strings(value: unknown): string[] {
	if (typeof value === 'string') return [value];
	if (typeof value !== 'object' || value === null) return [];
	return Object.entries(value).flatMap(([key, inner]) => [key, ...strings(inner)]);
}

describe('any secret of eight characters or more', () => {
	it('is redacted in text, in every encoding', async () => {
		await always(
			fc.property(secret, anyText, anyText, fc.nat(3), (hidden, before, after, form) => {
				const echoed = `${before}${forms(hidden)[form]}${after}`;
				const cleaned = new Redactor([hidden]).redactText(echoed);
				expect(cleaned).not.toContain(hidden);
				expect(cleaned).not.toContain(forms(hidden)[form]);
			}),
			100,
		);
	});

	it('is redacted in JSON, which stays JSON of the same shape', async () => {
		const response = (hidden: string) =>
			fc.letrec<{ value: unknown }>((tie) => ({
				value: fc.oneof(
					{ maxDepth: 3 },
					fc.constantFrom(hidden, `Bearer ${hidden}`, ...forms(hidden)),
					fc.jsonValue({ maxDepth: 0 }),
					fc.array(tie('value'), { maxLength: 4 }),
					fc.dictionary(fc.oneof(fc.string(), fc.constant(`x-${hidden}`)), tie('value'), {
						maxKeys: 4,
					}),
				),
			})).value;
		const cases = secret.chain((hidden) => fc.tuple(fc.constant(hidden), response(hidden)));
		await always(
			fc.asyncProperty(cases, async ([hidden, value]) => {
				const body = { response: value };
				const cleaned = await new Redactor([hidden]).redactJson(body as IDataObject, pause);
				expect(cleaned).toBe(body);
				for (const text of strings(cleaned)) {
					for (const form of forms(hidden)) expect(text).not.toContain(form);
				}
				expect(JSON.parse(JSON.stringify(cleaned))).toEqual(JSON.parse(JSON.stringify(body)));
			}),
			100,
		);
	});
});

it('any short secret is redacted where it stands alone', async () => {
	const short = fc.string({ minLength: 1, maxLength: 7 }).filter((text) => text.trim() === text);
	await always(
		fc.property(short, fc.constantFrom('"', ' ', ':', '', '(', '\n'), (hidden, edge) => {
			const redacted = new Redactor([hidden]).redactText(`${edge}${hidden}${edge}`);
			expect(redacted).toContain('[hidden]');
			if (/[^[\]hiden]/.test(hidden) && !hidden.includes(edge)) {
				expect(redacted).not.toContain(hidden);
			}
		}),
	);
});

it('any text without the secret stays unchanged', async () => {
	await always(
		fc.asyncProperty(secret, fc.jsonValue({ maxDepth: 3 }), async (hidden, value) => {
			const body = { value };
			const text = JSON.stringify(body);
			if (forms(hidden).some((form) => text.includes(form)) || /pass|key/i.test(text)) return;
			expect(await new Redactor([hidden]).redactJson(structuredClone(body), pause)).toEqual(body);
			expect(new Redactor([hidden]).redactText(text)).toBe(text);
		}),
	);
});
