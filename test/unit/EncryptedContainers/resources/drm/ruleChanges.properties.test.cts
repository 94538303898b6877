import fc from 'fast-check';
import { UserError } from 'n8n-workflow';
import type { DrmRules } from '../../../../../nodes/shared/api/drmRules';
import {
	endWindow,
	hasEnded,
	mergeRules,
} from '../../../../../nodes/EncryptedContainers/resources/drm/ruleChanges';
import { always } from '../../../support/seeded.cts';

const [min, max] = [new Date('2020-01-01'), new Date('2035-12-31')];
const day = fc
	.date({ min, max, noInvalidDate: true })
	.map((date) => date.toISOString().slice(0, 10));
const address = fc.constantFrom(
	...['anna', 'Anna', 'bob', 'carl', '*'].flatMap((name) => [
		`${name}@x.example`,
		`${name}@y.example`,
	]),
);
const addresses = fc.uniqueArray(address, { maxLength: 5 });
const countries = fc
	.uniqueArray(fc.constantFrom('CH', 'DE', 'US'), { minLength: 1 })
	.map((codes) => codes.map((country) => ({ country })));
const texts = fc.uniqueArray(fc.ipV4(), { minLength: 1, maxLength: 3 });
const window = fc
	.tuple(day, day)
	.map((days) => days.sort())
	.chain(([start, end]) => fc.constantFrom({ start, end }, { start }, { end }));
const listsOf = (entries: fc.Arbitrary<unknown>) =>
	fc.record({ allow: entries, block: entries }, { requiredKeys: [] });
const rules = fc.record(
	{
		...{ dynamic: fc.boolean(), downloadable: fc.boolean(), opens: fc.nat(), time: window },
		...{ geo: listsOf(countries), ip: listsOf(texts) },
		recipients: fc.uniqueArray(address, { minLength: 1, maxLength: 5 }),
	},
	{ requiredKeys: [] },
) as fc.Arbitrary<DrmRules>;

type Key = keyof DrmRules;

describe('merging any rules', () => {
	it('keeps every unchanged rule, and applies every change', async () => {
		await always(
			fc.property(rules, rules, addresses, addresses, (present, change, add, remove) => {
				const before = structuredClone(present);
				let merged: DrmRules;
				try {
					merged = mergeRules(present, change, { add, remove }, 'it');
				} catch (error) {
					expect(error).toBeInstanceOf(UserError);
					return;
				}
				expect(present).toEqual(before);
				const changesRecipients = add.length + remove.length > 0;
				for (const key of new Set([...Object.keys(present), ...Object.keys(change)]) as Set<Key>) {
					if (key === 'recipients' && changesRecipients) continue;
					if (change[key] === undefined) expect(merged[key]).toEqual(present[key]);
					else if (['geo', 'ip', 'time'].includes(key as string)) {
						const isCleared = Object.keys(change[key] as object).length === 0;
						const kept = isCleared ? {} : (present[key] as object);
						expect(merged[key]).toEqual({ ...kept, ...(change[key] as object) });
					} else expect(merged[key]).toEqual(change[key]);
				}
			}),
			1_000,
		);
	});

	it('never empties the recipients, removes every removed one and includes every added one', async () => {
		await always(
			fc.property(rules, rules, addresses, addresses, (present, { recipients }, add, remove) => {
				const change = recipients === undefined ? {} : { recipients };
				const lower = (list: string[]) => list.map((entry) => entry.toLowerCase());
				let merged: DrmRules;
				try {
					merged = mergeRules(present, change, { add, remove }, 'it');
				} catch (error) {
					expect((error as Error).message).toMatch(
						/would remove all recipients|only recipient|through the recipient "\*@/,
					);
					return;
				}
				if (merged.recipients === undefined) return;
				const result = lower(merged.recipients);
				expect(result.length).toBeGreaterThan(0);
				for (const entry of lower(add)) expect(result).toContain(entry);
				for (const entry of lower(remove)) {
					if (!lower(add).includes(entry)) expect(result).not.toContain(entry);
				}
			}),
			1_000,
		);
	});
});

describe('ending the window of any rules', () => {
	it('creates a window that has ended, and keeps every other rule', async () => {
		await always(
			fc.property(rules, day, (present, lastDay) => {
				const { time: before, ...others } = structuredClone(present);
				const { time, ...kept } = endWindow(present, lastDay);
				expect(kept).toEqual(others);
				expect(hasEnded({ time }, lastDay)).toBe(true);
				expect((time?.start ?? lastDay) <= lastDay).toBe(true);
				expect(time?.start === undefined).toBe(before?.start === undefined);
			}),
			1_000,
		);
	});
});
