import type { IDataObject } from 'n8n-workflow';
import type { MockedService } from '../../support/nock.cts';

export interface RulesStore {
	/** The rules as the service holds them. */
	rules: IDataObject;
	/** Bodies of the changes, in their order. */
	changes: IDataObject[];
}

/**
 * A service that holds the rules of one container for as many requests as are expected.
 *
 * @param keys whether a change merges into what is there, or takes its place
 */
export function holdRules(
	service: MockedService,
	path: string,
	rules: IDataObject,
	{
		reads,
		changes,
		keys = 'merge',
	}: { reads: number; changes: number; keys?: 'merge' | 'replace' },
): RulesStore {
	const store: RulesStore = { rules, changes: [] };
	if (reads > 0) {
		service
			.scope()
			.get(path)
			.times(reads)
			.reply(() => [200, structuredClone(store.rules) as Record<string, unknown>]);
	}
	if (changes > 0) {
		service
			.scope()
			.patch(path)
			.times(changes)
			.reply((_uri, body) => {
				const change = body as IDataObject;
				store.changes.push(change);
				store.rules = keys === 'merge' ? { ...store.rules, ...change } : { ...change };
				return [200, structuredClone(store.rules) as Record<string, unknown>];
			});
	}
	return store;
}
