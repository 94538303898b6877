import type { IDataObject } from 'n8n-workflow';

import type { Rules } from '../../../shared/answers/records';
import { findRules } from '../../../shared/answers/records';
import { yesterday } from '../../../shared/input/dates';
import type { Target } from '../../../shared/input/target';
import { pathOf, readTarget } from '../../../shared/input/target';
import { assertChangeable, endWindow, hasEnded } from '../../../shared/rules/changeRules';
import { readPresentRules } from '../../../shared/rules/readPresentRules';
import type { Call, Operation } from '../../../shared/run/operation';
import type { ServiceRequest } from '../../../shared/transport/client';

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
	const lastDay = yesterday(new Date());
	const path = await pathOf(call, target);
	const present = await readPresentRules(call, path, target.containerId);
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
	const answered = findRules(await call.client.optionalRecord(request));
	const reported =
		answered !== undefined && isWhole(answered, rules)
			? answered
			: await readPresentRules(call, path, target.containerId);
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
function isWhole(answered: Rules, sent: Rules): boolean {
	return Object.keys(sent).every((key) => key in answered);
}
