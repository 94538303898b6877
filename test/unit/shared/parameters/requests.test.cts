import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { Parameters } from '../../../../nodes/shared/parameters/fields';
import { buildPath, parseId } from '../../../../nodes/shared/parameters/ids';
import { readLimits, readUserId } from '../../../../nodes/shared/parameters/requests';

const encode = (value: unknown) => buildPath([parseId(value, 'Container')]).slice(1);
const EXPRESSION = { userId: '={{ $json.user }}' };
const withOptions = (options: IDataObject, raw = options) =>
	new Parameters({ options: raw as INodeParameters }, (path, preset) =>
		path.startsWith('options.') ? options[path.slice(8)] : preset,
	);

it.each([
	[42, '42'],
	['  c-1 ', 'c-1'],
	['a?b=c#d;e', 'a%3Fb%3Dc%23d%3Be'],
	['%2e%2E', '%252e%252E'],
	['...', '...'],
	['a/b!c%d@example.com', 'a%2Fb!c%25d%40example.com'],
	['grüße 📦', 'gr%C3%BC%C3%9Fe%20%F0%9F%93%A6'],
])('%j is encoded once in a path: %s', (value, encoded) => {
	expect(encode(value)).toBe(encoded);
});

it.each<[string, ...unknown[]]>([
	['is empty', '', ' \t\n ', undefined, null],
	[
		'is not an ID or an email address',
		...[
			'.',
			' .. ',
			'a/b',
			'../me',
			'a/../b@example.com',
			'/b@example.com',
			'a\\b',
			'a\nb',
			'a\0b',
			'a\x7Fb',
			'a\u0085b',
			'a\uD83D',
		],
		...['a'.repeat(2001), 1.5, 2 ** 53, true, {}],
	],
])('an ID that %s is an error that names the field', (message, ...values) => {
	for (const value of values) expect(() => encode(value)).toThrow(`"Container" ${message}`);
});

it.each<[IDataObject, IDataObject, string | undefined]>([
	[{ userId: ' u-1 ' }, { userId: ' u-1 ' }, 'u-1'],
	[{ userId: 'u-1' }, EXPRESSION, 'u-1'],
	[{ userId: ' ' }, { userId: ' ' }, undefined],
	[{}, {}, undefined],
])('the user to act for is, with %j from %j: %j', (options, raw, user) => {
	expect(readUserId(withOptions(options, raw))).toBe(user);
});

it.each<string | null | undefined>([' ', null, undefined])(
	'no user is an error where an expression returns %j',
	(id) => {
		const parameters = withOptions({ userId: id }, EXPRESSION);
		expect(() => readUserId(parameters)).toThrow('"User ID" is empty');
	},
);

it.each<[IDataObject, number | undefined, number[]]>([
	[{}, undefined, [5, 5, 60_000]],
	[{}, 300, [5, 5, 300_000]],
	[{ maxConcurrent: 1, maxRetries: 0, responseTimeout: 3 }, 300, [1, 0, 3000]],
])('the limits of requests are, with %j and %j seconds: %j', (options, seconds, expected) => {
	const { maxConcurrent, maxRetries, responseTimeout } = readLimits(withOptions(options), seconds);
	expect([maxConcurrent, maxRetries, responseTimeout]).toEqual(expected);
});

it.each<[string, ...IDataObject[]]>([
	['Max Concurrent Requests', { maxConcurrent: 0 }, { maxConcurrent: 101 }],
	['Max Retries', { maxRetries: -1 }, { maxRetries: 'often' }],
	['Response Timeout', { responseTimeout: 0 }, { responseTimeout: 3601 }],
])('the limits of requests are an error that names %s with %j and %j', (label, ...wrong) => {
	for (const options of wrong) expect(() => readLimits(withOptions(options))).toThrow(label);
});
