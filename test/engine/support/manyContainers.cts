import type { IDataObject } from 'n8n-workflow';
import type { RunNodeOptions, RunNodeResult } from '../../support/engine.cts';
import type { MockedService } from '../../support/nock.cts';
import { containersPath, newService, run as runAny } from './operations.cts';

export const NEVER = '2099-12-31';

export const dayIn = (days: number) =>
	new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

export const to = (...recipients: string[]) => ({
	dynamic: true,
	recipients,
	time: { end: NEVER },
});

export type Held = IDataObject | number;

/** Runs an operation that changes the rules of many containers. */
export const run = async (
	operation: string,
	parameters: IDataObject,
	options: IDataObject = {},
	more: Partial<RunNodeOptions> = {},
): Promise<RunNodeResult> =>
	await runAny(
		`drm: ${operation}`,
		parameters,
		{ maxConcurrent: 5, ...options },
		{ credentials: newService(), ...more },
	);

export const outputs = ({ items }: RunNodeResult) => items.map(({ json }) => json);

/** What a service with many containers does, and what was sent to it. */
export function manyContainers(service: MockedService) {
	/** Containers with their rules, or the status of the request for them. A list reads as many times as it must. */
	function hold(
		containers: Record<string, Held>,
		onPatch: (rules: IDataObject) => Held = (r) => r,
	) {
		const ids = Object.keys(containers);
		const store = { ...containers };
		const answer = (held: Held): [number, IDataObject] =>
			typeof held === 'number' ? [held, { message: 'Words of the service' }] : [200, { drm: held }];
		const list = ids.map((id) => ({ uuid: id, name: `Name ${id}` }));
		service.get(containersPath).times(9).optionally().reply(200, list);
		for (const id of ids) {
			const path = `/containers/${id}/drm`;
			const show = () => answer(store[id]);
			service.get(path).times(20).optionally().reply(show);
			service
				.patch(path)
				.times(9)
				.optionally()
				.reply((_uri, body) => {
					const after = onPatch(body as IDataObject);
					if (typeof after !== 'number') store[id] = after;
					return answer(after);
				});
		}
		return store;
	}
	const sent = (method: string) =>
		service.requests
			.filter((request) => request.method === method)
			.map(({ path }) => path.replace(/^.*\/containers\/?|\/drm$/g, ''));
	return { hold, sent };
}
