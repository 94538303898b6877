import {
	assertRecipientsAllowed,
	getRecipientPolicy,
	listNotCovered,
	parseAllowedRecipients,
} from '../../../../nodes/EncryptedContainers/parameters/allowedRecipients';

const label = 'Recipients';
const allowed = ['*@corp.example', 'bob@münchen.de', '*@*.partner.example'];

describe('Allowed Recipients', () => {
	it.each([
		'Anna@CORP.example',
		'*@corp.example',
		'a*@corp.example',
		'bob@xn--mnchen-3ya.de',
		'x@eu.partner.example',
		'*@eu.partner.example',
	])('cover %s', (address) => {
		expect(() =>
			assertRecipientsAllowed([address], '={{ $json.to }}', label, {
				allowed,
				allowWildcards: false,
			}),
		).not.toThrow();
	});

	it.each([
		'anna@evil.example',
		'anna@corp.example.evil.example',
		'*@*.example',
		'*@partner.example',
		'carl@münchen.de',
		'*@münchen.de',
	])('refuse %s by name', (address) => {
		const check = () =>
			assertRecipientsAllowed(['anna@corp.example', address], address, label, {
				allowed,
				allowWildcards: true,
			});
		expect(check).toThrow(
			expect.objectContaining({
				message: `"Recipients" contains "${address}", but "Allowed Recipients" doesn't allow it`,
				description: expect.stringContaining('Allowed are "*@corp.example", "bob@münchen.de"'),
			}),
		);
	});

	it('name five of those whom they refuse', () => {
		const many = Array.from({ length: 7 }, (_, index) => `a${index}@x.example`);
		expect(() =>
			assertRecipientsAllowed(many, '', label, { allowed, allowWildcards: false }),
		).toThrow(/"a4@x\.example" and 2 more, but/);
	});

	it.each([
		['', '"Allowed Recipients" is empty'],
		[undefined, '"Allowed Recipients" is empty'],
		['everyone', '"everyone" in "Allowed Recipients" is not an email address'],
		['a@x.example, *@*', '"*@*" in "Allowed Recipients" stands for everybody'],
	])('are no list: %j', (value, message) => {
		expect(() => parseAllowedRecipients(value)).toThrow(message);
	});

	it('are an option', () => {
		expect(getRecipientPolicy({})).toEqual({ allowed: undefined, allowWildcards: false });
		expect(getRecipientPolicy({ allowedRecipients: 'A@x.example', allowWildcards: true })).toEqual({
			allowed: ['A@x.example'],
			allowWildcards: true,
		});
		expect(() => getRecipientPolicy({ allowWildcards: 'maybe' })).toThrow(
			'"Allow Wildcards From Expressions" must be true or false',
		);
	});
});

describe('a recipient', () => {
	const check = (address: string, allowWildcards = true) =>
		assertRecipientsAllowed([address], address, label, { allowWildcards });

	it.each([
		"o'brien+a_b=c/d&e@x.example",
		'anna_contoso.example#EXT#@tenant.example',
		'jörg@münchen.de',
		'用户@例子.公司',
		'bob@xn--mnchen-3ya.de',
		'*@*.example.com',
	])('is an address or a wildcard: %s', (address) => {
		expect(() => check(address)).not.toThrow();
	});

	it.each([
		'∗@x.example',
		'⁎@x.example',
		'✱@x.example',
		'%2a@x.example',
		'％2a@x.example',
		'?@x.example',
		'a@evil.example＠x.example',
		'a@evil.example﹫x.example',
		'a!b@x.example',
		'a@x.example%00.evil.example',
		'a@[10.0.0.1]',
		'a\u037ab@x.example',
		'a\u2028b@x.example',
		'everyone',
	])('that could stand for somebody else is refused: %s', (address) => {
		const message = `"${address}" in "Recipients" is not an email address`;
		expect(() => check(address)).toThrow(message);
		expect(() => parseAllowedRecipients(address, label)).toThrow(address.slice(-7));
		expect(listNotCovered([address], ['*@x.example', '*@evil.example'])).toEqual([address]);
	});
});

describe('a wildcard', () => {
	const check = (recipients: string[], raw: unknown, allowWildcards = false) =>
		assertRecipientsAllowed(recipients, raw, label, { allowWildcards });

	it.each<[string, string[], unknown]>([
		['typed', ['*@x.example'], 'Team <*@x.example>; a@x.example'],
		['typed in a list', ['*@x.example'], ['*@x.example']],
		['typed beside an expression', ['*@x.example', 'a@b.example'], '=*@x.example, {{ $json.to }}'],
		['typed behind one', ['a@b.example', '*@x.example'], '={{ $json.to }},*@x.example'],
		['typed in JSON', ['*@x.example'], '={ "recipients": ["*@x.example", "{{ $json.to }}"] }'],
		['absent, with several addresses', ['a@b.example', 'c@b.example'], '={{ $json.to }}'],
	])('is fine: %s', (_how, recipients, raw) => {
		expect(() => check(recipients, raw)).not.toThrow();
	});

	it.each<[string, string[], unknown]>([
		['as text', ['*@x.example'], '={{ $json.to }}'],
		['among addresses', ['me@x.example', '*@x.example'], '={{ $json.to }}'],
		['beside typed text', ['*@x.example', '*@y.example'], '=*@y.example, {{ $json.to }}'],
		['in part', ['*@x.example'], '=*@{{ $json.domain }}'],
		['next to typed text', ['*@x.example'], '=*@x.example{{ $json.more }}'],
		['in full width', ['＊@x.example'], '={{ $json.to }}'],
		['in a list of expressions', ['*@x.example'], ['={{ $json.to }}', '*@y.example']],
		['in JSON', ['*@x.example'], '={ "recipients": {{ $json.list }} }'],
		['of a field that is not there', ['*@x.example'], undefined],
	])('of an expression is refused: %s', (_how, recipients, raw) => {
		expect(() => check(recipients, raw)).toThrow(
			expect.objectContaining({
				message: `An expression in "Recipients" returned "${recipients.find((entry) => entry.includes('@x') && !entry.startsWith('me'))}"`,
				description: expect.stringMatching(/"Allowed Recipients".*"Allow Wildcards From Exp/),
			}),
		);
		expect(() => check(recipients, raw, true)).not.toThrow();
	});

	it.each(['*@*', '**@*', '*@*.*', '＊@＊', '*'])('for everybody is refused: %s', (address) => {
		expect(() => check([address], address, true)).toThrow(
			`"${address}" in "Recipients" stands for everybody`,
		);
	});
});
