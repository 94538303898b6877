import { setTimeout as wait } from 'node:timers/promises';
import type { IDataObject } from 'n8n-workflow';
import { getContainerIdentity } from '../../nodes/shared/api/records.ts';
import { hasSucceeded, planSteps } from './walk.cts';
import type { Step, WalkOptions } from './walk.cts';

const PAUSE_MS = 1500;

/**
 * Ends access to the container and deletes it and the contact, however far the walk came.
 * @returns what the service did not delete, in words
 */
export async function cleanUp({ owned, credential, run, log }: WalkOptions, steps: Step[]) {
	const send = async (parameters: IDataObject) => {
		const { items, error } = await run(parameters, credential);
		if (error === undefined || ['404', '410'].includes(error.httpCode ?? '')) return items;
		throw new Error(error.message);
	};
	const leftovers: string[] = [];
	const attempt = async (what: string, work: (isLast: boolean) => Promise<unknown>) => {
		for (const isLast of [false, false, false, true]) {
			try {
				await work(isLast);
				return log(`Deleted the ${what}`);
			} catch (error) {
				if (isLast) leftovers.push(`${what}: ${(error as Error).message}`);
				else await wait(PAUSE_MS);
			}
		}
	};
	/** By its name, which no other container has, where its ID never arrived. */
	const findContainers = async ({ exchanges }: Step, isLast: boolean) => {
		if (owned.containerId !== undefined && exchanges.length === 1) return [owned.containerId];
		const { containers } = planSteps(owned);
		const options = { ...(containers.options as object), nameContains: owned.containerName };
		const found = await send({ ...containers, returnAll: true, options });
		const ids = found.map((item) => getContainerIdentity(item).id);
		// An upload that was cut off can still arrive.
		const kind = Math.floor((exchanges.at(-1)?.status ?? 0) / 100);
		if (ids.length > 0 || kind === 4 || (isLast && kind !== 2)) return ids;
		throw new Error('it is not in the list of containers');
	};

	const upload = steps.find(({ id }) => id === 'encode');
	if (upload !== undefined && !hasSucceeded(steps, 'deleteContainer')) {
		await attempt(`container "${owned.containerName}"`, async (isLast) => {
			for (const containerId of await findContainers(upload, isLast)) {
				const { revoke, deleteContainer } = planSteps({ ...owned, containerId });
				// Deleting the container ends access as well; this is for the case that it can't be deleted.
				await send(revoke).catch(() => undefined);
				await send(deleteContainer);
			}
		});
	}
	if (steps.some(({ id }) => id === 'contact') && !hasSucceeded(steps, 'deleteContact')) {
		const { deleteContact } = planSteps(owned);
		await attempt(`contact ${owned.email}`, async () => await send(deleteContact));
	}
	return leftovers;
}
