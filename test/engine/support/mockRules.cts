import type { IDataObject } from 'n8n-workflow';
import type { MockedService } from '../../support/nock.cts';

export interface MockRules {
	/** The rules that the service holds. */
	rules: IDataObject;
	/** Bodies of the changes, in their order. */
	changes: IDataObject[];
}

/**
 * A service with the rules of one container, for the expected number of requests.
 * With `keys: 'replace'`, a change replaces all rules.
 */
export function mockRules(
	service: MockedService,
	path: string,
	rules: IDataObject,
	{
		reads,
		changes,
		keys = 'merge',
	}: { reads: number; changes: number; keys?: 'merge' | 'replace' },
): MockRules {
	const store: MockRules = { rules, changes: [] };
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
