import type { IDataObject } from 'n8n-workflow';
import { assertAllowed } from '../../../../nodes/EncryptedContainers/parameters/guardrails';

const today = '2026-11-22';
const guardrails = { allowedRecipients: ['*@x.example'], maxAccessDays: 30, forbidDownload: true };
const noGuardrails = { forbidDownload: false };
const good = { recipients: ['a@x.example'], downloadable: false, time: { end: '2026-12-22' } };

const check = (rules: IDataObject) => () => assertAllowed('rules', rules, guardrails, today);
const checkManifest = (manifest: IDataObject) => () =>
	assertAllowed('manifest', manifest as { container: IDataObject }, guardrails, today);

describe('JSON with guardrails', () => {
	it.each<[string, IDataObject]>([
		['all documented rules', { ...good, dynamic: true, opens: 3, geo: {}, ip: {} }],
		['finer rules for places', { geo: { allow: [{ country: 'US', city: 'Boston' }], block: [] } }],
		['IP rules', { ip: { allow: ['192.0.2.0/24'], block: ['192.0.2.7'] } }],
		['a rule that is cleared', { geo: null, ip: '', opens: null }],
		['only a start', { time: { start: '2030-01-01' } }],
	])('can have %s', (_what, rules) => {
		expect(check(rules)).not.toThrow();
	});

	it.each<[string, string]>([
		['addRecipients', '{"addRecipients":["eve@z.example"]}'],
		['Recipients', '{"Recipients":["a@x.example"]}'],
		['expires', '{"expires":null}'],
		['groups', '{"groups":{}}'],
		['drm', '{"drm":{"recipients":["a@x.example"]}}'],
		['time.end', '{"time.end":"2099-12-31"}'],
		['__proto__', '{"__proto__":{"recipients":["eve@z.example"]}}'],
	])("can't have %s", (field, json) => {
		const refusal = check(JSON.parse(json) as IDataObject);

		expect(refusal).toThrow(`The credential doesn't allow "${field}`);
		expect(() =>
			assertAllowed('rules', JSON.parse(json) as IDataObject, noGuardrails, today),
		).not.toThrow();
	});

	it.each<[string, IDataObject]>([
		['recipients', { container: { name: 'n', drm: good }, recipients: ['a@x.example'] }],
		['emails', { container: { name: 'n', emails: ['eve@z.example'], drm: good } }],
		['time', { container: { name: 'n', time: good.time, drm: good } }],
		['drm', { container: { ...good, drm: JSON.stringify(good), time: undefined } }],
		['drm', { container: { name: 'n', drm: [good] } }],
		['groups', { container: { name: 'n', drm: { ...good, groups: ['eve@z.example'] } } }],
	])("can't have %s in a manifest", (field, manifest) => {
		expect(checkManifest(JSON.parse(JSON.stringify(manifest)) as IDataObject)).toThrow(
			`The credential doesn't allow "${field}"`,
		);
	});

	it('can have the documented fields of a manifest', () => {
		const { recipients, downloadable, time } = good;
		const container = { name: 'n', password: 'p', recipients, downloadable, drm: { time } };
		const files = { 'a.pdf': { hidden: true } };
		expect(checkManifest({ container, files })).not.toThrow();
		expect(
			checkManifest({ container: { ...container, drm: { time: { start: time.end } } } }),
		).toThrow("The credential doesn't allow access without an end");
		const isOff = { time, downloadable: false };
		expect(checkManifest({ container: { ...container, downloadable: null, drm: isOff } })).toThrow(
			"The credential doesn't allow files that can be downloaded",
		);
	});
});

describe('rules with guardrails', () => {
	it.each<[string, IDataObject]>([
		['a download as text', { downloadable: 'false' }],
		['a download as a number', { downloadable: 0 }],
		['a download that is cleared', { downloadable: '' }],
		['a window that is cleared', { time: null }],
		['a window of nothing', { time: {} }],
		['a window as a list', { time: [{ end: '2026-12-01' }] }],
		['recipients as an object', { recipients: { add: ['a@x.example'] } }],
		['recipients in a list', { recipients: [['a@x.example']] }],
		['downloads in a list', { downloadable: [false, true] }],
		['an end that is cleared', { time: { end: null } }],
		['an end in words', { time: { end: 'never-ending' } }],
		['an end in seconds', { time: { end: 1_796_083_200 } }],
		['an end in milliseconds, as text', { time: { end: '1796083200000' } }],
		['an end a day too late', { time: { end: '2026-12-23' } }],
		['a wildcard that is wider', { recipients: ['*@*x.example'] }],
		['another domain in disguise', { recipients: ['a@x.example。z.example'] }],
		['two addresses in one', { recipients: ['eve@z.example, a@x.example'] }],
		['two addresses in one text', { recipients: 'a@x.example|eve@z.example' }],
		['an address as a name', { recipients: ['eve@z.example <a@x.example>'] }],
	])("can't have %s", (_what, rules) => {
		expect(check(rules)).toThrow("credential doesn't allow ");
	});

	it.each<[string, IDataObject]>([
		['the last day that is allowed', { time: { end: '2026-12-22T23:59:59.999Z' } }],
		['capitals', { recipients: ['A@X.Example'] }],
		['a narrower wildcard', { recipients: ['sales-*@x.example'] }],
	])('can have %s', (_what, rules) => {
		expect(check(rules)).not.toThrow();
	});
});
