import { requireKeys, requireObject } from './checks.cts';
import { invalid } from '../service/errors.cts';

/**
 * Checks the body of PATCH /users/{user_id}/contacts/{email}.
 *
 * @param allowed the fields that a contact may have; null for any
 * @returns the fields to keep, without the address
 * @throws ServiceError 400 naming what is wrong
 */
export function checkContact(
	email: string,
	body: unknown,
	allowed: string[] | null,
): Record<string, unknown> {
	if (!/^\S+@\S+$/.test(email)) throw invalid(`"${email}" is not an e-mail address`);
	const { email: given, ...fields } = requireObject(body, 'The contact');
	if (given !== undefined && given !== email) {
		throw invalid('The address in the body is not that of the path');
	}
	if (allowed !== null) requireKeys(fields, allowed, 'The contact');
	return fields;
}
