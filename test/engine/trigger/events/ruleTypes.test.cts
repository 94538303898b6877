import { mockService } from '../../../support/nock.cts';
import { containers } from '../../support/polling.cts';
import { describeScenarios, listRules, type Scenario } from '../../support/scenarios.cts';

const documented = {
	dynamic: true,
	downloadable: false,
	opens: 3,
	geo: {},
	time: { end: '2099-12-31' },
	recipients: ['ada@example.com'],
};
const elsewhere = {
	container: { recipients: [{ email: 'ada@example.com' }] },
	drm: {
		dynamic: 1,
		downloadable: '0',
		opens: '3',
		geo: [],
		time: { start: null, end: '2099-12-31T00:00:00Z' },
	},
};

const scenarios: Scenario[] = [
	{
		event: 'drmChanged',
		scenario: 'the same rules in other types and places',
		polls: [
			listRules({ a: documented, b: elsewhere }),
			listRules({ a: elsewhere, b: documented }),
			listRules({ a: { ...elsewhere, drm: { ...elsewhere.drm, opens: '4' } }, b: documented }),
			listRules({ a: { ...documented, opens: 4 }, b: { ...documented, time: { end: 'never' } } }),
			listRules({ a: { ...documented, opens: 4 }, b: { ...documented, time: { end: 'soon' } } }),
		],
		expected: [[], [], ['a'], ['b'], ['b']],
	},
	{
		event: 'drmChanged',
		scenario: 'rules that are not certain, which fail the poll',
		polls: [
			listRules({ a: { opens: 1 } }),
			listRules({ a: { drm: { Opens: 2 } } }),
			listRules({ a: { opens: 2 } }),
		],
		expected: [[], [], ['a']],
		fails: [1],
	},
	{
		event: 'drmChanged',
		scenario: 'an ID that cannot be in a URL, which costs that container only',
		polls: [
			{ ...listRules({ c: { opens: 1 } }), containers: containers('a/b', 'c') },
			{ ...listRules({ c: { opens: 2 } }), containers: containers('a/b', 'c') },
		],
		expected: [[], ['c']],
	},
];

describeScenarios(mockService(), scenarios);
