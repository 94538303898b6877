import type { IDataObject } from 'n8n-workflow';
import type { MockedService } from '../../support/nock.cts';
import { containerId, newService, operation, type Run } from './operations.cts';

export const path = '/containers/c-1/drm';

const container = { containerId: containerId('={{ $json.id }}') };

/** Each run has a service of its own: the node remembers what changed, and each run has rules of its own. */
const onRules = (name: string, base: IDataObject): Run => {
	const run = operation(`drm: ${name}`, base, [{ json: { id: 'c-1' } }]);
	return async (parameters, options, more) =>
		await run(parameters, options, { credentials: newService(), ...more });
};

export const updateBase = { ...container, specifyRules: 'fields', rules: { opens: 1 } };

export const update = onRules('update', updateBase);

export const revoke = onRules('revoke', container);

/** Parameters of an update with these fields. */
export const rules = (fields: IDataObject): IDataObject => ({ rules: fields });

export const rulesInJson = (rulesJson: unknown): IDataObject => ({
	specifyRules: 'json',
	rulesJson: typeof rulesJson === 'string' ? rulesJson : JSON.stringify(rulesJson),
});

export const withoutCurrentRules = { keepOtherRules: false };

export const currentRules = () => ({
	dynamic: true,
	geo: { allow: [{ country: 'CH' }], block: [{ country: 'KP' }] },
	ip: { allow: ['192.0.2.1'] },
	opens: 5,
	time: { start: '2026-01-01', end: '2099-12-31' },
	downloadable: false,
	recipients: ['anna@example.com', 'bob@example.com'],
});

/** What the node returns for rules of the container. */
export const output = (shown: IDataObject, changed = true) => ({
	containerId: 'c-1',
	changed,
	...shown,
});

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
	held: IDataObject,
	{ reads = 1, changes = 1, keys = 'merge' as 'merge' | 'replace' } = {},
): MockRules {
	const store: MockRules = { rules: held, changes: [] };
	const show = (): [number, Record<string, unknown>] => [
		200,
		structuredClone(store.rules) as Record<string, unknown>,
	];
	if (reads > 0) service.get(path).times(reads).reply(show);
	if (changes > 0) {
		service
			.patch(path)
			.times(changes)
			.reply((_uri, body) => {
				const change = body as IDataObject;
				store.changes.push(change);
				store.rules = keys === 'merge' ? { ...store.rules, ...change } : { ...change };
				return show();
			});
	}
	return store;
}
