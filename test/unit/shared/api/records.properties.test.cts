import fc from 'fast-check';
import { findRules } from '../../../../nodes/shared/api/drmRules';
import { toRecord } from '../../../../nodes/shared/api/records';
import { findList } from '../../../../nodes/shared/responses/shapes';
import { always } from '../../support/seeded.cts';

const LIST_KEYS = ['containers', 'contacts', 'data', 'items', 'results'];
const isOtherKey = (key: string) => !LIST_KEYS.includes(key);
const value = fc.jsonValue({ maxDepth: 2 });
const others = fc.dictionary(fc.string().filter(isOtherKey), value);

it('a list of any entries but lists is found in each shape, beside any other content', async () => {
	const holders = fc.array(fc.tuple(fc.constantFrom(...LIST_KEYS), others), { maxLength: 3 });
	const entry = value.filter((held) => !Array.isArray(held));
	await always(
		fc.property(fc.array(entry), holders, (list, around) => {
			const response = around.reduce<unknown>(
				(held, [key, more]) => ({ ...more, [key]: held }),
				list,
			);
			expect(findList(response)).toBe(list);
		}),
	);
});

it('any JSON contains a list or none, and rules or none, and is a record or nothing', async () => {
	await always(
		fc.property(fc.jsonValue(), (json) => {
			const list = findList(json);
			expect(list === undefined || Array.isArray(list)).toBe(true);
			const { rules } = findRules(json);
			expect(rules === undefined || typeof rules === 'object').toBe(true);
			const record = toRecord(json, 'uuid');
			if (json === null) expect(record).toBeUndefined();
			else expect(typeof record === 'object' && !Array.isArray(record)).toBe(true);
		}),
		1_000,
	);
});
