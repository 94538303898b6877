import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { runNode, type RunNodeOptions, type RunNodeResult } from '../../support/engine.cts';
import { refuse } from '../../support/proxy.cts';
import { useService } from '../../support/service.cts';
import { byId } from './operations.cts';

/** The end of access in rules that have not ended. */
export const NEVER = '2099-12-31';

export const to = (...recipients: string[]) => ({ recipients, time: { end: NEVER } });

/** The outputs, those of many containers in the order of their names. */
export const outputs = ({ items }: RunNodeResult) =>
	items
		.map(({ json }) => json)
		.sort((one, other) => String(one.name).localeCompare(String(other.name)));

/** A service for the tests of a file, and the operations that change rules in it. @param settings of the service */
export function useRules(settings?: Record<string, string>) {
	const service = useService(settings);
	let names: Record<string, string> = {};

	/** Adds containers by name. @returns their IDs */
	async function hold(containers: Record<string, IDataObject>): Promise<Record<string, string>> {
		const ids: Record<string, string> = {};
		for (const [name, rules] of Object.entries(containers)) {
			ids[name] = await service.addContainer({ name, rules });
			names[ids[name]] = name;
		}
		return ids;
	}
	beforeEach(() => {
		names = {};
	});
	const ofRules = ({ path }: { path: string }) => path.endsWith('/drm');
	const run = async (
		operation: string,
		parameters: IDataObject,
		options: IDataObject = {},
		more: Partial<RunNodeOptions> = {},
	): Promise<RunNodeResult> =>
		await runNode({
			...{ credentials: service.credentials, timezone: 'UTC', ...more },
			parameters: {
				...{ resource: 'drm', operation, ...parameters },
				options: { userId: service.userId, maxRetries: 0, ...options },
			} as INodeParameters,
		});
	return {
		service,
		hold,
		run,
		/** Changes the rules of one container, by fields. */
		update: async (id: string, rules: IDataObject, more: Partial<RunNodeOptions> = {}) =>
			await run('update', { ...byId(id), rules }, {}, more),
		/** The service refuses what is about the rules of a container. */
		fail: (id: string, status: number, method?: string) =>
			service.on(
				{ method, path: new RegExp(`${id}/drm`), times: Infinity },
				refuse(status, 'Words of the service'),
			),
		/** The names of the containers whose rules were read or changed. */
		sent: (method: string) =>
			service.requests
				.filter((request) => request.method === method && ofRules(request))
				.map(({ path }) => names[path.split('/').at(-2) ?? '']),
		/** The changes that were sent. */
		changes: () =>
			service.requests
				.filter(({ method }) => method === 'PATCH')
				.map(({ body }) => JSON.parse(String(body)) as IDataObject),
	};
}
