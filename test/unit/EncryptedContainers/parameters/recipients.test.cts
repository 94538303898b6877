import type { IDataObject, INodeParameters } from 'n8n-workflow';
import {
	assertRecipientsAllowed,
	listNotCovered,
	parseAllowedRecipients,
	parseRecipients,
} from '../../../../nodes/EncryptedContainers/parameters/recipients';
import { Parameters } from '../../../../nodes/shared/parameters/fields';
import { assertAllowed } from '../../../../nodes/EncryptedContainers/parameters/guardrails';

const allowed = ['*@corp.example', 'bob@münchen.de', '*@*.partner.example'];
const createParameters = (
	fields: INodeParameters,
	{ allowedRecipients, ...others }: IDataObject,
) => {
	const options: IDataObject = allowedRecipients ? { ...others, allowedRecipients } : others;
	const raw = { ...fields, options: options as INodeParameters };
	return new Parameters(raw, (path) => options[path.replace('options.', '')]);
};
const check = (recipients: string[], raw: unknown, allowWildcards: boolean, list?: string[]) =>
	assertRecipientsAllowed(
		createParameters({ recipients: raw as string }, { allowWildcards, allowedRecipients: list }),
		recipients,
		{ name: 'recipients', displayName: 'Recipients' },
	);

it.each([
	...['Anna@CORP.example', '*@corp.example', 'bob@xn--mnchen-3ya.de'],
	...['x@eu.partner.example', '*@eu.partner.example'],
])('Allowed Recipients cover %s', (address) => {
	expect(() => check([address], '={{ $json.to }}', false, allowed)).not.toThrow();
});

it.each([
	...['anna@evil.example', 'anna@corp.example.evil.example', '*@partner.example'],
	...['carl@münchen.de', '*@münchen.de', 'anna@corp.example。evil.example'],
])('Allowed Recipients refuse %s by name', (address) => {
	expect(() => check(['anna@corp.example', address], address, true, allowed)).toThrow(
		expect.objectContaining({
			message: `"Allowed Recipients" in the node doesn't allow "${address}"`,
			description: expect.stringContaining('only "*@corp.example", "bob@münchen.de"'),
		}),
	);
});

it.each([
	['', '"Allowed Recipients" is empty'],
	[undefined, '"Allowed Recipients" is empty'],
	['everyone', '"everyone" in "Allowed Recipients" is not an email address'],
	['a@x.example, *@*', '"*@*" in "Allowed Recipients" stands for everybody'],
])('Allowed Recipients are no list: %j', (value, message) => {
	expect(() => parseAllowedRecipients(value)).toThrow(message);
});

it('an option for recipients must have a value', () => {
	for (const options of [{ allowWildcards: 'maybe' }, { allowWildcards: undefined }]) {
		const [parameters, field] = [createParameters({}, options), { name: 'to', displayName: 'To' }];
		expect(() => assertRecipientsAllowed(parameters, [], field)).toThrow('true or false');
	}
});

it.each([
	...["o'brien+a_b=c/d&e@x.example", 'anna_contoso.example#EXT#@tenant.example'],
	...['用户@例子.公司', 'jörg@münchen.de', 'bob@xn--mnchen-3ya.de', '*@example.com'],
	...['a!b@example.com', 'a%b@example.com', 'a/b@example.com'],
])('a recipient is an address or a wildcard: %s', (address) => {
	expect(() => check([address], address, true)).not.toThrow();
});

it.each([
	...['∗@x.example', '⁎@x.example', '✱@x.example', '%2a@x.example', '％2a@x.example'],
	...['?@x.example', 'a@evil.example＠x.example', 'a@evil.example﹫x.example'],
	...['a@x.example%00.evil.example', 'a@[10.0.0.1]', 'a\u037ab@x.example', 'a\u2028b@x.example'],
	...['everyone', 'anna@example', 'a@x.example, b@x.example'],
])('a recipient that could stand for somebody else is refused: %s', (address) => {
	const message = `"${address}" in "Recipients" is not an email address`;
	expect(() => check([address], address, true)).toThrow(message);
	expect(listNotCovered([address], ['*@x.example', '*@evil.example'])).toEqual([address]);
});

it.each([
	'a*@example.com',
	'*a@example.com',
	'*@*.example.com',
	'anna@*.example.com',
	'*.a@b.example',
])('a wildcard that the service takes from nobody is refused as a recipient: %s', (address) => {
	const message = `"${address}" in "Recipients" is a wildcard that no recipient can have`;
	expect(() => check([address], address, true)).toThrow(message);
	expect(() => parseRecipients(address, 'Recipients')).toThrow(message);
	expect(parseAllowedRecipients(address)).toEqual([address]);
});

it('nobody in a list of recipients is left out', () => {
	const entries = [null, 'a@x.example', undefined, { email: null }, { email: undefined }];
	expect(parseRecipients(entries, 'Recipients')).toEqual(['a@x.example']);
	expect(parseRecipients('[null, "a@x.example"]', 'Recipients')).toEqual(['a@x.example']);
});

it('a wildcard for everybody is refused', () => {
	expect(() => check(['**@*'], '**@*', true)).toThrow(
		'"**@*" in "Recipients" stands for everybody',
	);
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

const guardrails = { allowedRecipients: ['*@x.example'], maxAccessDays: 30, forbidDownload: true };
const end = '2026-12-22';
const good = { recipients: ['a@x.example'], downloadable: false, time: { end } };
const { recipients, downloadable, time } = good;

const checkRules =
	(rules: IDataObject, limits: object = guardrails) =>
	() =>
		assertAllowed('change', rules, limits, '2026-11-22');
const checkManifest =
	(container: object, more = {}) =>
	() =>
		assertAllowed('manifest', { container: { ...container }, ...more }, guardrails, '2026-11-22');

it.each<[string, IDataObject]>([
	['all documented rules', { ...good, dynamic: true, opens: 3, geo: {}, ip: {} }],
	['a rule that is cleared', { geo: null, ip: '', opens: null }],
	['only a start', { time: { start: '2030-01-01' } }],
	['the last day that is allowed', { time: { end: `${end}T23:59:59.999Z` } }],
	['a narrower wildcard, in capitals', { recipients: ['sales-*@X.example'] }],
])('rules with guardrails can have %s', (_what, rules) => {
	expect(checkRules(rules)).not.toThrow();
});

it.each([
	['addRecipients', '{"addRecipients":["eve@z.example"]}'],
	['drm', '{"drm":{"recipients":["a@x.example"]}}'],
	['__proto__', '{"__proto__":{"recipients":["eve@z.example"]}}'],
])("rules with guardrails can't have the undocumented field %s", (field, json) => {
	const rules = JSON.parse(json) as IDataObject;
	expect(checkRules(rules)).toThrow(`The credential doesn't allow "${field}`);
	expect(checkRules(rules, { forbidDownload: false })).not.toThrow();
});

it.each<[string, IDataObject]>([
	['a download as text', { downloadable: 'false' }],
	['a download that is cleared', { downloadable: '' }],
	['a window that is cleared', { time: null }],
	['a window of nothing', { time: {} }],
	['a window as a list', { time: [{ end: '2026-12-01' }] }],
	['an end that is cleared', { time: { end: null } }],
	['an end in words', { time: { end: 'never-ending' } }],
	['an end in seconds', { time: { end: 1_796_083_200 } }],
	['an end in milliseconds, as text', { time: { end: '1796083200000' } }],
	['an end a day too late', { time: { end: '2026-12-23' } }],
	['recipients as an object', { recipients: { add: ['a@x.example'] } }],
	['recipients in a list', { recipients: [['a@x.example']] }],
	['two addresses in one text', { recipients: 'a@x.example|eve@z.example' }],
	['an address as a name', { recipients: ['eve@z.example <a@x.example>'] }],
])("rules with guardrails can't have %s", (_what, rules) => {
	expect(checkRules(rules)).toThrow("credential doesn't allow ");
});

it.each<[string, object, object?]>([
	['"recipients"', { drm: good }, { recipients }],
	['"emails"', { emails: ['eve@z.example'], drm: good }],
	['"time"', { time, drm: good }],
	['"drm"', { recipients, downloadable, drm: JSON.stringify(good) }],
	['"groups"', { drm: { ...good, groups: ['eve@z.example'] } }],
	['access without an end', { recipients, downloadable, drm: { time: { start: end } } }],
	['files that can be downloaded', { drm: { time, recipients } }],
	['files that can be downloaded', { downloadable: null, drm: good }],
])("a manifest with guardrails can't have %s", (what, container, ...[more]) => {
	expect(checkManifest(container, more)).toThrow(`The credential doesn't allow ${what}`);
});

it('a manifest with guardrails can have all documented fields', () => {
	const container = { name: 'n', password: 'p', recipients, downloadable, drm: { time } };
	expect(checkManifest(container, { files: { 'a.pdf': { hidden: true } } })).not.toThrow();
});
