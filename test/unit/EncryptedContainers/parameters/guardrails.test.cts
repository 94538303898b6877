import type { IDataObject } from 'n8n-workflow';
import { assertAllowed } from '../../../../nodes/EncryptedContainers/parameters/guardrails';

const guardrails = { allowedRecipients: ['*@x.example'], maxAccessDays: 30, forbidDownload: true };
const end = '2026-12-22';
const good = { recipients: ['a@x.example'], downloadable: false, time: { end } };
const { recipients, downloadable, time } = good;

const check =
	(rules: IDataObject, limits: object = guardrails) =>
	() =>
		assertAllowed('rules', rules, limits, '2026-11-22');
const checkManifest =
	(container: object, more = {}) =>
	() =>
		assertAllowed('manifest', { container: { ...container }, ...more }, guardrails, '2026-11-22');

it.each<[string, IDataObject]>([
	['all documented rules', { ...good, dynamic: true, opens: 3, geo: {}, ip: {} }],
	['finer rules for places', { geo: { allow: [{ country: 'US', city: 'Boston' }], block: [] } }],
	['a rule that is cleared', { geo: null, ip: '', opens: null }],
	['only a start', { time: { start: '2030-01-01' } }],
	['the last day that is allowed', { time: { end: `${end}T23:59:59.999Z` } }],
	['capitals', { recipients: ['A@X.Example'] }],
	['a narrower wildcard', { recipients: ['sales-*@x.example'] }],
])('rules with guardrails can have %s', (_what, rules) => {
	expect(check(rules)).not.toThrow();
});

it.each([
	['addRecipients', '{"addRecipients":["eve@z.example"]}'],
	['Recipients', '{"Recipients":["a@x.example"]}'],
	['drm', '{"drm":{"recipients":["a@x.example"]}}'],
	['time.end', '{"time.end":"2099-12-31"}'],
	['__proto__', '{"__proto__":{"recipients":["eve@z.example"]}}'],
])("rules with guardrails can't have the undocumented field %s", (field, json) => {
	const rules = JSON.parse(json) as IDataObject;
	expect(check(rules)).toThrow(`The credential doesn't allow "${field}`);
	expect(check(rules, { forbidDownload: false })).not.toThrow();
});

it.each<[string, IDataObject]>([
	['a download as text', { downloadable: 'false' }],
	['a download as a number', { downloadable: 0 }],
	['a download that is cleared', { downloadable: '' }],
	['downloads in a list', { downloadable: [false, true] }],
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
	['a wildcard that is wider', { recipients: ['*@*x.example'] }],
	['another domain in disguise', { recipients: ['a@x.example。z.example'] }],
	['two addresses in one', { recipients: ['eve@z.example, a@x.example'] }],
	['two addresses in one text', { recipients: 'a@x.example|eve@z.example' }],
	['an address as a name', { recipients: ['eve@z.example <a@x.example>'] }],
])("rules with guardrails can't have %s", (_what, rules) => {
	expect(check(rules)).toThrow("credential doesn't allow ");
});

it.each<[string, object, object?]>([
	['"recipients"', { drm: good }, { recipients }],
	['"emails"', { emails: ['eve@z.example'], drm: good }],
	['"time"', { time, drm: good }],
	['"drm"', { recipients, downloadable, drm: JSON.stringify(good) }],
	['"drm"', { drm: [good] }],
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
