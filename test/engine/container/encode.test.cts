import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { inlineBinary, runNode, type RunNodeOptions } from '../../support/engine.cts';
import { mockService } from '../../support/nock.cts';
import { promisesOfEveryOperation } from '../support/everyOperation.cts';
import { itsInput, newKey, oneByOne, userId } from '../support/parameters.cts';
import { emptyLists, headersOf, listShapes, noLists, noRecords } from '../support/shapes.cts';
import { promisesOfTheUser } from '../support/userOfTheKey.cts';

const service = mockService();

const base: INodeParameters = {
	resource: 'container',
	operation: 'encode',
	containerMode: 'perItem',
	fileSource: 'text',
	textContent: 'confidential',
	textFileName: 'report.txt',
	specifyManifest: 'fields',
	name: '={{ $json.id }}',
	recipients: '',
	downloadable: false,
	drmRules: {},
	additionalFields: {},
	options: { userId },
};
const listPath = `/users/${userId}/containers`;
const path = `${listPath}/encode`;
const envelope = { org_id: userId, container: { uuid: 'c-1', name: 'Invoice' } };
const invoice = [{ json: { id: 'Invoice' } }];

const encode = async (
	parameters: INodeParameters = {},
	options: IDataObject = {},
	more: Partial<RunNodeOptions> = {},
) =>
	await runNode({
		items: invoice,
		...more,
		parameters: {
			...base,
			...parameters,
			options: { userId, ...oneByOne, ...options },
		} as INodeParameters,
	});

interface SentPart {
	head: string;
	content: string;
}

/** The parts of a body of text files, as they were sent. */
function partsOf(body: unknown): SentPart[] {
	const text = String(body);
	const boundary = text.slice(0, text.indexOf('\r\n'));
	return text
		.split(boundary)
		.slice(1, -1)
		.map((part) => {
			const [head, ...content] = part.slice(2, -2).split('\r\n\r\n');
			return { head, content: content.join('\r\n\r\n') };
		});
}
const uploads = () => service.requests.filter(({ method }) => method === 'POST');
const manifests = () =>
	uploads().map(({ body }) => JSON.parse(partsOf(body)[0].content) as IDataObject);
const containerSent = () => manifests()[0].container as IDataObject;

promisesOfEveryOperation(service, {
	parameters: base,
	ids: ['One', 'Two', 'Three'],
	method: 'POST',
	path: () => path,
	answer: envelope,
	outcome: envelope,
	identity: (id) => ({ name: id }),
	refused: [
		['an empty name', '', /"Container Name" is empty/],
		['a blank name', ' \n', /"Container Name" is empty/],
		['a missing field', null, /"Container Name" is empty/],
	],
});

promisesOfTheUser(service, {
	parameters: { ...base, name: 'Invoice' },
	method: 'POST',
	path: (user) => `/users/${user}/containers/encode`,
	answer: envelope,
});

describe('the body', () => {
	it('has a manifest and a file, each with name and type, and nothing else', async () => {
		service.scope().post(path).reply(200, envelope);

		await encode();

		expect(partsOf(uploads()[0].body)).toEqual([
			{
				head: expect.stringMatching(
					/^Content-Disposition: form-data; name="manifest\.json"; filename="manifest\.json"\r\nContent-Type: application\/json$/,
				),
				content: '{"container":{"name":"Invoice","downloadable":false}}',
			},
			{
				head: 'Content-Disposition: form-data; name="file"; filename="report.txt"\r\nContent-Type: text/plain',
				content: 'confidential',
			},
		]);
		expect(uploads()[0].headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
		expect(Number(uploads()[0].headers['content-length'])).toBe(
			Buffer.byteLength(String(uploads()[0].body)),
		);
	});

	it('may name its parts as older services do', async () => {
		service.scope().post(path).reply(200, envelope);

		await encode({}, { manifestPartName: 'manifest', filePartName: ' files ' });

		expect(partsOf(uploads()[0].body).map(({ head }) => /name="([^"]*)"/.exec(head)?.[1])).toEqual([
			'manifest',
			'files',
		]);
	});
});

describe('the manifest by fields', () => {
	it.each<[string, INodeParameters, IDataObject]>([
		['only name and downloadable', {}, { name: 'Invoice', downloadable: false }],
		['a trimmed name', { name: '  Invoice 7 ' }, { name: 'Invoice 7', downloadable: false }],
		['a name that is a number', { name: '={{ 2026 }}' }, { name: '2026', downloadable: false }],
		[
			'recipients as text',
			{ recipients: 'anna@example.com; *@example.org,\nbob@example.com, anna@example.com' },
			{
				name: 'Invoice',
				downloadable: false,
				recipients: ['anna@example.com', '*@example.org', 'bob@example.com'],
			},
		],
		[
			'recipients as a list',
			{ recipients: '={{ ["anna@example.com", "*@*"] }}', downloadable: true },
			{ name: 'Invoice', downloadable: true, recipients: ['anna@example.com', '*@*'] },
		],
		[
			'a password as it is',
			{ additionalFields: { password: ' pass word ' } },
			{ name: 'Invoice', downloadable: false, password: ' pass word ' },
		],
		[
			'a password that is a number',
			{ additionalFields: { password: '={{ 12345678 }}' } },
			{ name: 'Invoice', downloadable: false, password: '12345678' },
		],
		[
			'every rule',
			{
				drmRules: {
					dynamic: true,
					geoAllow: ['CH', 'DE'],
					geoBlock: '={{ ["US"] }}',
					ipAllow: '192.168.1.0/24, 10.0.0.1-10.0.0.9',
					ipBlock: '192.*.1.*',
					opens: 3,
					timeStart: '2026-12-01T00:00:00',
					timeEnd: '2026-12-31',
				},
			},
			{
				name: 'Invoice',
				downloadable: false,
				drm: {
					dynamic: true,
					geo: { allow: [{ country: 'CH' }, { country: 'DE' }], block: [{ country: 'US' }] },
					ip: { allow: ['192.168.1.0/24', '10.0.0.1-10.0.0.9'], block: ['192.*.1.*'] },
					opens: 3,
					time: { start: '2026-12-01', end: '2026-12-31' },
				},
			},
		],
		[
			'one rule',
			{ drmRules: { opens: 0 } },
			{ name: 'Invoice', downloadable: false, drm: { opens: 0 } },
		],
	])('holds %s', async (_what, parameters, container) => {
		service.scope().post(path).reply(200, envelope);

		const { error } = await encode(parameters);

		expect(error).toBeUndefined();
		expect(manifests()).toEqual([{ container }]);
	});

	it.each([
		['Asia/Tokyo', '={{ DateTime.fromISO("2026-12-31T20:00:00Z") }}', '2027-01-01'],
		['America/Los_Angeles', '2026-12-31T02:00:00Z', '2026-12-30'],
		['Pacific/Auckland', '2026-12-31', '2026-12-31'],
	])('holds the day of the zone %s for %s', async (timezone, timeEnd, day) => {
		service.scope().post(path).reply(200, envelope);

		await encode({ drmRules: { timeEnd } }, {}, { timezone });

		expect(containerSent().drm).toEqual({ time: { end: day } });
	});

	it.each<[string, INodeParameters, RegExp]>([
		[
			'a recipient without @',
			{ recipients: 'anna@example.com, bob' },
			/"bob" in "Recipients" is not an e-mail address/,
		],
		[
			'a recipient that is a number',
			{ recipients: '={{ [5] }}' },
			/"Recipients" holds an entry that is not text/,
		],
		[
			'an expression for the recipients that gives nothing',
			{ recipients: '={{ $json.nobody }}' },
			/The expression in "Recipients" gives no address/,
		],
		[
			'an expression for the recipients that gives an empty list',
			{ recipients: '={{ [] }}' },
			/The expression in "Recipients" gives no address/,
		],
		[
			'an end before the start',
			{ drmRules: { timeStart: '2026-12-31', timeEnd: '2026-12-30' } },
			/"Available Until" \(2026-12-30\) is before "Available From" \(2026-12-31\)/,
		],
		[
			'a negative number of opens',
			{ drmRules: { opens: -1 } },
			/"Maximum Opens" is not a whole number, 0 or more/,
		],
		[
			'a fraction of opens',
			{ drmRules: { opens: 2.5 } },
			/"Maximum Opens" is not a whole number, 0 or more/,
		],
		[
			'a date that is none',
			{ drmRules: { timeEnd: 'next week' } },
			/"Available Until" is not a date/,
		],
		[
			'a day that the calendar does not have',
			{ drmRules: { timeStart: '2026-02-29' } },
			/"Available From" is not a date/,
		],
		['an empty list of countries', { drmRules: { geoAllow: [] } }, /"Countries Allowed" is empty/],
		[
			'an empty list of addresses',
			{ drmRules: { ipAllow: '' } },
			/"IP Addresses Allowed" is empty/,
		],
		['an empty password', { additionalFields: { password: '' } }, /"Password" is empty/],
		[
			'a password that is missing',
			{ additionalFields: { password: '={{ $json.nothing }}' } },
			/"Password" is empty/,
		],
		[
			'a switch that is neither',
			{ downloadable: '={{ "maybe" }}' },
			/"Downloadable" is neither true nor false/,
		],
		[
			'a part name that is none',
			{ options: { filePartName: 'a"b' } },
			/"File Part Name" is not a name/,
		],
		[
			'an empty part name',
			{ options: { manifestPartName: '' } },
			/"Manifest Part Name" is not a name/,
		],
		['a file name that is missing', { textFileName: ' ' }, /"File Name" is empty/],
		[
			'an unknown choice',
			{ options: { ifExists: '={{ "merge" }}' } },
			/"If Container Exists" has an unknown value/,
		],
		[
			'digests that are neither on nor off',
			{ options: { includeFileDigests: '={{ 1 }}' } },
			/"Include File Digests" is neither true nor false/,
		],
	])('is refused before anything is sent: %s', async (_what, parameters, message) => {
		const { options = {}, ...others } = parameters as INodeParameters & { options?: IDataObject };
		const { error, items } = await encode(others as INodeParameters, options as IDataObject);

		expect(error?.message).toMatch(message);
		expect(error?.message).toMatch(/\[item 0\]$/);
		expect(error?.description).toMatch(/\w/);
		expect(items).toEqual([]);
		expect(service.requests).toEqual([]);
	});

	it('of one item that is refused keeps all from being sent, unless the run continues', async () => {
		const items = ['anna@example.com', 'bob', 'carl@example.com'].map((to) => ({
			json: { id: `For ${to}`, to },
		}));
		const stopped = await encode({ recipients: '={{ $json.to }}' }, {}, { items });
		expect(stopped.error?.message).toMatch(/"bob" in "Recipients".*\[item 1\]/);
		expect(service.requests).toEqual([]);

		service.scope().post(path).times(2).reply(200, envelope);
		const continued = await encode(
			{ recipients: '={{ $json.to }}' },
			{},
			{ items, onError: 'continueErrorOutput', next: itsInput },
		);
		expect(continued.next).toEqual([
			{ id: 'For anna@example.com' },
			{ id: 'For carl@example.com' },
		]);
		expect(continued.errorItems[0].json).toMatchObject({
			name: 'For bob',
			error: expect.stringContaining('"bob" in "Recipients"'),
		});
	});
});

describe('the manifest by JSON', () => {
	const json = (manifestJson: unknown) =>
		({ specifyManifest: 'json', manifestJson }) as INodeParameters;
	const whole = {
		container: {
			name: 'Invoice',
			password: 'hunter2-hunter2',
			drm: { geo: { allow: [{ city: 'Bern' }] } },
		},
		files: { 'report.txt': { hidden: true } },
		future: [1, null],
	};

	it.each([
		['text', JSON.stringify(whole, null, 2)],
		['an object', `={{ ${JSON.stringify(whole).replaceAll('}', '} ')} }}`],
		[
			'text with an expression',
			`=${JSON.stringify(whole).replace('"Invoice"', '{{ JSON.stringify($json.id) }}')}`,
		],
	])('is sent as it is, from %s', async (_form, text) => {
		service.scope().post(path).reply(200, envelope);

		const { error } = await encode({ ...json(text), name: '', recipients: 'not read' });

		expect(error).toBeUndefined();
		expect(manifests()).toEqual([whole]);
	});

	it.each([
		[
			'{ "container": { "name": "x", } }',
			/"Manifest \(JSON\)" is not valid JSON at line 1, column 31/,
		],
		[
			'{\n\t"container": {\n\t\t"name": x\n\t}\n}',
			/"Manifest \(JSON\)" is not valid JSON at line 3, column 11/,
		],
		['{ "container": {', /"Manifest \(JSON\)" is not valid JSON: it ends too early/],
		['', /"Manifest \(JSON\)" is empty/],
		['[]', /"Manifest \(JSON\)" is not a JSON object/],
		['{}', /"Manifest \(JSON\)" has no object "container"/],
		['{ "container": [] }', /"Manifest \(JSON\)" has no object "container"/],
		['{ "container": null }', /"Manifest \(JSON\)" has no object "container"/],
	])('is refused before anything is sent: %j', async (text, message) => {
		const { error } = await encode(json(text));

		expect(error?.message).toMatch(message);
		expect(service.requests).toEqual([]);
	});

	it('is refused without a word of what it holds', async () => {
		const { error } = await encode(json('{ "container": { "password": "hunter2-hunter2", } }'));

		expect(`${error?.message} ${error?.description}`).not.toContain('hunter2');
	});
});

describe('the answer', () => {
	it.each([
		['an envelope', envelope],
		['a plain record', { uuid: 'c-1', name: 'Invoice' }],
		['an envelope with status 201', envelope],
		['a record without a name', { id: 7 }],
	])('is put out as it is: %s', async (shape, body) => {
		service
			.scope()
			.post(path)
			.reply(shape.endsWith('201') ? 201 : 200, body);

		const { items } = await encode();

		expect(items).toEqual([expect.objectContaining({ json: body, pairedItem: { item: 0 } })]);
	});

	it.each(noRecords)(
		'that is none is an error which says that a container may exist: $shape',
		async (shape) => {
			service.scope().post(path).reply(shape.status, shape.body, headersOf(shape));

			const { error } = await encode();

			expect(error?.message).toMatch(shape.message);
			expect(error?.description).toMatch(/may exist all the same: look for "Invoice"/);
			expect(uploads()).toHaveLength(1);
		},
	);

	it('never shows the password, whatever the service echoes', async () => {
		const password = 'correct horse battery';
		service
			.scope()
			.post(path)
			.reply(200, { uuid: 'c-1', echoed: `It is ${password}.`, password, [password]: 1 });

		const { items, log } = await encode({ additionalFields: { password } });

		expect(JSON.stringify(items) + log.join('\n')).not.toContain(password);
		expect(items[0].json).toMatchObject({ uuid: 'c-1', password: '[hidden]' });
	});

	it('never shows the password in an error', async () => {
		const password = 'pw-4711';
		service
			.scope()
			.post(path)
			.reply(422, { message: `The password ${password} is too weak` });

		const { items } = await encode(
			{ additionalFields: { password } },
			{},
			{ onError: 'continueRegularOutput' },
		);

		expect(items[0].json.error).toContain('The password [hidden] is too weak');
		expect(JSON.stringify(items[0].json)).not.toContain(password);
	});
});

describe('trying again', () => {
	it.each([
		[429, { 'retry-after': '0' }],
		[503, { 'retry-after': '0' }],
	])('is done after %i, and the whole body is sent again', async (status, headers) => {
		service.scope().post(path).reply(status, '', headers);
		service.scope().post(path).reply(200, envelope);

		const { items, error } = await encode({}, { maxRetries: 1, includeFileDigests: true });

		expect(error).toBeUndefined();
		expect(uploads().map(({ body }) => partsOf(body)[1].content)).toEqual([
			'confidential',
			'confidential',
		]);
		expect(items[0].json.files).toHaveLength(1);
	});

	it.each([500, 502, 504, 408])(
		'is never done after %i: the container may exist, which the error says',
		async (status) => {
			service.scope().post(path).reply(status, '');

			const { error } = await encode({}, { maxRetries: 5 });

			expect(uploads()).toHaveLength(1);
			expect(error?.description).toMatch(/may exist all the same: look for "Invoice".*Get Many/);
		},
	);

	it('is never done after a connection that broke', async () => {
		service
			.scope()
			.post(path)
			.replyWithError(Object.assign(new Error('reset'), { code: 'ECONNRESET' }));

		const { error } = await encode({}, { maxRetries: 5 });

		expect(error?.message).toMatch(/closed the connection during the upload \(\d+ kB in all\)/);
		expect(error?.description).toMatch(/may exist all the same/);
	});
});

describe('a run that stops half-way', () => {
	it('names what was made before', async () => {
		service.scope().post(path).reply(200, envelope);
		service.scope().post(path).reply(422, { message: 'Words of the service' });

		const { error } = await encode(
			{},
			{},
			{ items: [{ json: { id: 'One' } }, { json: { id: 'Two' } }, { json: { id: 'Three' } }] },
		);

		expect(error?.message).toMatch(/\[item 1\]$/);
		expect(error?.description).toMatch(
			/Made before the run stopped: container "Invoice" \(c-1\)\..*On Error/,
		);
	});
});

describe('a text', () => {
	it.each([
		['report.txt', 'text/plain'],
		['table.CSV', 'text/csv'],
		['page.html', 'text/html'],
		['data.json', 'application/json'],
		['readme.md', 'text/markdown'],
		['noending', 'text/plain'],
	])('in %s is sent as %s', async (textFileName, type) => {
		service.scope().post(path).reply(200, envelope);

		await encode({ textFileName });

		expect(partsOf(uploads()[0].body)[1].head).toBe(
			`Content-Disposition: form-data; name="file"; filename="${textFileName}"\r\nContent-Type: ${type}`,
		);
	});

	it.each([
		['letters beyond ASCII', 'Grüße 📦', 'Grüße 📦'],
		['nothing', '', ''],
		['a number', '={{ 5 }}', '5'],
		['an object', '={{ { a: [1] } }}', '{\n  "a": [\n    1\n  ]\n}'],
		['an expression', '={{ $json.id }}: {{ 1 + 1 }}', 'Invoice: 2'],
		['what looks like a boundary', '--x\r\n\r\n--\r\n', '--x\r\n\r\n--\r\n'],
	])('is sent as UTF-8: %s', async (_what, textContent, content) => {
		service.scope().post(path).reply(200, envelope);

		const { error } = await encode({ textContent });

		expect(error).toBeUndefined();
		expect(String(uploads()[0].body)).toContain(`\r\n\r\n${content}\r\n--`);
		expect(Number(uploads()[0].headers['content-length'])).toBe(
			Buffer.byteLength(String(uploads()[0].body)),
		);
	});

	it('needs no file, and leaves those of the item alone', async () => {
		service.scope().post(path).reply(200, envelope);
		const binary = { data: inlineBinary(Buffer.from('x'), { mimeType: 'text/plain' }) };

		await encode({}, {}, { items: [{ json: { id: 'Invoice' }, binary }] });

		expect(partsOf(uploads()[0].body)).toHaveLength(2);
	});
});

describe('files of the item', () => {
	const file = (fileName: string) =>
		inlineBinary(Buffer.from(fileName), { fileName, mimeType: 'text/plain' });
	const item = (binary: INodeExecutionData['binary']): INodeExecutionData => ({
		json: { id: 'Invoice' },
		binary,
	});

	it.each([
		['one', 'named', 'a', ['a.txt']],
		['several, in the order of the names', 'named', 'b, a', ['b.txt', 'a.txt']],
		['a list by expression', 'named', '={{ ["c", "a"] }}', ['c.txt', 'a.txt']],
		['one named twice', 'named', 'a;a', ['a.txt']],
		['all, in the order of the item', 'all', '', ['a.txt', 'b.txt', 'c.txt']],
	])('are sent: %s', async (_what, fileSource, binaryPropertyName, names) => {
		service.scope().post(path).reply(200, envelope);

		await encode(
			{ fileSource, binaryPropertyName },
			{},
			{ items: [item({ a: file('a.txt'), b: file('b.txt'), c: file('c.txt') })] },
		);

		expect(
			partsOf(uploads()[0].body)
				.slice(1)
				.map(({ content }) => content),
		).toEqual(names);
	});

	it.each<[string, string, string, INodeExecutionData['binary'], RegExp, RegExp]>([
		[
			'a field that is missing',
			'named',
			'data',
			{ invoice: file('a'), terms: file('b') },
			/no binary field "data"/,
			/"invoice", "terms"/,
		],
		[
			'one of two that is missing',
			'named',
			'invoice, data',
			{ invoice: file('a') },
			/no binary field "data"/,
			/"Input Binary Field".*"invoice"/,
		],
		[
			'no field at all',
			'named',
			'data',
			undefined,
			/no binary field "data"/,
			/no binary field at all/,
		],
		[
			'no name of a field',
			'named',
			' , ',
			{ data: file('a') },
			/"Input Binary Field" is empty/,
			/"data"/,
		],
		['no file among all', 'all', '', undefined, /The input item has no file/, /"File Source"/],
	])(
		'are refused before anything is sent: %s',
		async (_what, fileSource, names, binary, message, description) => {
			const { error } = await encode(
				{ fileSource, binaryPropertyName: names },
				{},
				{ items: [item({ data: file('x'), invoice: file('y') }), item(binary)] },
			);

			expect(error?.message).toMatch(/\[item \d\]$/);
			if (names !== 'invoice, data' && names !== ' , ')
				expect(error?.message).toMatch(/\[item 1\]$/);
			expect(error?.message).toMatch(message);
			expect(error?.description).toMatch(description);
			expect(service.requests).toEqual([]);
		},
	);
});

describe('all items in one container', () => {
	const together: INodeParameters = { containerMode: 'allItems', fileSource: 'all' };
	const item = (id: string, ...names: string[]): INodeExecutionData => ({
		json: { id },
		binary: Object.fromEntries(
			names.map((name, index) => [
				`file${index}`,
				inlineBinary(Buffer.from(`${id} ${name}`), { fileName: name, mimeType: 'text/plain' }),
			]),
		),
	});
	const sentFiles = () =>
		partsOf(uploads()[0].body)
			.slice(1)
			.map(({ head, content }) => [/filename="([^"]*)"/.exec(head)?.[1], content]);

	it('are one request with the files of all, in order, and the manifest of the first', async () => {
		service.scope().post(path).reply(200, envelope);

		const { items, error } = await encode(
			{ ...together, recipients: '={{ $json.id }}@example.com' },
			{},
			{ items: [item('A', 'a.txt', 'b.txt'), item('B', 'c.txt'), item('C', 'd.txt')] },
		);

		expect(error).toBeUndefined();
		expect(uploads()).toHaveLength(1);
		expect(containerSent()).toMatchObject({ name: 'A', recipients: ['A@example.com'] });
		expect(sentFiles()).toEqual([
			['a.txt', 'A a.txt'],
			['b.txt', 'A b.txt'],
			['c.txt', 'B c.txt'],
			['d.txt', 'C d.txt'],
		]);
		expect(items).toEqual([
			expect.objectContaining({
				json: envelope,
				pairedItem: [{ item: 0 }, { item: 1 }, { item: 2 }],
			}),
		]);
	});

	it('are linked to their item where there is but one', async () => {
		service.scope().post(path).reply(200, envelope);

		const { items, next } = await encode(together, {}, { items: [item('A', 'a')], next: itsInput });

		expect(items[0].pairedItem).toEqual({ item: 0 });
		expect(next).toEqual([{ id: 'A' }]);
	});

	it('have files of the same name told apart', async () => {
		service.scope().post(path).reply(200, envelope);

		await encode(
			together,
			{},
			{
				items: [
					item('A', 'scan.pdf'),
					item('B', 'scan.pdf', 'Scan.PDF'),
					item('C', 'scan (2).pdf'),
				],
			},
		);

		const names = sentFiles().map(([name]) => String(name));
		expect(names.slice(0, 3)).toEqual(['scan.pdf', 'scan (2).pdf', 'Scan (3).PDF']);
		expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(4);
	});

	it('may be texts, the expressions resolved for each', async () => {
		service.scope().post(path).reply(200, envelope);

		await encode(
			{
				containerMode: 'allItems',
				fileSource: 'text',
				textContent: '={{ $json.id }} of {{ $itemIndex }}',
				textFileName: '={{ $json.id }}.md',
			},
			{},
			{ items: [{ json: { id: 'A' } }, { json: { id: 'B' } }] },
		);

		expect(sentFiles()).toEqual([
			['A.md', 'A of 0'],
			['B.md', 'B of 1'],
		]);
	});

	it('may have their files in fields that an expression names for each', async () => {
		service.scope().post(path).reply(200, envelope);

		await encode(
			{
				containerMode: 'allItems',
				fileSource: 'named',
				binaryPropertyName: '={{ $json.id === "A" ? "file1" : "file0" }}',
			},
			{},
			{ items: [item('A', 'a.txt', 'b.txt'), item('B', 'c.txt', 'd.txt')] },
		);

		expect(sentFiles().map(([name]) => name)).toEqual(['b.txt', 'c.txt']);
	});

	it.each(['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const)(
		'are not sent when one of them is bad, which is named (%s)',
		async (onError) => {
			const { error, items, errorItems } = await encode(
				together,
				{},
				{ items: [item('A', 'a.txt'), { json: { id: 'B' } }, item('C', 'c.txt')], onError },
			);

			expect(service.requests).toEqual([]);
			const message = /The input item has no file \[item 1\]/;
			if (onError === 'stopWorkflow') {
				expect(error?.message).toMatch(message);
				return;
			}
			const failed = onError === 'continueErrorOutput' ? errorItems : items;
			expect(failed).toHaveLength(1);
			expect(failed[0].json).toMatchObject({ name: 'A', error: expect.stringMatching(message) });
			expect(failed[0].pairedItem).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
		},
	);

	it('that the service refuses are one error item, linked to all of them', async () => {
		service.scope().post(path).reply(422, { message: 'Words of the service' });

		const { items } = await encode(
			together,
			{},
			{ items: [item('A', 'a.txt'), item('B', 'b.txt')], onError: 'continueRegularOutput' },
		);

		expect(items).toHaveLength(1);
		expect(items[0].json).toMatchObject({
			name: 'A',
			error: expect.stringContaining('Words of the service'),
		});
		expect(items[0].pairedItem).toEqual([{ item: 0 }, { item: 1 }]);
	});

	it('of 500 items are one request', async () => {
		service.scope().post(path).reply(200, envelope);
		const items = Array.from({ length: 500 }, (_value, index) => item(`I${index}`, 'scan.pdf'));

		const { items: made, error } = await encode(together, {}, { items });

		expect(error).toBeUndefined();
		expect(service.requests).toHaveLength(1);
		expect(sentFiles()).toHaveLength(500);
		expect(new Set(sentFiles().map(([name]) => name)).size).toBe(500);
		expect(made[0].pairedItem).toHaveLength(500);
	}, 30_000);
});

describe('a container that exists', () => {
	const known = [
		{ org_id: userId, container: { uuid: 'c-old', name: 'Invoice' } },
		{ uuid: 'c-plain', name: 'Plain', org_id: 'owner' },
		{ uuid: 'c-second', name: 'Invoice' },
	];
	const reuse = { ifExists: 'reuse' };
	const fail = { ifExists: 'fail' };

	it.each(listShapes(known))('is found in a list of the shape: $shape', async (shape) => {
		service.scope().get(listPath).reply(shape.status, shape.body, headersOf(shape));

		const { items, error } = await encode({}, reuse, {
			items: [{ json: { id: 'Invoice' } }, { json: { id: 'Plain' } }],
		});

		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json)).toEqual([
			known[0],
			{ org_id: 'owner', container: { uuid: 'c-plain', name: 'Plain' } },
		]);
		expect(service.requests).toHaveLength(1);
	});

	it.each(emptyLists)('is not found, and made, when the list is $shape', async (shape) => {
		service.scope().get(listPath).reply(shape.status, shape.body, headersOf(shape));
		service.scope().post(path).reply(200, envelope);

		const { items } = await encode({}, reuse);

		expect(items[0].json).toEqual(envelope);
	});

	it.each(noLists)(
		'cannot be looked for, and nothing is made, when the list is $shape',
		async (shape) => {
			service.scope().get(listPath).reply(shape.status, shape.body, headersOf(shape));

			const { error } = await encode({}, reuse);

			expect(error?.message).toMatch(shape.message);
		},
	);

	it.each([
		['another name', 'Invoice 2'],
		['other capitals', 'invoice'],
	])('is one of exactly that name: %s is made', async (_what, id) => {
		service.scope().get(listPath).reply(200, known);
		service.scope().post(path).reply(200, envelope);

		await encode({}, reuse, { items: [{ json: { id } }] });

		expect(uploads()).toHaveLength(1);
	});

	it('is looked for over all pages of the list', async () => {
		service
			.scope()
			.get(listPath)
			.reply(200, [{ uuid: 'x', name: 'X' }], { link: '<?page=2>; rel="next"' });
		service.scope().get(`${listPath}?page=2`).reply(200, known);

		const { items } = await encode({}, reuse);

		expect(items[0].json).toEqual(known[0]);
	});

	it('stops with an error that names it under "fail", and nothing is sent', async () => {
		service.scope().get(listPath).reply(200, known);

		const { error } = await encode({}, fail);

		expect(error?.message).toMatch(/A container named "Invoice" exists already \[item 0\]/);
		expect(error?.description).toMatch(/Nothing was sent; the present one is c-old/);
	});

	it('does not matter, and no list is read, under "create"', async () => {
		service.scope().post(path).reply(200, envelope);

		await encode({}, { ifExists: 'create' });

		expect(service.requests).toHaveLength(1);
	});

	it('has no digests of files that were not sent', async () => {
		service.scope().get(listPath).reply(200, known);

		const { items } = await encode({}, { ...reuse, includeFileDigests: true });

		expect(items[0].json).toEqual({ ...known[0], files: [] });
	});

	it('is made once for two items of one name under "reuse"', async () => {
		service.scope().get(listPath).reply(200, []);
		service.scope().post(path).delay(20).reply(200, envelope);

		const { items } = await encode(
			{},
			{ ...reuse, maxConcurrent: 5 },
			{ items: [{ json: { id: 'Invoice' } }, { json: { id: 'Invoice' } }] },
		);

		expect(items.map(({ json, pairedItem }) => [json, pairedItem])).toEqual([
			[envelope, { item: 0 }],
			[envelope, { item: 1 }],
		]);
		expect(service.requests).toHaveLength(2);
	});

	it('is made once for two items of one name under "fail", and the second one fails', async () => {
		service.scope().get(listPath).reply(200, []);
		service.scope().post(path).reply(200, envelope);

		const { items, errorItems } = await encode(
			{},
			{ ...fail, maxConcurrent: 5 },
			{
				items: [{ json: { id: 'Invoice' } }, { json: { id: 'Invoice' } }],
				onError: 'continueErrorOutput',
			},
		);

		expect(items).toHaveLength(1);
		expect(errorItems[0].json).toMatchObject({
			name: 'Invoice',
			error: expect.stringContaining('exists already'),
		});
	});

	it('is made again for the second item when making the first one failed', async () => {
		service.scope().get(listPath).reply(200, []);
		service.scope().post(path).reply(422, {});
		service.scope().post(path).reply(200, envelope);

		const { items } = await encode(
			{},
			{ ...reuse, maxConcurrent: 5 },
			{
				items: [{ json: { id: 'Invoice' } }, { json: { id: 'Invoice' } }],
				onError: 'continueRegularOutput',
			},
		);

		expect(items[0].json.error).toEqual(expect.any(String));
		expect(items[1].json).toEqual(envelope);
	});

	it('is looked for once more for the second item when the answer to the first one was lost', async () => {
		const made = { uuid: 'c-1', name: 'Invoice' };
		service.scope().get(listPath).reply(200, []);
		service.scope().post(path).reply(504);
		service.scope().get(listPath).reply(200, [made]);

		const { items } = await encode({}, reuse, {
			items: [{ json: { id: 'Invoice' } }, { json: { id: 'Invoice' } }],
			onError: 'continueRegularOutput',
		});

		expect(items[0].json.errorDescription).toMatch(/The container may exist all the same/);
		expect(items[1].json).toEqual({ container: made });
		expect(uploads()).toHaveLength(1);
	});

	it('is found by Retry On Fail with "reuse": nothing is made twice', async () => {
		const made: Array<{ uuid: string; name: string }> = [];
		service
			.scope()
			.get(listPath)
			.times(2)
			.reply(() => [200, [...made]]);
		const answers = [200, 422, 200, 200];
		service
			.scope()
			.post(path)
			.times(4)
			.reply((_uri, body) => {
				const status = answers.shift() ?? 500;
				const { name } = (JSON.parse(partsOf(body)[0].content) as { container: { name: string } })
					.container;
				if (status !== 200) return [status, { message: 'Not now' }];
				made.push({ uuid: `c-${made.length + 1}`, name });
				return [200, { org_id: userId, container: made.at(-1) }];
			});

		const { items, error } = await encode({}, reuse, {
			items: ['One', 'Two', 'Three'].map((id) => ({ json: { id } })),
			retryOnFail: true,
			maxTries: 2,
			waitBetweenTries: 1,
		});

		expect(error).toBeUndefined();
		expect(made.map(({ name }) => name)).toEqual(['One', 'Two', 'Three']);
		expect(items.map(({ json }) => (json.container as IDataObject).name)).toEqual([
			'One',
			'Two',
			'Three',
		]);
	});

	it.each([
		['no name', '{ "container": {} }'],
		['an empty name', '{ "container": { "name": "" } }'],
		['a name that is no text', '{ "container": { "name": 5 } }'],
	])('cannot be looked for by a manifest with %s', async (_what, manifestJson) => {
		const { error } = await encode({ specifyManifest: 'json', manifestJson }, reuse);

		expect(error?.message).toMatch(/The manifest has no name to look for \[item 0\]/);
		expect(service.requests).toEqual([]);
	});

	it('of the user of the key is looked for with one question', async () => {
		service.scope().get('/me').reply(200, { id: userId });
		service.scope().get(listPath).reply(200, known);

		const { items } = await runNode({
			parameters: { ...base, options: { ...oneByOne, ...reuse } } as INodeParameters,
			items: [...invoice, ...invoice],
			credentials: newKey(),
		});

		expect(items).toHaveLength(2);
		expect(service.requests).toHaveLength(2);
	});
});
