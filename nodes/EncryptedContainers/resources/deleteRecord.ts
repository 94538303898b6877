import type { Target } from '../execution/pathParams';
import { pathOf, readTarget } from '../execution/pathParams';
import type { Operation } from '../execution/defineOperation';

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
