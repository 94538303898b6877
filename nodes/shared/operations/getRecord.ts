import type { Target } from '../input/target';
import { pathOf, readTarget } from '../input/target';
import type { Operation } from '../run/operation';

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
