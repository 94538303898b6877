import fc from 'fast-check';
import { findServiceMessage } from '../../../../nodes/shared/responses/serviceMessage';
import { toBody } from '../../support/body.cts';
import { always, anyText } from '../../support/seeded.cts';

const types = fc.constantFrom('application/json', 'text/html', 'text/plain', '', 'nonsense');

function hasPrototypeKey(value: unknown): boolean {
	if (typeof value !== 'object' || value === null) return false;
	return Object.hasOwn(value, '__proto__') || Object.values(value).some(hasPrototypeKey);
}

/** What JavaScript would round is text. */
const withLargeNumbersAsText = (text: string) =>
	JSON.parse(text, (_key, value: unknown) =>
		Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(String(value))
			? String(value)
			: value,
	) as unknown;

describe('any body', () => {
	it('parses, has a message or none, and never throws', async () => {
		const cutJson = fc.tuple(fc.json(), fc.nat()).map(([text, end]) => text.slice(0, end % 50));
		await always(
			fc.asyncProperty(fc.oneof(anyText, fc.json(), cutJson), types, async (text, type) => {
				const body = await toBody(text, type);
				expect(['json', 'text', 'html', 'invalidJson', 'empty']).toContain(body.kind);
				const words = findServiceMessage(body);
				expect(words === undefined || (words.length > 0 && words.length <= 501)).toBe(true);
			}),
			1_000,
		);
	});

	it('that is JSON is returned unchanged, except keys of the prototype and large numbers', async () => {
		await always(
			fc.asyncProperty(fc.jsonValue(), types, async (value, type) => {
				expect(await toBody(JSON.stringify(value), type)).toEqual({
					kind: 'json',
					value: withLargeNumbersAsText(JSON.stringify(value)),
				});
			}),
			1_000,
		);
	});

	it('with nested keys of the prototype loses all of them', async () => {
		const key = fc.constantFrom('"__proto__"', '"\\u005f_proto__"', '"a"');
		const trapped = fc.letrec<{ value: string }>((tie) => ({
			value: fc.oneof(
				{ maxDepth: 4 },
				fc.constant('1'),
				fc.array(tie('value'), { maxLength: 3 }).map((parts) => `[${parts.join(',')}]`),
				fc
					.array(fc.tuple(key, tie('value')), { maxLength: 3 })
					.map((pairs) => `{${pairs.map((pair) => pair.join(':')).join(',')}}`),
			),
		})).value;
		await always(
			fc.asyncProperty(trapped, async (text) => {
				const body = await toBody(text);
				expect(body.kind).toBe('json');
				expect(hasPrototypeKey(body)).toBe(false);
			}),
			1_000,
		);
	});
});
