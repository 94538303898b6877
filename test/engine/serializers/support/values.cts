/** An end in JSON: the last day of 2099, no end, or nothing that can be read. */
export type DateRow = [
	stack: string,
	shape: string,
	json: string,
	means: 'day' | 'none' | 'unreadable',
];

export const DATES: DateRow[] = [
	['Spring', 'LocalDate', '"2099-12-31"', 'day'],
	['Spring', 'LocalDate in numbers', '[2099,12,31]', 'unreadable'],
	['Spring', 'OffsetDateTime', '"2099-12-31T00:00:00.000+00:00"', 'day'],
	['Spring', 'ZonedDateTime', '"2099-12-31T00:00:00Z[UTC]"', 'day'],
	['Spring', 'Date in milliseconds', '4102358400000', 'day'],
	['Spring', 'Instant in seconds', '4102358400.000000000', 'day'],
	['Spring', 'Gson', '"Dec 31, 2099, 12:00:00 AM"', 'unreadable'],
	['Spring', 'Date.toString()', '"Thu Dec 31 00:00:00 UTC 2099"', 'unreadable'],
	['.NET', 'DateTime', '"2099-12-31T00:00:00"', 'day'],
	['.NET', 'DateTime with ticks', '"2099-12-31T00:00:00.0000000Z"', 'day'],
	['.NET', 'DateTime.MinValue', '"0001-01-01T00:00:00"', 'none'],
	['.NET', 'DateTime.MaxValue', '"9999-12-31T23:59:59.9999999"', 'none'],
	['.NET', '/Date(…)/', '"\\/Date(4102358400000)\\/"', 'unreadable'],
	['.NET', 'RFC 1123', '"Thu, 31 Dec 2099 00:00:00 GMT"', 'unreadable'],
	['.NET', 'the form of a culture', '"12/31/2099 00:00:00"', 'unreadable'],
	['Django REST', 'DateField', '"2099-12-31"', 'day'],
	['Django REST', 'DateTimeField', '"2099-12-31T00:00:00.000001Z"', 'day'],
	['Laravel', 'Carbon', '"2099-12-31T00:00:00.000000Z"', 'day'],
	['Laravel', 'MySQL', '"2099-12-31 00:00:00"', 'day'],
	['Laravel', 'MySQL without a date', '"0000-00-00 00:00:00"', 'none'],
	[
		'PHP',
		'DateTime',
		'{"date":"2099-12-31 00:00:00.000000","timezone_type":3,"timezone":"UTC"}',
		'unreadable',
	],
	['PHP', 'seconds as text', '"4102358400"', 'day'],
	['PHP', 'empty text', '""', 'none'],
	['PHP', 'false', 'false', 'unreadable'],
	['Go', 'RFC 3339 with nanoseconds', '"2099-12-31T23:59:59.999999999Z"', 'day'],
	['Go', 'zero time', '"0001-01-01T00:00:00Z"', 'none'],
	['Go', 'Unix time', '4102358400', 'day'],
	['Go', 'Unix time of no date', '0', 'none'],
	['Go', 'nil', 'null', 'none'],
	['FastAPI', 'naive datetime', '"2099-12-31T00:00:00"', 'day'],
	['FastAPI', 'aware datetime', '"2099-12-31T00:00:00+00:00"', 'day'],
	['Rails', 'TimeWithZone', '"2099-12-31T00:00:00.000Z"', 'day'],
	['protobuf', 'Timestamp', '"2099-12-31T00:00:00Z"', 'day'],
	['protobuf', 'google.type.Date', '{"year":2099,"month":12,"day":31}', 'unreadable'],
	['protobuf', 'Timestamp as a message', '{"seconds":"4102358400","nanos":0}', 'unreadable'],
];

/** An identifier in JSON, and as the node uses it. */
export type IdRow = [stack: string, shape: string, json: string, id: string | RegExp];

const INEXACT = /the number .* too large to be exact/;

export const IDS: IdRow[] = [
	[
		'Spring',
		'UUID',
		'"6f1c7a52-0000-4000-8000-000000000001"',
		'6f1c7a52-0000-4000-8000-000000000001',
	],
	['Spring', 'long', '42', '42'],
	['Spring', 'long beyond 2^53', '9007199254740993', '9007199254740993'],
	['Spring', 'Long.MAX_VALUE', '9223372036854775807', '9223372036854775807'],
	['.NET', 'ulong', '18446744073709551615', '18446744073709551615'],
	['.NET', 'decimal', '42.0', '42'],
	['.NET', 'double', '4.2E+1', '42'],
	['.NET', 'large double', '1.8446744073709552E+19', INEXACT],
	['PHP', 'text', '"42"', '42'],
	['Go', 'big.Int', '123456789012345678901234567890', '123456789012345678901234567890'],
	['Go', 'float64', '1e+21', INEXACT],
	['protobuf', 'int64', '"9223372036854775807"', '9223372036854775807'],
];

/** A record in what a stack puts around it; or what the node says where it does not find the identifier. */
export type RecordRow = [
	stack: string,
	shape: string,
	wrap: (record: object) => unknown,
	error?: RegExp,
];

export const RECORDS: RecordRow[] = [
	['Spring', 'bare', (record) => record],
	['Spring HATEOAS', 'EntityModel', (record) => ({ ...record, _links: { self: { href: '/x' } } })],
	['.NET', 'ReferenceHandler.Preserve', (record) => ({ $id: '1', ...record })],
	[
		'.NET',
		'ABP',
		(result) => ({ result, success: true, error: null, __abp: true }),
		/fields result, success|without an id/,
	],
	['.NET', 'PascalCase', () => ({ Id: 'x-1', Uuid: 'x-1' }), /fields Id, Uuid|without an id/],
	['Django REST', 'bare', (record) => ({ url: '/x', ...record })],
	['Laravel', 'resource', (data) => ({ data }), /fields data|without an id/],
	[
		'Rails',
		'JSON:API',
		(attributes) => ({ data: { id: 'x-1', attributes } }),
		/fields data|without an id/,
	],
	['PHP', 'a list of one', (record) => [record], /a list instead of/],
	['Go', 'null', () => null, /the JSON value null instead of/],
	['protobuf', 'empty message', () => ({}), /an empty JSON object|without an id/],
];
