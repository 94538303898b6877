import type { Target } from '../execution/pathParams';
import { pathOf, readTarget } from '../execution/pathParams';
import type { Operation } from '../execution/defineOperation';

/**
 * An operation that answers one record as the service holds it.
 *
 * @param action what it does, in words that follow "to"
 */
export function getRecord(action: string): Operation<Target> {
	return {
		prepare: readTarget,
		async send(call, target) {
			const path = await pathOf(call, target);
			return [await call.client.record({ method: 'GET', path, action, subject: target })];
		},
	};
}
