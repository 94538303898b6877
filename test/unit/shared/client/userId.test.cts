import type { INode } from 'n8n-workflow';

import { parseUserId } from '../../../../nodes/shared/client/userId';

const parse = (value: unknown, raw: unknown = value) =>
	parseUserId({ parameters: { options: { userId: raw } } } as unknown as INode, {
		userId: value as string,
	});

describe('the user to act for', () => {
	it.each([
		['u-1', 'u-1'],
		[' u-1 ', 'u-1'],
		['', undefined],
		[' ', undefined],
	])('%j is %j', (value, user) => {
		expect(parse(value)).toBe(user);
	});

	it('is that of the API key when the option was not added', () => {
		expect(parseUserId({ parameters: {} } as INode, {})).toBeUndefined();
		expect(parseUserId({ parameters: {} } as INode, { userId: '' })).toBeUndefined();
	});

	it.each(['', ' ', null, undefined])(
		'is not left out by an expression that returns %j',
		(value) => {
			expect(() => parse(value, '={{ $json.user }}')).toThrow('"User ID" is empty');
		},
	);

	it('is what an expression returns', () => {
		expect(parse('u-1', '={{ $json.user }}')).toBe('u-1');
	});

	it('is text', () => {
		expect(() => parse(true)).toThrow('"User ID" is not text');
	});
});
