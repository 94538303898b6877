import { createCalendar, findRefusal, type DrmRules } from '../src/containers/rules.mts';

const owner = { address: 'olive@example.com' };
const ada = {
	address: 'ada@example.com',
	owner,
	ip: '192.0.2.1',
	country: 'DE',
	today: '2027-06-15',
};
const open: DrmRules = { dynamic: true, recipients: ['*@*'] };

const reasonFor = (rules: Partial<DrmRules>, visit: Partial<typeof ada> = {}) =>
	findRefusal({ ...open, ...rules }, { ...ada, ...visit })?.reason;

describe('recipients', () => {
	it.each([
		[undefined, 'recipient'],
		[[], 'recipient'],
		[['grace@example.com'], 'recipient'],
		[['*@example.org'], 'recipient'],
		[['ADA@example.com'], undefined],
		[['*@example.com'], undefined],
		[['*@*'], undefined],
	])('%j: %s', (recipients, reason) => {
		expect(reasonFor({ recipients })).toBe(reason);
	});

	it('are told their own address', () => {
		expect(findRefusal({ dynamic: false }, ada)).toEqual({
			reason: 'recipient',
			sentence: "This container isn't shared with ada@example.com.",
		});
	});
});

describe('time', () => {
	it.each([
		[{}, undefined],
		[{ start: '2027-06-15' }, undefined],
		[{ start: '2027-06-16' }, 'time'],
		[{ end: '2027-06-15' }, undefined],
		[{ end: '2027-06-14' }, 'time'],
		[{ start: '2027-06-15', end: '2027-06-15' }, undefined],
		[{ start: '2027-01-01', end: '2027-02-01' }, 'time'],
		[{ start: '2028-01-01', end: '2028-02-01' }, 'time'],
	])('%j: %s', (time, reason) => {
		expect(reasonFor({ time })).toBe(reason);
	});

	it.each([
		[{ start: '2028-01-01' }, 'Access starts on 1 January 2028.'],
		[{ end: '2026-12-31' }, 'Access ended on 31 December 2026.'],
	])('says the day of %j', (time, sentence) => {
		expect(findRefusal({ ...open, time }, ada)?.sentence).toBe(sentence);
	});
});

const lists = [
	['none', 'unknown', undefined],
	['none', 'known', undefined],
	['allow with', 'known', undefined],
	['allow without', 'known', 'refused'],
	['allow with', 'unknown', 'refused'],
	['empty allow', 'known', 'refused'],
	['block with', 'known', 'refused'],
	['block without', 'known', undefined],
	['block with', 'unknown', undefined],
	['empty block', 'known', undefined],
	['both with', 'known', 'refused'],
	['allow with, block without', 'known', undefined],
	['allow without, block without', 'known', 'refused'],
	['both with', 'unknown', 'refused'],
] as const;

function toList<Entry>(description: string, own: Entry, other: Entry) {
	const by: Record<string, { allow?: Entry[]; block?: Entry[] }> = {
		none: {},
		'allow with': { allow: [other, own] },
		'allow without': { allow: [other] },
		'empty allow': { allow: [] },
		'block with': { block: [other, own] },
		'block without': { block: [other] },
		'empty block': { block: [] },
		'both with': { allow: [own], block: [own] },
		'allow with, block without': { allow: [own], block: [other] },
		'allow without, block without': { allow: [other], block: [other] },
	};
	return by[description];
}

describe.each(lists)('%s, %s', (description, known, expected) => {
	it('as ip', () => {
		const ip = toList(description, '192.0.2.0/24', '10.0.0.0/8');
		const visit = known === 'known' ? {} : { ip: 'unknown' };
		// An address that can't be read could be one that is blocked.
		const isRefused = expected ?? (known === 'unknown' && description.startsWith('block'));
		expect(reasonFor({ ip }, visit)).toBe(isRefused ? 'ip' : undefined);
	});

	it('as geo', () => {
		const geo = toList(description, { country: 'DE' }, { country: 'FR' });
		const visit = known === 'known' ? {} : { country: undefined };
		expect(reasonFor({ geo }, visit)).toBe(expected && 'geo');
	});
});

it('says what is wrong with the network and the country', () => {
	const sentenceFor = (rules: Partial<DrmRules>) =>
		findRefusal({ ...open, ...rules }, ada)?.sentence;
	expect(sentenceFor({ ip: { block: ['::ffff:192.0.2.1'] } })).toBe(
		"This container can't be opened from your network.",
	);
	expect(sentenceFor({ geo: { block: [{ country: 'DE' }] } })).toBe(
		"This container can't be opened from your country.",
	);
});

describe('several rules', () => {
	const refusing = {
		recipients: [],
		time: { end: '2020-01-01' },
		ip: { allow: [] },
		geo: { allow: [] },
	};

	it('give the first reason in the order recipient, time, ip, geo', () => {
		const { recipients, time, ip, geo } = refusing;
		expect(reasonFor({ recipients, time, ip, geo })).toBe('recipient');
		expect(reasonFor({ time, ip, geo })).toBe('time');
		expect(reasonFor({ ip, geo })).toBe('ip');
		expect(reasonFor({ geo })).toBe('geo');
	});

	it('let the owner in', () => {
		expect(reasonFor(refusing, { address: owner.address, ip: 'unknown' })).toBeUndefined();
	});

	it("don't count openings, unless they are given", () => {
		expect(reasonFor({ opens: 1 })).toBeUndefined();
		expect(findRefusal({ ...open, opens: 1 }, { ...ada, owner: ada, opensUsed: 1 })).toBe(
			undefined,
		);
	});
});

describe('opens', () => {
	it.each([
		[undefined, 1_000_000, undefined],
		[5, 4, undefined],
		[5, 5, 'This container has been opened 5 times, as often as allowed.'],
		[5, 6, 'This container has been opened 5 times, as often as allowed.'],
		[1, 0, undefined],
		[1, 1, 'This container has been opened once, as often as allowed.'],
	])('%s of which %i are used: %s', (opens, used, sentence) => {
		const refusal = sentence && { reason: 'opens', sentence };
		expect(findRefusal({ ...open, opens }, { ...ada, opensUsed: used })).toEqual(refusal);
	});
});

describe('createCalendar', () => {
	it.each([
		['UTC', '2026-12-31T23:59:59.999Z', '2026-12-31'],
		['UTC', '2027-01-01T00:00:00.000Z', '2027-01-01'],
		['Europe/Berlin', '2026-12-31T22:59:59Z', '2026-12-31'],
		['Europe/Berlin', '2026-12-31T23:00:00Z', '2027-01-01'],
		['Europe/Berlin', '2026-06-30T22:00:00Z', '2026-07-01'],
		['America/Los_Angeles', '2027-03-01T07:59:59Z', '2027-02-28'],
		['Pacific/Kiritimati', '2027-02-28T10:00:00Z', '2027-03-01'],
	])('in %s at %s is %s', (timeZone, now, today) => {
		expect(createCalendar(timeZone).format(new Date(now))).toBe(today);
	});
});
