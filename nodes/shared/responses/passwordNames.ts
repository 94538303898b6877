/** A part of every name below, so that most names need no closer look. */
const HINT = /pass|pw|pin|secret|key|wort/i;
const WORDS = ['pass', 'pw', 'pwd', 'pin', 'secret'];
const COMPOUND = /pass(?:word|wd|code|phrase|key)|pincode|apikey|kennwort|passwort/;
const COMPOUND_AT_END = new RegExp(`(?:${COMPOUND.source})s?$`);

/** Whether a field of this name holds a password, a PIN or the like: `Passcode`, `user_pin`, `viewerSecret`. */
export function isPasswordName(name: string): boolean {
	const words = getWords(name);
	return words.slice(-1).some(isPasswordWord) || COMPOUND_AT_END.test(words.join(''));
}

/** Whether the name of a field says that it is about a password. */
export function mentionsPassword(name: string): boolean {
	const words = getWords(name);
	return words.some(isPasswordWord) || COMPOUND.test(words.join(''));
}

/** Such as `user`, `pin` in `userPin`, `user_pin` and `USER-PIN`; none where no name of a password is among them. */
function getWords(name: string): string[] {
	if (!HINT.test(name)) return [];
	const words = name.split(/[^\p{L}]|(?<=\p{Ll})(?=\p{Lu})/u).filter(Boolean);
	return words.map((word) => word.toLowerCase());
}

function isPasswordWord(word: string): boolean {
	return WORDS.includes(word) || (word.endsWith('s') && WORDS.includes(word.slice(0, -1)));
}
