import fc from 'fast-check';
import { findRules } from '../../../../nodes/shared/api/drmRules';
import { toRecord } from '../../../../nodes/shared/api/records';
import { findList } from '../../../../nodes/shared/responses/shapes';
import { always } from '../../support/seeded.cts';

const LIST_KEYS = ['containers', 'contacts', 'data', 'items', 'results'];
const entries = fc.array(fc.jsonValue({ maxDepth: 2 }));
const otherKeys = fc.dictionary(
	fc.string().filter((key) => !LIST_KEYS.includes(key)),
	fc.jsonValue({ maxDepth: 2 }),
);

describe('a list of any entries', () => {
	it('is found in each shape, beside any other content', async () => {
		const held = fc
			.tuple(
				entries,
				fc.array(fc.tuple(fc.constantFrom(...LIST_KEYS), otherKeys), { maxLength: 3 }),
			)
			.map(([list, holders]) => ({
				list,
				response: holders.reduce<unknown>(
					(inner, [key, others]) => ({ ...others, [key]: inner }),
					list,
				),
			}));
		await always(
			fc.property(held, ({ list, response }) => {
				expect(findList(response)).toBe(list);
			}),
		);
	});

	it('returns a record or nothing for each entry', async () => {
		await always(
			fc.property(fc.jsonValue(), (entry) => {
				const record = toRecord(entry, 'uuid');
				if (entry === null) expect(record).toBeUndefined();
				else expect(typeof record === 'object' && !Array.isArray(record)).toBe(true);
			}),
		);
	});
});

describe('any JSON', () => {
	it('contains a list or none, and rules or none, and never throws', async () => {
		await always(
			fc.property(fc.jsonValue(), (value) => {
				const list = findList(value);
				expect(list === undefined || Array.isArray(list)).toBe(true);
				const rules = findRules(value).rules;
				expect(rules === undefined || typeof rules === 'object').toBe(true);
			}),
			1_000,
		);
	});
});
