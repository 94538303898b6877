import type { DrmRules } from '../../../../../nodes/shared/api/drmRules';
import {
	findContradiction,
	quoteJson,
} from '../../../../../nodes/EncryptedContainers/resources/drm/contradiction';

type Values = Record<string, unknown>;
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
			'RFC 1123',
			{ time: { end: '2026-12-31' } },
			{ time: { end: 'Thu, 31 Dec 2026 00:00:00 GMT' } },
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
			'more names of countries',
			{ geo: { allow: [{ country: 'CH' }] } },
			{
				geo: { allow: [{ country: 'Switzerland' }, { country: 'Germany' }] },
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
		[
			'a longer number behind an address',
			{ ip: { block: ['192.0.2.10'] } },
			{ ip: { block: ['192.0.2.1/320'] } },
			'ip.block',
		],
		[
			'a longer number behind an address of IPv6',
			{ ip: { block: ['::10'] } },
			{ ip: { block: ['::1/1280'] } },
			'ip.block',
		],
		[
			'other names in a list of names and rules',
			{ geo: { allow: [{ country: 'CH' }, 'DE'] } },
			{ geo: { allow: [{ country: 'Switzerland' }, 'Germany'] } },
			'geo.allow',
		],
		[
			'one place less',
			{ geo: { allow: [{ city: 'Basel' }, { city: 'Bern' }] } },
			{ geo: { allow: [{ city: 'Basel' }] } },
			'geo.allow',
		],
		['no list', { ip: { block: ['192.0.2.1'] } }, { ip: {} }, 'ip.block'],
		['a day that was to go', { time: { end: null } }, { time: { end: '2026-12-31' } }, 'time.end'],
		['rules that were to go', { geo: {} }, { geo: { allow: [{ country: 'CH' }] } }, 'geo'],
		['rules that were to go, by null', { geo: null }, { geo: { allow: ['CH'] } }, 'geo'],
	])('contradicts it with %s', (_what, sent, reported, key) => {
		expect(find(sent, reported)?.key).toBe(key);
	});
});

it.each([
	[[{ country: 'CH' }], '[{"country":"CH"}]'],
	[undefined, 'null'],
])('a value in a message: %j', (value, text) => {
	expect(quoteJson(value)).toBe(text);
});
