import {
	findChangedRules,
	findRuleProblems,
	mergeRules,
	type DrmRules,
} from '../src/containers/rules.mts';

const all: DrmRules = {
	dynamic: true,
	recipients: ['ada@example.com'],
	downloadable: false,
	geo: { allow: [{ country: 'DE' }] },
	ip: { allow: ['10.0.0.0/8'], block: ['10.0.0.1'] },
	opens: 5,
	time: { start: '2027-01-01', end: '2027-12-31' },
};

describe('findRuleProblems', () => {
	it('finds none in valid rules', () => {
		expect(findRuleProblems(all)).toEqual({});
		expect(findRuleProblems({ dynamic: false })).toEqual({});
		expect(findRuleProblems({ recipients: [], ip: {}, time: {} })).toEqual({});
	});

	it('finds none in rules that are removed', () => {
		expect(findRuleProblems({ recipients: null, ip: null, time: null, dynamic: null })).toEqual({});
	});

	it('names each entry that is none', () => {
		const problems = findRuleProblems({
			recipients: ['ada@example.com', 'ada', '*@*', '*'],
			ip: { allow: ['10.0.0.1', '10.1'], block: ['::1', '10.0.0.9-10.0.0.1'] },
		});
		expect(Object.keys(problems)).toEqual([
			'recipients.1',
			'recipients.3',
			'ip.allow.1',
			'ip.block.1',
		]);
		expect(problems['recipients.1']).toBe('must be an email address, *@ with a domain, or *@*');
	});

	it.each([
		[{ start: '2027-01-02', end: '2027-01-01' }, { 'time.end': "can't be before the start" }],
		[{ start: '2027-01-01', end: '2027-01-01' }, {}],
		[{ start: '2027-01-01' }, {}],
		[{ end: '2027-01-01' }, {}],
	])('compares the days of %j', (time, problems) => {
		expect(findRuleProblems({ time })).toEqual(problems);
	});
});

describe('mergeRules', () => {
	it('leaves rules that are not sent', () => {
		expect(mergeRules(all, {})).toEqual(all);
		expect(mergeRules(all, { opens: undefined })).toEqual(all);
		expect(mergeRules(all, { opens: 6 })).toEqual({ ...all, opens: 6 });
	});

	it('removes rules that are null', () => {
		const change = {
			recipients: null,
			downloadable: null,
			geo: null,
			ip: null,
			opens: null,
			time: null,
		};
		expect(mergeRules(all, change)).toStrictEqual({ dynamic: true });
		expect(mergeRules({ dynamic: true }, change)).toStrictEqual({ dynamic: true });
	});

	it('seals rules whose dynamic is removed', () => {
		expect(mergeRules(all, { dynamic: null })).toEqual({ ...all, dynamic: false });
		expect(mergeRules(all, { dynamic: false })).toEqual({ ...all, dynamic: false });
	});

	it('replaces whole rules', () => {
		const change = {
			time: { end: '2028-01-01' },
			ip: { block: ['10.0.0.2'] },
			geo: { block: [{ country: 'FR' }] },
			recipients: [],
		};
		expect(mergeRules(all, change)).toEqual({ ...all, ...change });
	});

	it('keeps the first spelling of a recipient', () => {
		const recipients = ['Ada@Example.com', 'grace@example.com', 'ada@example.com', '*@A.com'];
		expect(
			mergeRules({ dynamic: false }, { recipients: [...recipients, '*@a.com', '*@*', '*@*'] }),
		).toEqual({
			dynamic: false,
			recipients: ['Ada@Example.com', 'grace@example.com', '*@A.com', '*@*'],
		});
	});

	it('changes nothing in what it was given', () => {
		const before = structuredClone(all);
		mergeRules(all, { opens: null, recipients: ['a@example.com', 'A@example.com'] });
		expect(all).toEqual(before);
	});
});

describe('findChangedRules', () => {
	it('names rules that were added, changed and removed', () => {
		const rest = mergeRules(all, { opens: null });
		expect(findChangedRules(rest, { ...all, downloadable: true, time: undefined })).toEqual([
			'downloadable',
			'opens',
			'time',
		]);
		expect(findChangedRules(all, rest)).toEqual(['opens']);
		expect(findChangedRules({ ...rest, dynamic: false }, rest)).toEqual(['dynamic']);
	});

	it('names none where only the order of keys differs', () => {
		const time = { end: '2027-12-31', start: '2027-01-01' };
		expect(findChangedRules(all, { ...structuredClone(all), time })).toEqual([]);
	});
});
