import { assertLength } from '../../../../nodes/shared/parameters/lengths';
import { parseAddresses, parseList } from '../../../../nodes/shared/parameters/lists';
import { parseShortText } from '../../../../nodes/shared/parameters/scalars';

const text = (length: number) => 'x'.repeat(length);

describe('the length of what is entered', () => {
	it.each([
		['address', 320],
		['id', 2000],
		['name', 1000],
		['password', 200],
		['url', 2000],
	] as const)('is limited for each %s to %d characters', (kind, max) => {
		expect(() => assertLength(text(max), kind, 'Field')).not.toThrow();
		expect(() => assertLength(text(max + 1), kind, 'Field')).toThrow(
			`"Field" is longer than ${max} characters`,
		);
	});

	it('is limited for text, entries of lists and addresses, by the name of the field', () => {
		expect(() => parseShortText(text(1001), 'Container Name')).toThrow(
			'"Container Name" is longer than 1000 characters',
		);
		expect(() => parseList(['a', text(1001)], 'IP Addresses Allowed')).toThrow(
			'An entry in "IP Addresses Allowed" is longer than 1000 characters',
		);
		expect(() => parseAddresses(`a@b.c, ${text(310)}@example.com`, 'Recipients')).toThrow(
			'An address in "Recipients" is longer than 320 characters',
		);
	});

	it('says how long the value is, not what it is', () => {
		const secret = 'hunter2'.repeat(200);
		expect(() => assertLength(secret, 'password', 'Password')).toThrow(
			expect.objectContaining({
				description: expect.stringMatching(/^It has 1400 characters\. (?!.*hunter2)/),
			}),
		);
	});
});
