import {
	assertRecipientsAllowed,
	getRecipientPolicy,
	listNotCovered,
	parseAllowedRecipients,
} from '../../../../nodes/EncryptedContainers/parameters/allowedRecipients';

const allowed = ['*@corp.example', 'bob@münchen.de', '*@*.partner.example'];
const check = (recipients: string[], raw: unknown, allowWildcards: boolean, list?: string[]) =>
	assertRecipientsAllowed(recipients, raw, 'Recipients', { allowed: list, allowWildcards });

it.each([
	...['Anna@CORP.example', '*@corp.example', 'a*@corp.example', 'bob@xn--mnchen-3ya.de'],
	...['x@eu.partner.example', '*@eu.partner.example'],
])('Allowed Recipients cover %s', (address) => {
	expect(() => check([address], '={{ $json.to }}', false, allowed)).not.toThrow();
});

it.each([
	...['anna@evil.example', 'anna@corp.example.evil.example', '*@*.example', '*@partner.example'],
	...['carl@münchen.de', '*@münchen.de'],
])('Allowed Recipients refuse %s by name', (address) => {
	expect(() => check(['anna@corp.example', address], address, true, allowed)).toThrow(
		expect.objectContaining({
			message: `"Allowed Recipients" in the node doesn't allow "${address}"`,
			description: expect.stringContaining('only "*@corp.example", "bob@münchen.de"'),
		}),
	);
});

it('Allowed Recipients name ten of those whom they refuse', () => {
	const many = Array.from({ length: 12 }, (_, index) => `a${index}@x.example`);
	expect(() => check(many, '', false, allowed)).toThrow(/"a9@x\.example" and 2 more$/);
});

it.each([
	['', '"Allowed Recipients" is empty'],
	[undefined, '"Allowed Recipients" is empty'],
	['everyone', '"everyone" in "Allowed Recipients" is not an email address'],
	['a@x.example, *@*', '"*@*" in "Allowed Recipients" stands for everybody'],
])('Allowed Recipients are no list: %j', (value, message) => {
	expect(() => parseAllowedRecipients(value)).toThrow(message);
});

it('the options make the policy', () => {
	const none = { allowed: undefined, allowWildcards: false };
	expect(getRecipientPolicy({})).toEqual(none);
	const options = { allowedRecipients: 'A@x.example', allowWildcards: true };
	expect(getRecipientPolicy(options)).toEqual({ allowed: ['A@x.example'], allowWildcards: true });
	for (const allowWildcards of ['maybe', undefined]) {
		expect(() => getRecipientPolicy({ allowWildcards })).toThrow('must be true or false');
	}
});

it.each([
	...["o'brien+a_b=c/d&e@x.example", 'anna_contoso.example#EXT#@tenant.example'],
	...['用户@例子.公司', 'jörg@münchen.de', 'bob@xn--mnchen-3ya.de', '*@*.example.com'],
])('a recipient is an address or a wildcard: %s', (address) => {
	expect(() => check([address], address, true)).not.toThrow();
});

it.each([
	...['∗@x.example', '⁎@x.example', '✱@x.example', '%2a@x.example', '％2a@x.example'],
	...['?@x.example', 'a@evil.example＠x.example', 'a@evil.example﹫x.example', 'a!b@x.example'],
	...['a@x.example%00.evil.example', 'a@[10.0.0.1]', 'a\u037ab@x.example', 'a\u2028b@x.example'],
	'everyone',
])('a recipient that could stand for somebody else is refused: %s', (address) => {
	const message = `"${address}" in "Recipients" is not an email address`;
	expect(() => check([address], address, true)).toThrow(message);
	expect(() => parseAllowedRecipients(address, 'Recipients')).toThrow(address.slice(-7));
	expect(listNotCovered([address], ['*@x.example', '*@evil.example'])).toEqual([address]);
});

it.each<[string[], unknown]>([
	[['*@x.example'], 'Team <*@x.example>; a@x.example'],
	[['*@x.example'], ['*@x.example']],
	[['*@x.example', 'a@b.example'], '=*@x.example, {{ $json.to }}'],
	[['a@b.example', '*@x.example'], '={{ $json.to }},*@x.example'],
	[['*@x.example'], '={ "recipients": ["*@x.example", "{{ $json.to }}"] }'],
	[['a@b.example', 'c@b.example'], '={{ $json.to }}'],
])('wildcards that are typed are fine, as are addresses: %j from %j', (recipients, raw) => {
	expect(() => check(recipients, raw, false)).not.toThrow();
});

it.each<[string, string[], unknown]>([
	['*@x.example', ['me@x.example'], '={{ $json.to }}'],
	['*@x.example', [], '={{ "*@x.example" }}'],
	['*@x.example', ['*@y.example'], '=*@y.example, {{ $json.to }}'],
	['*@x.example', [], '=*@{{ $json.domain }}'],
	['*@x.example', [], '=*@x.example{{ $json.more }}'],
	['＊@x.example', [], '={{ $json.to }}'],
	['*@x.example', [], ['={{ $json.to }}', '*@y.example']],
	['*@x.example', [], '={ "recipients": {{ $json.list }} }'],
	['*@x.example', [], undefined],
])('the wildcard %s of an expression is refused, beside %j: %j', (wildcard, others, raw) => {
	expect(() => check([...others, wildcard], raw, false)).toThrow(
		expect.objectContaining({
			message: `An expression in "Recipients" returned "${wildcard}"`,
			description: expect.stringMatching(/"Allowed Recipients".*"Allow Wildcards From Exp/),
		}),
	);
	expect(() => check([...others, wildcard], raw, true)).not.toThrow();
});

it.each(['*@*', '**@*', '*@*.*', '＊@＊', '*'])(
	'a wildcard for everybody is refused: %s',
	(all) => {
		expect(() => check([all], all, true)).toThrow(`"${all}" in "Recipients" stands for everybody`);
	},
);
