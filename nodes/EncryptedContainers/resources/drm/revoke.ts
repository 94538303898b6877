import type { IDataObject } from 'n8n-workflow';

import type { DrmRules } from '../../../shared/api/records';
import { findDrmRules } from '../../../shared/api/records';
import { getYesterday } from '../../../shared/parameters/dates';
import type { Target } from '../../execution/pathParams';
import { pathOf, readTarget } from '../../execution/pathParams';
import { assertChangeable, endWindow, hasEnded } from './ruleChanges';
import { fetchRules } from '../../../shared/api/fetchRules';
import type { Call, Operation } from '../../execution/defineOperation';
import type { ServiceRequest } from '../../../shared/client/client';

/** Ends the access window of a container and makes sure that the service shows it ended. */
export const revokeAccess: Operation<Target> = {
	prepare: readTarget,
	async send(call, target) {
		return await call.run.inOrder(`rules ${target.containerId}`, async () => [
			await revoke(call, target),
		]);
	},
};

async function revoke(call: Call, target: Target): Promise<IDataObject> {
	const lastDay = getYesterday(new Date());
	const path = await pathOf(call, target);
	const present = await fetchRules(call, path, target.containerId);
	if (hasEnded(present, lastDay)) return present;
	assertChangeable(present);
	const rules = endWindow(present, lastDay);
	const request: ServiceRequest = {
		method: 'PATCH',
		path,
		action: 'end access to the container',
		json: rules,
		subject: target,
	};
	const answered = findDrmRules(await call.client.optionalRecord(request));
	const reported =
		answered !== undefined && isWhole(answered, rules)
			? answered
			: await fetchRules(call, path, target.containerId);
	if (hasEnded(reported, lastDay)) return reported;
	throw call.client.failure(request, {
		kind: 'unexpected',
		expected: `rules that end access on ${lastDay}`,
		got: reported.time?.end
			? `rules that still end on ${reported.time.end}`
			: 'rules without an end',
	});
}

/** An answer that shows only what was changed is not yet what the service holds. */
function isWhole(answered: DrmRules, sent: DrmRules): boolean {
	return Object.keys(sent).every((key) => key in answered);
}
