import type { DrmRules } from '../../../../../nodes/shared/api/drmRules';
import {
	findContradiction,
	findUnshownField,
} from '../../../../../nodes/EncryptedContainers/resources/drm/contradiction';

type Values = Record<string, unknown>;
const ip = (...block: string[]) => ({ ip: { block } });
const geo = (...codes: string[]) => ({ geo: { allow: codes.map((country) => ({ country })) } });
const find = (sent: Values, reported: Values) =>
	findContradiction(sent as DrmRules, reported as DrmRules);

describe('what the service reports', () => {
	it.each<[string, Values, Values]>([
		['the same', { opens: 3, recipients: ['a@x'] }, { opens: 3, recipients: ['A@x'] }],
		['less', { opens: 3, recipients: ['a@x'] }, { opens: 3 }],
		['more', { opens: 3 }, { opens: 3, dynamic: true, recipients: ['b@x'] }],
		[
			'more in a rule',
			{ geo: { allow: [{ country: 'CH' }] } },
			{
				geo: { allow: [{ country: 'CH', city: null }], block: [{ country: 'US' }] },
			},
		],
		[
			'countries as names',
			{ geo: { allow: [{ country: 'CH' }] } },
			{
				geo: { allow: [{ country: 'Switzerland' }] },
			},
		],
		['countries as text', { geo: { allow: [{ country: 'CH' }] } }, { geo: { allow: ['CH'] } }],
		['a timestamp', { time: { end: '2026-12-31' } }, { time: { end: '2026-12-31T00:00:00Z' } }],
		['seconds', { time: { end: '2026-12-31' } }, { time: { end: 1_798_675_200 } }],
		[
			'midnight in Zurich',
			{ time: { end: '2026-12-31' } },
			{ time: { end: '2026-12-30T23:00:00Z' } },
		],
		[
			'the end of the day in New York',
			{ time: { end: '2026-12-31' } },
			{
				time: { end: '2027-01-01T04:59:59Z' },
			},
		],
		[
			'one address as a network',
			{ ip: { allow: ['192.0.2.1'] } },
			{ ip: { allow: ['192.0.2.1/32'] } },
		],
		['one address of IPv6', { ip: { allow: ['::1'] } }, { ip: { allow: ['::1/128'] } }],
		['a day for what is none', { time: { end: '31/12/2026' } }, { time: { end: '2026-12-31' } }],
		['no day for null', { time: { end: null } }, { time: { end: '' } }],
		['a setting of its own', { geo: { mode: 'strict' } }, { geo: { mode: 'strict' } }],
		['null for null', { geo: null }, { geo: {} }],
		['a form of its own', { opens: 'unlimited' }, { opens: 99 }],
		['a form that cannot be read', { opens: 3 }, { opens: 'three' }],
		['no date that can be read', { time: { end: '2026-12-31' } }, { time: { end: '31/12/2026' } }],
		['numbers as text', { opens: 3, dynamic: true }, { opens: '3', dynamic: 1 }],
		[
			'addresses in another form',
			{ recipients: ['anna@münchen.de', 'b@x.example'] },
			{ recipients: [{ email: 'B@x.example' }, 'Anna@xn--mnchen-3ya.de'] },
		],
		['a mask as a number', ip('192.168.1.0/255.255.255.0'), ip('192.168.1.0/24')],
		['no bits beyond the mask', ip('192.168.1.77/24'), ip('192.168.1.0/24')],
		['short IPv6', ip('2001:0db8:0:0:0:0:0:1'), ip('2001:db8::1')],
		['a network for wildcards', ip('192.168.1.*'), ip('192.168.1.0/24')],
		['wildcards in another form', ip('192.*.1.*'), ip('192.0.1.0/255.0.255.0')],
		['another code of a country', { geo: { allow: [{ country: 'UK' }] } }, geo('GB')],
		['a long code of a country', { geo: { allow: [{ country: 'CHE' }] } }, geo('CH')],
		[
			'fewer names of countries',
			{ geo: { allow: [{ country: 'UK' }, { country: 'United Kingdom' }] } },
			geo('GB'),
		],
		['lists that are empty', { geo: {} }, { geo: { allow: [], block: null } }],
	])('does not contradict what was sent: %s', (_what, sent, reported) => {
		expect(find(sent, reported)).toBeUndefined();
	});

	it.each<[string, Values, Values, string]>([
		['another number', { opens: 3 }, { opens: 5 }, 'opens'],
		[
			'another switch',
			{ dynamic: true, downloadable: false },
			{ downloadable: true },
			'downloadable',
		],
		['one recipient more', { recipients: ['a@x'] }, { recipients: ['a@x', 'b@x'] }, 'recipients'],
		['one recipient less', { recipients: ['a@x', 'b@x'] }, { recipients: ['a@x'] }, 'recipients'],
		['another day', { time: { end: '2026-12-31' } }, { time: { end: '2026-12-30' } }, 'time.end'],
		[
			'a moment of another day',
			{ time: { end: '2026-12-31' } },
			{
				time: { end: '2026-12-29T23:00:00Z' },
			},
			'time.end',
		],
		['no day', { time: { end: '2026-12-31' } }, { time: { start: '2026-01-01' } }, 'time.end'],
		[
			'what is no day',
			{ time: { end: '2026-12-31' } },
			{ time: { end: '0001-01-01' } },
			'time.end',
		],
		[
			'another country',
			{ geo: { allow: [{ country: 'CH' }] } },
			{
				geo: { allow: [{ country: 'DE' }] },
			},
			'geo.allow',
		],
		[
			'another network',
			{ ip: { block: ['192.0.2.1'] } },
			{ ip: { block: ['192.0.2.2'] } },
			'ip.block',
		],
		[
			'an address in place of a network of IPv6',
			{ ip: { block: ['2001:db8::/32'] } },
			{ ip: { block: ['2001:db8::'] } },
			'ip.block',
		],
		['an empty list', geo('CH'), { geo: { allow: [] } }, 'geo.allow'],
		['one country more', geo('CH'), geo('CH', 'DE'), 'geo.allow'],
		['no list', { ip: { block: ['192.0.2.1'] } }, { ip: {} }, 'ip.block'],
		['a day that was to go', { time: { end: null } }, { time: { end: '2026-12-31' } }, 'time.end'],
		['rules that were to go', { geo: {} }, { geo: { allow: [{ country: 'CH' }] } }, 'geo'],
		['rules that were to go, by null', { geo: null }, { geo: { allow: ['CH'] } }, 'geo'],
	])('contradicts it with %s', (_what, sent, reported, key) => {
		expect(find(sent, reported)?.key).toBe(key);
	});
});

describe('what was entered as JSON', () => {
	it.each<[string, Values, Values]>([
		[
			'rules',
			{ opens: 3, geo: { allow: [{ country: 'CH' }] } },
			{ opens: 3, geo: { allow: ['CH'] } },
		],
		['another field', { audit: ['Mail'] }, { audit: ['mail'], opens: 3 }],
		['what clears a rule', { geo: {}, ip: null, time: { end: '' } }, { time: {} }],
		[
			'parts of entries',
			{ geo: { allow: [{ country: 'CH', city: 'Bern' }] } },
			{ geo: { allow: [{ country: 'CH', city: 'Bern', id: 1 }] } },
		],
	])('is shown: %s', (_what, sent, shown) => {
		expect(findUnshownField(sent as DrmRules, shown as DrmRules)).toBeUndefined();
	});

	it.each<[Values, Values, string]>([
		[{ open: 3 }, { opens: 5 }, 'open'],
		[{ opens: 3 }, { dynamic: true }, 'opens'],
		[{ rule: { opens: 3 } }, { opens: 3 }, 'rule'],
		[{ max_opens: 3 }, { max_opens: 5 }, 'max_opens'],
		[{ geo: { alow: [{ country: 'CH' }] } }, { geo: { allow: [{ country: 'DE' }] } }, 'geo.alow'],
		[{ time: { ends: '2026-12-31' } }, { time: { end: '2026-12-31' } }, 'time.ends'],
		[
			{ geo: { allow: [{ country: 'CH' }, { country: 'DE', town: 'Bonn' }] } },
			{ geo: { allow: [{ country: 'CH' }, { country: 'DE' }] } },
			'geo.allow.town',
		],
	])('is not shown: %j', (sent, shown, field) => {
		expect(findUnshownField(sent as DrmRules, shown as DrmRules)).toBe(field);
	});
});
