const TOKEN =
	/[ \t\r\n]*(?:("(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)|([{}[\],:]))/y;
const BLANK = /[ \t\r\n]*/y;

type Expected = 'value' | 'valueOrEnd' | 'key' | 'keyOrEnd' | 'colon' | 'separator' | 'nothing';

/**
 * Finds where a text stops being JSON. The engine's own message does not always tell, and quotes the text, which may
 * hold a secret.
 *
 * @param text a text that does not parse
 * @returns the offset of the first character that cannot stand there; the text's length when it ends too early
 */
export function findJsonErrorOffset(text: string): number {
	const open: Array<'{' | '['> = [];
	let expected: Expected = 'value';
	let position = 0;
	for (;;) {
		TOKEN.lastIndex = position;
		const token = TOKEN.exec(text);
		const next: Expected | undefined = token === null ? undefined : follow(token, expected, open);
		if (token === null || next === undefined) {
			BLANK.lastIndex = position;
			const start = position + (BLANK.exec(text)?.[0].length ?? 0);
			return isUnfinished(text.slice(start)) ? text.length : start;
		}
		expected = next;
		position = TOKEN.lastIndex;
	}
}

/** What may come after a token, or undefined when the token itself may not stand there. */
function follow(
	[, scalar, mark]: RegExpExecArray,
	expected: Expected,
	open: Array<'{' | '['>,
): Expected | undefined {
	const wantsValue = expected === 'value' || expected === 'valueOrEnd';
	const wantsKey = expected === 'key' || expected === 'keyOrEnd';
	if (scalar !== undefined) {
		if (wantsValue) return afterValue(open);
		return wantsKey && scalar.startsWith('"') ? 'colon' : undefined;
	}
	switch (mark) {
		case '{':
		case '[':
			if (!wantsValue) return undefined;
			open.push(mark);
			return mark === '{' ? 'keyOrEnd' : 'valueOrEnd';
		case '}':
		case ']': {
			const mayClose =
				expected === 'separator' || expected === (mark === '}' ? 'keyOrEnd' : 'valueOrEnd');
			if (!mayClose || open.at(-1) !== (mark === '}' ? '{' : '[')) return undefined;
			open.pop();
			return afterValue(open);
		}
		case ',':
			if (expected !== 'separator') return undefined;
			return open.at(-1) === '{' ? 'key' : 'value';
		default:
			return expected === 'colon' ? 'value' : undefined;
	}
}

function afterValue(open: unknown[]): Expected {
	return open.length === 0 ? 'nothing' : 'separator';
}

/** Whether what is left is the beginning of a token: then the text was cut off within it. */
function isUnfinished(rest: string): boolean {
	if (rest === '' || rest === '-') return true;
	if (/^"(?:[ !#-[\]-\uffff]|\\.)*\\?$/.test(rest)) return true;
	return rest.length < 5 && ['true', 'false', 'null'].some((word) => word.startsWith(rest));
}
