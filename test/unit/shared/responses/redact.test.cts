import { Redactor } from '../../../../nodes/shared/responses/redact';

const key = 'key-3f9c/1d5e+7a2b"4c6d';
const password = '1234';
const filter = () => new Redactor([key, password, '']);

describe('a secret in text', () => {
	it.each([
		['in plain text', `Bearer ${key}.`],
		['within a word', `x${key}x`],
		['in JSON', JSON.stringify({ echoed: key })],
		['in a URL', `https://x.example/?key=${encodeURIComponent(key)}`],
		['in Base64', Buffer.from(key).toString('base64')],
		['twice', `${key} ${key}`],
	])('is redacted %s', (_where, text) => {
		const cleaned = filter().redactText(text);
		expect(cleaned).toContain('[hidden]');
		for (const form of [
			key,
			JSON.stringify(key).slice(1, -1),
			encodeURIComponent(key),
			Buffer.from(key).toString('base64'),
		]) {
			expect(cleaned).not.toContain(form);
		}
	});

	it.each([
		['alone', 'Password 1234 is too short', 'Password [hidden] is too short'],
		['in quotes', '"1234"', '"[hidden]"'],
		['at both ends', '1234:1234', '[hidden]:[hidden]'],
	])('is redacted where it is short and stands %s', (_where, text, cleaned) => {
		expect(filter().redactText(text)).toBe(cleaned);
	});

	it.each(['Container 512345 was not found', 'abc1234', '1234ü', '2026-11-21'])(
		'is kept where a word only contains a short one: %j',
		(text) => {
			expect(filter().redactText(text)).toBe(text);
		},
	);

	it.each(['anything at all', 'undefined', '(a) - (b)'])(
		'changes nothing where there are none: %s',
		(text) => {
			expect(new Redactor(['']).redactText(text)).toBe(text);
			expect(new Redactor(['  ']).redactText(text)).toBe(text);
		},
	);

	it('is redacted in any case, with words around it', () => {
		const uuid = '5f0c2a4e-8d1b-4c7a-9e36-2b7d1f4a6c90';
		expect(new Redactor([uuid]).redactText(`{${uuid.toUpperCase()}}`)).toBe('{[hidden]}');
		expect(filter().redactText('x KEY-3f9C/1d5E+7A2b"4c6D')).toBe('x [hidden]');
	});

	it('is redacted within a word from eight characters', () => {
		const redactor = new Redactor(['abcdefgh', '1234567']);
		expect(redactor.redactText('xabcdefghx x1234567x')).toBe('x[hidden]x x1234567x');
	});

	it('is matched literally, with any special characters', () => {
		const signs = '$&.*+?^{}()|[]\\/-$1';
		expect(new Redactor([signs]).redactText(`a ${signs} b`)).toBe('a [hidden] b');
		for (const short of ['$1', 'pw-4711', 'a/b', '[x]', '^', '(', '\\d', '{2}']) {
			expect(new Redactor([short]).redactText(`pay ${short} now`)).toBe('pay [hidden] now');
		}
	});

	it('can contain half a surrogate pair', () => {
		expect(new Redactor(['secret-\uD83D']).redactText('a secret-\uD83D b')).toBe('a [hidden] b');
	});
});

const uuid = '1234abcd-1234-4234-8234-123412341234';
const kept = { a: 1, b: true, c: null, d: [0.5], list: ['title'] };
/** The API key, passwords, and a value of the service before and after. */
const table: Array<[string, string, string[], object, object]> = [
	[
		'values, keys and lists, at any depth',
		key,
		[password],
		{
			[`header ${key}`]: 'kept',
			list: [key, { deep: [`Bearer ${key}`] }],
			code: '1234',
		},
		{
			'header [hidden]': 'kept',
			list: ['[hidden]', { deep: ['Bearer [hidden]'] }],
			code: '[hidden]',
		},
	],
	['a list alone', key, ['hunter22'], ['hunter22', 'title'], ['[hidden]', 'title']],
	['nothing else', key, [password], kept, kept],
	[
		'a number, other than a count',
		key,
		['48291357', ' 4711 ', '0815', '123', '12.50'],
		{ code: 48291357, short: 4711, zero: 815, size: 482913570, count: 123, price: 12.5 },
		{
			code: '[hidden]',
			short: '[hidden]',
			zero: 815,
			size: 482913570,
			count: 123,
			price: '[hidden]',
		},
	],
	[
		'an identifier that is a secret, in any case, but not where it only contains a short one',
		uuid,
		['1234'],
		{
			ref: uuid,
			upper: uuid.toUpperCase(),
			other: uuid.replace(/.$/, '5'),
			both: `1234 ${uuid.replace(/.$/, '5')}`,
		},
		{
			ref: '[hidden]',
			upper: '[hidden]',
			other: uuid.replace(/.$/, '5'),
			both: expect.stringMatching(/^\[hidden\] /),
		},
	],
	[
		'fields named as a password, other than switches and counts',
		key,
		[],
		{
			password: 'unknown',
			api_key: 'x',
			PassCode: 4829,
			a: { password: true, pin: null },
			b: { password: '', pin: 999 },
		},
		{
			password: '[hidden]',
			api_key: '[hidden]',
			PassCode: '[hidden]',
			a: { password: true, pin: null },
			b: { password: '', pin: 999 },
		},
	],
	...[
		...['id', 'uuid', 'user_id', 'containerId', 'name', 'first_name', 'last_name', 'file_name'],
		...['filename', 'email', 'email_address', 'emailaddress', 'mail', 'recipients'],
	].map((name): [string, string, string[], object, object] => [
		`${name}, by which a record is recognized: the API key alone`,
		key,
		['hunter22'],
		{ [name]: 'hunter22', list: { [name]: [key] } },
		{ [name]: 'hunter22', list: { [name]: ['[hidden]'] } },
	]),
	...['ids', 'idea', 'uid', 'names', 'nickname', 'mails', 'emails', 'title', 'video'].map(
		(name): [string, string, string[], object, object] => [
			name,
			key,
			['hunter22'],
			{ [name]: 'hunter22' },
			{ [name]: '[hidden]' },
		],
	),
];

describe('a secret in JSON', () => {
	it.each(table)('is redacted in %s', async (_where, apiKey, passwords, value, redacted) => {
		const root = structuredClone(value) as unknown[];
		const redactor = new Redactor([apiKey]).extend(passwords);

		expect(await redactor.redactJson(root, pause)).toBe(root);
		expect(root).toEqual(redacted);
	});

	it('is redacted without recursion', async () => {
		const root: unknown[] = [];
		let inner = root;
		for (let depth = 0; depth < 50_000; depth += 1) {
			const next: unknown[] = [];
			inner.push(next);
			inner = next;
		}
		inner.push(key);
		await filter().redactJson(root, pause);
		expect(inner).toEqual(['[hidden]']);
	});
});

describe('a large record', () => {
	const near = '!'.repeat(199);

	it.each<[string, object, unknown]>([
		[
			'a long text without it',
			{ text: 'Ein Text. '.repeat(200_000) },
			'Ein Text. '.repeat(200_000),
		],
		['almost everywhere', { text: `${near}x`.repeat(5000) }, `${near}x`.repeat(5000)],
		['in half of it', { text: `${near}x${near}!`.repeat(2500) }, `${near}x[hidden]`.repeat(2500)],
		['everywhere', { text: `${near}!`.repeat(5000) }, '[hidden]'.repeat(5000)],
		['in many values', { list: Array(200_000).fill(`${near}!`) }, undefined],
	])('is redacted with breaks when the secret is %s', async (_where, record, text) => {
		const redactor = new Redactor(['api-key-0123456789']).extend(['!'.repeat(200), 'pW7']);
		// Processor time, since others may use the machine.
		let last = process.cpuUsage();
		const blocks: number[] = [];
		const pauses = async () => {
			blocks.push(process.cpuUsage(last).user / 1000);
			await Promise.resolve();
			last = process.cpuUsage();
		};

		const redacted = (await redactor.redactJson({ record }, pauses)).record as { text?: string };

		// Compiling the pattern takes time, too.
		expect(blocks.sort((a, b) => b - a)[Math.ceil(blocks.length / 10)]).toBeLessThan(40);
		expect(redacted.text).toBe(text);
	});

	it('is redacted as a short one is, wherever it is divided', async () => {
		const redactor = new Redactor(['api-key-0123456789']).extend(['🔒a-b🔒', 'x pW7 x']);
		for (let before = 3980; before < 4010; before += 1) {
			const text = `${'ü'.repeat(before)} 🔒a-b🔒 1🔒a-b🔒 API-KEY-0123456789${'x pW7 x'.repeat(600)}`;
			const { said } = await redactor.redactJson({ said: text }, pause);
			expect(said).toBe(redactor.redactText(text));
		}
	});
});

async function pause(): Promise<void> {
	await Promise.resolve();
}
