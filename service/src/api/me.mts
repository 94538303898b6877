import type { FastifyRequest } from 'fastify';

/** What a client can rely on beyond the operations themselves. */
const FEATURES = ['etag', 'idempotency_key', 'events'];

export function getMe({ user }: FastifyRequest) {
	const { id, role, org_id: root_org_id, created_date, email } = user;
	const { first_name, last_name, mobile_phone } = user;
	const names = { first_name, last_name, mobile_phone };
	return { id, role, root_org_id, created_date, email, ...names, features: FEATURES };
}
