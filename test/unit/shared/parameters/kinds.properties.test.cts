import fc from 'fast-check';
import { UserError } from 'n8n-workflow';
import { parseAddresses } from '../../../../nodes/shared/parameters/lists';
import { kinds, label, type Kind } from '../../support/kinds.cts';
import { always, anyText } from '../../support/seeded.cts';

it.each(Object.keys(kinds) as Kind[])(
	'%s is parsed or refused with the name of the field, whatever the value',
	async (kind) => {
		const values = fc.oneof(
			fc.anything({ withDate: true, withBigInt: true, withNullPrototype: true }),
			anyText,
		);
		await always(
			fc.property(values, (value) => {
				try {
					kinds[kind](value);
				} catch (error) {
					expect(error).toBeInstanceOf(UserError);
					const { message, description } = error as UserError;
					expect(message).toContain(`"${label}"`);
					expect(description).toContain(`"${label}"`);
				}
			}),
			2000,
		);
	},
);

describe('an address', () => {
	it('is the same whatever surrounds it, one or many', async () => {
		const part = fc.stringMatching(/^[a-z0-9.+*-]{1,12}$/);
		const address = fc.tuple(part, part).map(([local, domain]) => `${local}@${domain}`);
		const surround = fc.constantFrom(
			(text: string) => text,
			(text: string) => ` ${text} `,
			(text: string) => `"${text}"`,
			(text: string) => `'${text}'`,
			(text: string) => `<${text}>`,
			(text: string) => `"Berg, Anna" <${text}>`,
			(text: string) => `mailto:${text}`,
		);
		const form = fc.constantFrom<(texts: string[]) => unknown>(
			(texts) => texts,
			(texts) => texts.join(', '),
			(texts) => `${texts.join(';\n')};`,
			(texts) => JSON.stringify(texts),
			(texts) => texts.map((email) => ({ email })),
		);
		await always(
			fc.property(
				fc.uniqueArray(address, { minLength: 1, maxLength: 5 }),
				surround,
				form,
				(addresses, wrap, arrange) => {
					expect(parseAddresses(arrange(addresses.map(wrap)), label)).toEqual(addresses);
				},
			),
		);
	});

	it('is parsed quickly, even when it is long', () => {
		const startedAt = Date.now();
		for (const text of [
			`a${' '.repeat(100_000)}b`,
			'"'.repeat(100_000),
			`mailto:${'?'.repeat(100_000)}`,
			`<${'<'.repeat(100_000)}`,
		]) {
			expect(() => parseAddresses([text], label)).toThrow(`in "${label}"`);
		}
		expect(Date.now() - startedAt).toBeLessThan(5_000);
	});
});
