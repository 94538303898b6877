import type { FastifyRequest } from 'fastify';
import { getClientIp } from '../web/clientAddress.mts';
import { findLink } from './links.mts';

/** What a request says about itself. */
export function readPageRequest(request: FastifyRequest) {
	return { ...findLink(request)!, ip: getClientIp(request) };
}

/** What a form holds. A field that is missing or comes twice is empty. */
export function readFields(request: FastifyRequest) {
	const fields = (request.body ?? {}) as Record<string, unknown>;
	const read = (name: string) => (typeof fields[name] === 'string' ? fields[name] : '');
	return {
		email: read('email'),
		code: read('code'),
		password: read('password'),
		lang: read('lang'),
		proof: read('proof'),
		note: read('note'),
	};
}
