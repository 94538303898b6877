import { UserError } from 'n8n-workflow';

import { assertLength } from './lengths';

const MAX_PASSWORDS = 100;
/** A part of every name below, so that most names need no closer look. */
const HINT = /pass|pw|pin|secret|key|wort/i;
const WORDS = ['pass', 'pw', 'pwd', 'pin', 'secret'];
const COMPOUND = /pass(?:word|wd|code|phrase|key)|pincode|apikey|kennwort|passwort/;
const COMPOUND_AT_END = new RegExp(`(?:${COMPOUND.source})s?$`);

/** Whether a field of this name holds a password, a PIN or the like: `Passcode`, `user_pin`, `viewerSecret`. */
export function isPasswordName(name: string): boolean {
	if (!HINT.test(name)) return false;
	const words = getWords(name);
	return isPasswordWord(words.at(-1)) || COMPOUND_AT_END.test(words.join(''));
}

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

/** Whether the name of a field says that it is about a password. */
export function mentionsPassword(name: string): boolean {
	if (!HINT.test(name)) return false;
	const words = getWords(name);
	return words.some(isPasswordWord) || COMPOUND.test(words.join(''));
}

/** Such as `user`, `pin` in `userPin`, `user_pin` and `USER-PIN`. */
function getWords(name: string): string[] {
	const words = name.split(/[^\p{L}]+|(?<=\p{Ll})(?=\p{Lu})/u).filter(Boolean);
	return words.map((word) => word.toLowerCase());
}

function isPasswordWord(word = ''): boolean {
	return WORDS.includes(word) || (word.endsWith('s') && WORDS.includes(word.slice(0, -1)));
}
