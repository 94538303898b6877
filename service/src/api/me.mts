import type { Handlers } from './handlers.mts';

/** What a client can rely on beyond the operations themselves. */
const FEATURES = ['etag', 'idempotency_key', 'events'];

export function createMeHandlers(): Handlers {
	return {
		getMe({ user }) {
			const { id, role, org_id, created_date, email, first_name, last_name, mobile_phone } = user;
			return {
				...{ id, role, root_org_id: org_id, created_date },
				...{ email, first_name, last_name, mobile_phone, features: FEATURES },
			};
		},
	};
}
