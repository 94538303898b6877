import { findPasswords } from '../../../../nodes/EncryptedContainers/parameters/passwords';

describe('the passwords in JSON', () => {
	it('are found at any depth, in lists and objects, as text and as numbers', () => {
		const json = {
			container: {
				name: 'Invoice',
				Password: 'first',
				drm: { passcode: 'second', opens: 3 },
			},
			files: [{ PIN: 4829 }, { unlock: { viewer_secrets: ['fourth', { value: 'fifth' }] } }],
			passwordHint: 'sixth',
		};
		expect(findPasswords(json, 'Rules (JSON)').sort()).toEqual(
			['first', 'second', '4829', 'fourth', 'fifth', 'sixth'].sort(),
		);
	});

	it('are not switches, nothing or empty text', () => {
		expect(
			findPasswords({ password: true, pin: null, secret: '', pass: {} }, 'Rules (JSON)'),
		).toEqual([]);
	});

	it('are found without recursion', () => {
		let json: Record<string, unknown> = { password: 'deep' };
		for (let depth = 0; depth < 100_000; depth += 1) json = { json };
		expect(findPasswords(json, 'Rules (JSON)')).toEqual(['deep']);
	});

	it('can be twenty', () => {
		const pins = Array.from({ length: 20 }, (_, index) => `pin ${index}`);
		expect(findPasswords({ pins }, 'Rules (JSON)')).toHaveLength(20);
	});

	it.each([
		[{ pin: 'x'.repeat(201) }, 'A password in "Rules (JSON)" is longer than 200 characters'],
		[
			{ pins: Array.from({ length: 21 }, (_, index) => index) },
			'"Rules (JSON)" contains more than 20 passwords',
		],
	])('are an error where they are too long or too many', (json, message) => {
		expect(() => findPasswords(json, 'Rules (JSON)')).toThrow(message);
	});
});
