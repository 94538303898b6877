import { isPasswordName, mentionsPassword } from '../../../../nodes/shared/responses/passwordNames';

describe('the name of a field for a password', () => {
	it.each([
		...['password', 'Password', 'PASSWORD', 'passWord', 'passwords', 'passwd', 'passphrase'],
		...['passcode', 'PassCode', 'pass_code', 'pass', 'pwd', 'pw', 'PIN', 'pins', 'pinCode'],
		...['secret', 'SECRET', 'viewerPassword', 'viewer_password', 'user-pin', 'userPIN', 'pin2'],
		...['api_key', 'apiKey', 'API-Key', 'Passwort'],
	])('is recognized: %s', (name) => {
		expect(isPasswordName(name)).toBe(true);
	});

	it.each([
		...[
			'name',
			'opinion',
			'shipping',
			'secretary',
			'compass',
			'key',
			'passport',
			'spin',
			'pink',
			'',
		],
		...['password_changed_at', 'has_password_rule', 'pin_count', 'uuid', 'Größe'],
	])('is not: %s', (name) => {
		expect(isPasswordName(name)).toBe(false);
	});
});

describe('the name of a field about a password', () => {
	it.each([
		...['password', 'password_changed_at', 'hasPasswordRule', 'pinCount', 'user_pins_left'],
		...['apiKeyOwner', 'pass code hint', 'kennwortRegel'],
	])('is recognized: %s', (name) => {
		expect(mentionsPassword(name)).toBe(true);
	});

	it.each(['name', 'opinion', 'shippingDate', 'pink', 'keyOwner', 'spin_count', ''])(
		'is not: %s',
		(name) => {
			expect(mentionsPassword(name)).toBe(false);
		},
	);
});
