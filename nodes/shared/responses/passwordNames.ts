/** A part of every name below, so that most names need no closer look. */
const HINT = /pass|pw|pin|secret|key|wort/i;
/** Such as `pin` in `userPin`, `user_pin` and `USER-PIN`, but not in `opinion`; compounds also within a word. */
const NAME =
	/(?<!\p{L})(?:pass|pwd?|pin|secret)s?(?!\p{L})|(?:pass_?(?:word|wd|code|phrase|key)|pin_?code|api_?key|kennwort|passwort)s?/u;
const NAME_AT_END = new RegExp(`(?:${NAME.source})[^\\p{L}]*$`, 'u');

/** Whether a field of this name holds a password, a PIN or the like: `Passcode`, `user_pin`, `viewerSecret`. */
export function isPasswordName(name: string): boolean {
	return HINT.test(name) && NAME_AT_END.test(toWords(name));
}

/** Whether the name of a field says that it is about a password. */
export function mentionsPassword(name: string): boolean {
	return HINT.test(name) && NAME.test(toWords(name));
}

function toWords(name: string): string {
	const words = name.replace(/(?<=\p{Ll})(?=\p{Lu})/gu, '_').toLowerCase();
	return words.replace(/[^\p{L}]+/gu, '_');
}
