import {
	createCalendar,
	findRefusal,
	findRuleProblems,
	mergeRules,
	type DrmRules,
} from '../src/containers/rules.mts';

const ADA = 'ada@example.com';
const owner = { address: 'olive@example.com' };
const ada = { address: ADA, owner, ip: '192.0.2.1', country: 'DE', today: '2027-06-15' };
const open: DrmRules = { dynamic: true, recipients: ['*@*'] };
const [DE, FR] = [{ country: 'DE' }, { country: 'FR' }];
const [OWN, OTHER] = ['192.0.2.0/24', '10.0.0.0/8'];

type Row = [rules: Partial<DrmRules>, visit: Partial<typeof ada> & { opensUsed?: number }];

describe('who is refused', () => {
	const network = "This container can't be opened from your network.";
	const country = "This container can't be opened from your country.";
	const often = (times: string) => `This container has been opened ${times}, as often as allowed.`;
	it.each<[...Row, string]>([
		[{ recipients: undefined }, {}, `This container isn't shared with ${ADA}.`],
		[{ recipients: ['grace@example.com'] }, {}, `This container isn't shared with ${ADA}.`],
		[{ time: { start: '2027-06-16' } }, {}, 'Access starts on 16 June 2027.'],
		[{ time: { end: '2027-06-14' } }, {}, 'Access ended on 14 June 2027.'],
		[{ ip: { allow: [OTHER] } }, {}, network],
		[{ ip: { allow: [] } }, {}, network],
		[{ ip: { block: [OTHER, '::ffff:192.0.2.1'] } }, {}, network],
		[{ ip: { allow: [OWN], block: [OWN] } }, {}, network],
		// An address that can't be read could be one that is blocked.
		[{ ip: { block: [OTHER] } }, { ip: 'unknown' }, network],
		[{ ip: { allow: [OWN] } }, { ip: 'unknown' }, network],
		[{ geo: { allow: [FR] } }, {}, country],
		[{ geo: { allow: [] } }, {}, country],
		[{ geo: { block: [DE] } }, {}, country],
		[{ geo: { allow: [DE], block: [DE] } }, {}, country],
		[{ geo: { allow: [DE] } }, { country: undefined }, country],
		[{ opens: 1 }, { opensUsed: 1 }, often('once')],
		[{ opens: 5 }, { opensUsed: 6 }, often('5 times')],
	])('%j, %j: %s', (rules, visit, sentence) => {
		expect(findRefusal({ ...open, ...rules }, { ...ada, ...visit })?.sentence).toBe(sentence);
	});

	it.each<Row>([
		[{ recipients: ['ADA@example.com'] }, {}],
		[{ recipients: ['*@example.com'] }, {}],
		[{ time: { start: '2027-06-15', end: '2027-06-15' } }, {}],
		[{ ip: { allow: [OTHER, OWN], block: [OTHER] } }, {}],
		[{ ip: { block: [] } }, {}],
		[{ ip: {} }, { ip: 'unknown' }],
		[{ geo: { allow: [FR, DE], block: [FR] } }, {}],
		[{ geo: { block: [FR] } }, { country: undefined }],
		[{ opens: 5 }, { opensUsed: 4 }],
		[{ opens: 1 }, {}],
	])('nobody for %j, %j', (rules, visit) => {
		expect(findRefusal({ ...open, ...rules }, { ...ada, ...visit })).toBeUndefined();
	});

	it('is told the first reason in the order recipient, time, ip, geo; the owner none', () => {
		const refusing = {
			recipients: [],
			time: { end: '2020-01-01' },
			ip: { allow: [] },
			geo: { allow: [] },
		};
		const rules: DrmRules = { ...open, ...refusing };
		const visit = { ...ada, address: owner.address, ip: 'unknown', opensUsed: 1 };
		expect(findRefusal({ ...rules, opens: 1 }, visit)).toBeUndefined();
		const reasons = Object.keys(refusing).map((name) => {
			const reason = findRefusal(rules, ada)?.reason;
			Object.assign(rules, { [name]: open[name as 'recipients'] });
			return reason;
		});
		expect(reasons).toEqual(['recipient', 'time', 'ip', 'geo']);
	});

	it.each([
		['UTC', '2026-12-31T23:59:59.999Z', '2026-12-31'],
		['Europe/Berlin', '2026-12-31T23:00:00Z', '2027-01-01'],
		['Europe/Berlin', '2026-06-30T22:00:00Z', '2026-07-01'],
		['America/Los_Angeles', '2027-03-01T07:59:59Z', '2027-02-28'],
	])('by days in %s: %s is %s', (timeZone, now, today) => {
		expect(createCalendar(timeZone).format(new Date(now))).toBe(today);
	});
});

const all: DrmRules = {
	dynamic: true,
	recipients: [ADA],
	downloadable: false,
	geo: { allow: [DE] },
	ip: { allow: ['10.0.0.0/8'], block: ['10.0.0.1'] },
	opens: 5,
	time: { start: '2027-01-01', end: '2027-12-31' },
};
const NONE = { recipients: null, downloadable: null, geo: null, ip: null, opens: null, time: null };

describe('rules', () => {
	it("can't have entries that are none, or an end before the start", () => {
		const recipients = [ADA, 'ada', '*@*', '*'];
		const ip = { allow: ['10.0.0.1', '10.1'], block: ['::1', '10.0.0.9-10.0.0.1'] };
		const time = { start: '2027-01-02', end: '2027-01-01' };
		const problems = findRuleProblems({ recipients, ip, time });
		const names = ['recipients.1', 'recipients.3', 'ip.allow.1', 'ip.block.1', 'time.end'];
		expect(Object.keys(problems)).toEqual(names);
		expect(problems['recipients.1']).toBe('must be an email address, *@ with a domain, or *@*');
	});

	const replaced = { time: { end: '2028-01-01' }, ip: { block: ['10.0.0.2'] }, recipients: [] };
	const spelled = ['Ada@Example.com', ADA, '*@A.com', '*@a.com', '*@*', '*@*'];
	it.each<[string, Parameters<typeof mergeRules>[1], DrmRules]>([
		['stay where they are not sent', { opens: undefined }, all],
		['are removed by null', NONE, { dynamic: true }],
		['are sealed without dynamic', { dynamic: null }, { ...all, dynamic: false }],
		['are replaced as a whole', replaced, { ...all, ...replaced }],
		[
			'keep the first spelling of a recipient',
			{ recipients: spelled },
			{ ...all, recipients: [spelled[0], '*@A.com', '*@*'] },
		],
	])('%s', (_, change, expected) => {
		const before = structuredClone(all);
		expect(mergeRules(all, change)).toEqual(expected);
		expect(all).toEqual(before);
	});
});
