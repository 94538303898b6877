import type { DrmRules } from '../../../shared/api/drmRules';
import { fetchRules, findDrmRules } from '../../../shared/api/drmRules';
import type { ServiceRequest } from '../../../shared/client/client';
import { getYesterday } from '../../../shared/parameters/dates';
import type { Operation, OperationContext } from '../../execution/operation';
import type { PathParams } from '../../execution/pathParams';
import { assertChangeable, endWindow, hasEnded } from './ruleChanges';

/** Ends the access window of a container and checks that the service returns it as ended. */
export const revoke: Operation<PathParams> = {
	prepare: (item) => item.getPathParams(),
	async send(operation, { containerId }) {
		const send = async () => [await endAccess(operation, containerId)];
		return await operation.run.runExclusive(`rules ${containerId}`, send);
	},
};

async function endAccess(operation: OperationContext, containerId: string): Promise<DrmRules> {
	const { client } = operation;
	const lastDay = getYesterday(new Date());
	const current = await fetchRules(client, containerId);
	if (hasEnded(current, lastDay)) return current;
	assertChangeable(current);
	const rules = endWindow(current, lastDay);
	const request: ServiceRequest = {
		method: 'PATCH',
		path: await operation.getPath(),
		action: 'end access to the container',
		json: rules,
		subject: { containerId },
	};
	const returned = findDrmRules(await client.requestOptionalObject(request));
	const after =
		returned !== undefined && hasAllRules(returned, rules)
			? returned
			: await fetchRules(client, containerId);
	if (hasEnded(after, lastDay)) return after;
	throw client.createError(request, {
		kind: 'unexpected',
		expected: `rules that end access on ${lastDay}`,
		received: after.time?.end
			? `rules that still end on ${after.time.end}`
			: 'rules without an end',
	});
}

/** A response with the changed rules only doesn't show all rules that the service has. */
function hasAllRules(returned: DrmRules, sent: DrmRules): boolean {
	return Object.keys(sent).every((key) => key in returned);
}
