import type { IDataObject } from 'n8n-workflow';
import type { RunNodeOptions, RunNodeResult } from '../../support/engine.cts';
import type { MockedService } from '../../support/nock.cts';
import {
	containerId,
	containersPath,
	newService,
	operation,
	run as runAny,
	type Run,
} from './operations.cts';

export const path = '/containers/c-1/drm';

/** The end of access in rules that have not ended. */
export const NEVER = '2099-12-31';

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

export const currentRules = () => ({
	dynamic: true,
	geo: { allow: [{ country: 'CH' }], block: [{ country: 'KP' }] },
	ip: { allow: ['192.0.2.1'] },
	opens: 5,
	time: { start: '2026-01-01', end: NEVER },
	downloadable: false,
	recipients: ['anna@example.com', 'bob@example.com'],
});

/** What the node returns for rules of the container. */
export const output = (shown: IDataObject, changed = true) => ({
	containerId: 'c-1',
	changed,
	...shown,
});

/** The rules after a change (docs/openapi.yaml, updateDrmRules): null removes one. */
function merge(before: IDataObject, patch: IDataObject): IDataObject {
	const all = Object.entries({ ...before, ...patch });
	return Object.fromEntries(all.filter(([, rule]) => rule !== null)) as IDataObject;
}

/** A service with the rules of one container, for the expected number of requests. */
export function mockRules(
	service: MockedService,
	held: IDataObject,
	{ reads = 1, changes = 1 } = {},
): { rules: IDataObject; changes: IDataObject[] } {
	const store = { rules: held, changes: [] as IDataObject[] };
	if (reads > 0) {
		service
			.get(path)
			.times(reads)
			.reply(() => [200, store.rules as object]);
	}
	if (changes > 0) {
		service
			.patch(path)
			.times(changes)
			.reply((_uri, body) => {
				store.changes.push(body as IDataObject);
				store.rules = merge(store.rules, body as IDataObject);
				return [200, store.rules as object];
			});
	}
	return store;
}

export const to = (...recipients: string[]) => ({
	dynamic: true,
	recipients,
	time: { end: NEVER },
});

/** The rules of a container, or the status of the request for them. */
export type Held = IDataObject | number;

/** Runs an operation that changes the rules of many containers. */
export const run = async (
	name: string,
	parameters: IDataObject,
	options: IDataObject = {},
	more: Partial<RunNodeOptions> = {},
): Promise<RunNodeResult> =>
	await runAny(
		`drm: ${name}`,
		parameters,
		{ maxConcurrent: 5, ...options },
		{ credentials: newService(), ...more },
	);

export const outputs = ({ items }: RunNodeResult) => items.map(({ json }) => json);

/** What a service with many containers does, and what was sent to it. */
export function manyContainers(service: MockedService) {
	/**
	 * Holds rules by container. Everything can be requested as many times as it must.
	 *
	 * @param record what the container itself shows
	 */
	function hold(
		containers: Record<string, Held>,
		onPatch: (rules: IDataObject) => Held = (after) => after,
		record: IDataObject = {},
	) {
		const store = { ...containers };
		const answer = (held: Held): [number, IDataObject] =>
			typeof held === 'number' ? [held, { message: 'Words of the service' }] : [200, { drm: held }];
		const list = Object.keys(containers).map((id) => ({ uuid: id, name: `Name ${id}` }));
		service.get(containersPath).times(9).optionally().reply(200, list);
		for (const { uuid: id } of list) {
			const show = () => answer(store[id]);
			service
				.get(`/containers/${id}`)
				.times(9)
				.optionally()
				.reply(() => [200, { container: { uuid: id, ...record } }]);
			service.get(`/containers/${id}/drm`).times(20).optionally().reply(show);
			service
				.patch(`/containers/${id}/drm`)
				.times(9)
				.optionally()
				.reply((_uri, body) => {
					const before = typeof store[id] === 'number' ? {} : store[id];
					const after = onPatch(merge(before, body as IDataObject));
					if (typeof after !== 'number') store[id] = after;
					return answer(after);
				});
		}
		return store;
	}
	const sent = (method: string) =>
		service.requests
			.filter((request) => request.method === method)
			.map(({ path: sentPath }) => sentPath.replace(/^.*\/containers\/?|\/drm$/g, ''));
	return { hold, sent };
}
