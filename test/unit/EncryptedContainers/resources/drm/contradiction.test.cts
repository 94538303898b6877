import type { DrmRules } from '../../../../../nodes/shared/api/drmRules';
import {
	findContradiction,
	findProblem,
} from '../../../../../nodes/EncryptedContainers/resources/drm/contradiction';
import { rowsOf } from '../../../../support/texts.cts';

/** What was sent, what the service reports, and the rule in which they differ. */
const reports = rowsOf<[sent: DrmRules, reported: DrmRules, key?: string]>(`
	the same: [{ opens: 3, recipients: [a@x] }, { opens: 3, recipients: [A@x] }]
	less: [{ opens: 3, recipients: [a@x] }, { opens: 3 }]
	more: [{ opens: 3 }, { opens: 3, dynamic: true, recipients: [b@x] }]
	more in a rule: [{ geo: { allow: [{ country: CH }] } }, { geo: { allow: [{ country: CH, city: null }], block: [{ country: US }] } }]
	countries as names: [{ geo: { allow: [{ country: CH }] } }, { geo: { allow: [{ country: Switzerland }] } }]
	countries as text: [{ geo: { allow: [{ country: CH }] } }, { geo: { allow: [CH] } }]
	other codes of countries: [{ geo: { allow: [{ country: UK }, { country: EL }] } }, { geo: { allow: [{ country: GR }, { country: GB }] } }]
	parts of countries: [{ geo: { allow: [{ country: CH, city: Bern }] } }, { geo: { allow: [{ country: DE, city: Bern }] } }]
	a long code of a country: [{ geo: { allow: [{ country: CHE }] } }, { geo: { allow: [{ country: CH }] } }]
	fewer names of countries: [{ geo: { allow: [{ country: UK }, { country: United Kingdom }] } }, { geo: { allow: [{ country: GB }] } }]
	a timestamp: [{ time: { end: 2026-12-31 } }, { time: { end: "2026-12-31T00:00:00Z" } }]
	seconds: [{ time: { end: 2026-12-31 } }, { time: { end: 1798675200 } }]
	midnight in the first time zone: [{ time: { end: 2026-12-31 } }, { time: { end: "2026-12-30T10:00:00Z" } }]
	the end of the day in the last time zone: [{ time: { end: 2026-12-31 } }, { time: { end: "2027-01-01T11:59:59Z" } }]
	a day for what is none: [{ time: { end: 31/12/2026 } }, { time: { end: 2026-12-31 } }]
	no day for null: [{ time: { end: null } }, { time: { end: "" } }]
	no date that can be read: [{ time: { end: 2026-12-31 } }, { time: { end: 31/12/2026 } }]
	a setting of its own: [{ geo: { mode: strict } }, { geo: { mode: strict } }]
	null for null: [{ geo: null }, { geo: {} }]
	empty lists: [{ geo: {} }, { geo: { allow: [], block: null } }]
	a form of its own: [{ opens: unlimited }, { opens: 99 }]
	a form that cannot be read: [{ opens: 3 }, { opens: three }]
	numbers as text: [{ opens: 3, dynamic: true }, { opens: "3", dynamic: 1 }]
	addresses in another form: [{ recipients: [anna@münchen.de, b@x] }, { recipients: [{ email: B@x }, Anna@xn--mnchen-3ya.de] }]
	one address as a network: [{ ip: { allow: [192.0.2.1] } }, { ip: { allow: [192.0.2.1/32] } }]
	one address of IPv6: [{ ip: { allow: ["::1"] } }, { ip: { allow: ["::1/128"] } }]
	a mask as a number: [{ ip: { block: [192.168.1.0/255.255.255.0] } }, { ip: { block: [192.168.1.0/24] } }]
	no bits beyond the mask: [{ ip: { block: [192.168.1.77/24] } }, { ip: { block: [192.168.1.0/24] } }]
	short IPv6: [{ ip: { block: ["2001:0db8:0:0:0:0:0:1"] } }, { ip: { block: ["2001:db8::1"] } }]
	a network for wildcards: [{ ip: { block: [192.168.1.*] } }, { ip: { block: [192.168.1.0/24] } }]
	wildcards in another form: [{ ip: { block: [192.*.1.*] } }, { ip: { block: [192.0.1.0/255.0.255.0] } }]
	another number: [{ opens: 3 }, { opens: 5 }, opens]
	another switch: [{ dynamic: true, downloadable: false }, { downloadable: true }, downloadable]
	one recipient more: [{ recipients: [a@x] }, { recipients: [a@x, b@x] }, recipients]
	one recipient less: [{ recipients: [a@x, b@x] }, { recipients: [a@x] }, recipients]
	another day: [{ time: { end: 2026-12-31 } }, { time: { end: 2026-12-30 } }, time.end]
	a moment of another day: [{ time: { end: 2026-12-31 } }, { time: { end: "2026-12-29T23:00:00Z" } }, time.end]
	no day: [{ time: { end: 2026-12-31 } }, { time: { start: 2026-01-01 } }, time.end]
	what is no day: [{ time: { end: 2026-12-31 } }, { time: { end: 0001-01-01 } }, time.end]
	a day that was to go: [{ time: { end: null } }, { time: { end: 2026-12-31 } }, time.end]
	another country: [{ geo: { allow: [{ country: CH }] } }, { geo: { allow: [{ country: DE }] } }, geo.allow]
	one country more: [{ geo: { allow: [{ country: CH }] } }, { geo: { allow: [{ country: CH }, { country: DE }] } }, geo.allow]
	an empty list: [{ geo: { allow: [{ country: CH }] } }, { geo: { allow: [] } }, geo.allow]
	rules that were to go: [{ geo: {} }, { geo: { allow: [{ country: CH }] } }, geo]
	rules that were to go, by null: [{ geo: null }, { geo: { allow: [CH] } }, geo]
	another network: [{ ip: { block: [192.0.2.1] } }, { ip: { block: [192.0.2.2] } }, ip.block]
	an address for a network of IPv6: [{ ip: { block: ["2001:db8::/32"] } }, { ip: { block: ["2001:db8::"] } }, ip.block]
	no list: [{ ip: { block: [192.0.2.1] } }, { ip: {} }, ip.block]
`);

it.each(reports)('the service reports %s', (_what, [sent, reported, key]) => {
	expect(findContradiction(sent, reported)?.expected.split(' ')[0]).toBe(key);
});

/** What was entered as JSON, what the service shows, and the field that it does not show. */
const entered = rowsOf<[sent: DrmRules, shown: DrmRules, field?: string]>(`
	rules: [{ opens: 3, geo: { allow: [{ country: CH }] } }, { opens: 3, geo: { allow: [CH] } }]
	another field: [{ audit: [Mail] }, { audit: [mail], opens: 3 }]
	what clears a rule: [{ geo: {}, ip: null, time: { end: "" } }, { time: {} }]
	parts of entries: [{ geo: { allow: [{ country: CH, city: B }] } }, { geo: { allow: [{ country: CH, city: B, id: 1 }] } }]
	a wrong name: [{ open: 3 }, { opens: 5 }, open]
	a rule that is missing: [{ opens: 3 }, { dynamic: true }, opens]
	a rule within another: [{ rule: { opens: 3 } }, { opens: 3 }, rule]
	a field with another value: [{ max_opens: 3 }, { max_opens: 5 }, max_opens]
	a wrong name in a rule: [{ geo: { alow: [{ country: CH }] } }, { geo: { allow: [{ country: DE }] } }, geo.alow]
	a wrong name of a day: [{ time: { ends: 2026-12-31 } }, { time: { end: 2026-12-31 } }, time.ends]
	a wrong name in an entry: [{ geo: { allow: [{ country: CH }, { country: DE, town: B }] } }, { geo: { allow: [{ country: CH }, { country: DE }] } }, geo.allow]
`);

it.each(entered)('what was entered as JSON is shown, or not: %s', (_what, [sent, shown, field]) => {
	expect(findContradiction(sent, shown, shown, sent)?.expected.split(' ')[0]).toBe(field);
});

it.each<[string, DrmRules, boolean, boolean]>([
	['a read, where it was on before', { downloadable: true }, false, true],
	['a response', { downloadable: true }, true, false],
	['a read, where it did not show before', {}, false, false],
])('a switch that is off can be left out in %s', (_where, before, isResponse, isShown) => {
	const toSend = { downloadable: false };
	const shown = { rules: { opens: 3 }, record: { opens: 3 } };

	const problem = findProblem({ toSend, entered: toSend }, shown, before, isResponse);

	expect(problem === undefined).toBe(isShown);
});
