import type { Target } from '../input/target';
import { pathOf, readTarget } from '../input/target';
import type { Operation } from '../run/operation';

/**
 * An operation that deletes one record, whatever body the service answers with.
 *
 * @param action what it does, in words that follow "to"
 */
export function deleteRecord(action: string): Operation<Target> {
	return {
		prepare: readTarget,
		async send(call, target) {
			const path = await pathOf(call, target);
			await call.client.optionalRecord({ method: 'DELETE', path, action, subject: target });
			return [{ deleted: true }];
		},
	};
}
