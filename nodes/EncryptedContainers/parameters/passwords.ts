import { UserError } from 'n8n-workflow';

import { assertLength } from '../../shared/parameters/lengths';
import { mentionsPassword } from '../../shared/responses/redact';

const MAX_PASSWORDS = 20;

/**
 * Finds the passwords in JSON that a user enters, at any depth: text and numbers in or below a field whose name mentions
 * a password, such as `password`, `Passcode2` or `pinValue`.
 *
 * @throws UserError for too many or too long ones: all of them are searched for in each response
 */
export function findPasswords(root: unknown, label: string): string[] {
	const found = new Set<string>();
	const open = [{ value: root, isPassword: false }];
	for (let next = open.pop(); next !== undefined; next = open.pop()) {
		const { value, isPassword } = next;
		if (typeof value === 'object' && value !== null) {
			for (const [key, entry] of Object.entries(value)) {
				open.push({ value: entry, isPassword: isPassword || mentionsPassword(key) });
			}
		} else if (isPassword && (typeof value === 'number' || (typeof value === 'string' && value))) {
			assertLength(String(value), 'password', label, 'A password');
			found.add(String(value));
		}
	}
	if (found.size <= MAX_PASSWORDS) return [...found];
	throw new UserError(`"${label}" contains more than ${MAX_PASSWORDS} passwords`, {
		description: `Enter at most ${MAX_PASSWORDS} different passwords in "${label}".`,
	});
}
