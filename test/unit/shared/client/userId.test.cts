import { parseUserId } from '../../../../nodes/shared/client/userId';

const EXPRESSION = '={{ $json.user }}';

it.each<[string, object, unknown, string | undefined]>([
	['an ID', { userId: ' u-1 ' }, { userId: ' u-1 ' }, 'u-1'],
	['what an expression returns', { userId: 'u-1' }, { userId: EXPRESSION }, 'u-1'],
	['an option that is empty', { userId: ' ' }, { userId: ' ' }, undefined],
	['an option that is empty, without what is stored', { userId: '' }, undefined, undefined],
	['no option', {}, {}, undefined],
])('the user to act for: %s', (_what, options, raw, user) => {
	expect(parseUserId(options as never, raw)).toBe(user);
});

it.each([
	['', 'is empty'],
	[' ', 'is empty'],
	[null, 'is empty'],
	[undefined, 'is empty'],
	[true, 'is not text'],
])('an expression for the user that returns %j is an error', (userId, message) => {
	expect(() => parseUserId({ userId } as never, { userId: EXPRESSION })).toThrow(
		`"User ID" ${message}`,
	);
});
