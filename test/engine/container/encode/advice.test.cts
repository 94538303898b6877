import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { inlineBinary } from '../../../support/engine.cts';
import { mockService } from '../../../support/nock.cts';
import { encode } from '../../support/encode.cts';

const service = mockService();

const json = (manifestJson: string) => ({ specifyManifest: 'json', manifestJson });
const named = (binaryPropertyName: string) => ({ fileSource: 'named', binaryPropertyName });
const noPassword =
	'or remove it from "More Access Rules" to create a container without a password. If it comes from an expression, check that the field exists in the input item.';

/** What is wrong, the parameters and options, the message and what the details advise. */
type Case = [string, INodeParameters, IDataObject, string, string];

const cases: Case[] = [
	[
		'the name of a part',
		{},
		{ filePartName: 'a b' },
		'"File Part Name" is not a valid name for a part of the request',
		'Use only letters, digits, dots, hyphens and underscores in "File Part Name". The default is file.',
	],
	[
		'the name of the other part',
		{},
		{ manifestPartName: 5 },
		'"Manifest Part Name" is not a valid name for a part of the request',
		'Use only letters, digits, dots, hyphens and underscores in "Manifest Part Name". The default is manifest.json.',
	],
	[
		'a manifest without a container',
		json('{}'),
		{},
		'"Manifest (JSON)" contains no "container" object',
		'Enter the manifest in "Manifest (JSON)" in the format { "container": { "name": "…", … } }.',
	],
	[
		'a manifest whose field n8n hides, because the choice is spelled in another way',
		{ specifyManifest: 'JSON', manifestJson: '{ "container": {} }' },
		{},
		'"Manifest (JSON)" is empty',
		'Enter a JSON object in "Manifest (JSON)", or use the fields instead of JSON.',
	],
	[
		'a manifest without a name that is looked for',
		json('{ "container": {} }'),
		{ ifExists: 'fail' },
		'The manifest contains no container name',
		'"If Container Exists" finds containers by name. Add "name" to "container" in "Manifest (JSON)", or set "If Container Exists" to Create Another.',
	],
	[
		'no name',
		{ name: ' ' },
		{},
		'"Container Name" is empty',
		'Enter a name in "Container Name". If it comes from an expression, check that the field exists in the input item.',
	],
	[
		'no recipient from an expression',
		{ recipients: '={{ "" }}' },
		{ allowNoRecipients: false },
		'The expression in "Recipients" returned no address',
		'Enter at least one address in "Recipients", and if it comes from an expression, check that the field exists in the input item. To create a container without recipients, turn on "Allow No Recipients" in the options.',
	],
	[
		'no recipient',
		{},
		{ allowNoRecipients: false },
		'"Recipients" is empty',
		'Enter at least one address in "Recipients", and if it comes from an expression, check that the field exists in the input item. To create a container without recipients, turn on "Allow No Recipients" in the options.',
	],
	[
		'an empty password',
		{ drmRules: { password: '' } },
		{},
		'"Password" is empty',
		`Enter a password, ${noPassword}`,
	],
	[
		'a password that is a list',
		{ drmRules: { password: '={{ ["a"] }}' } },
		{},
		'"Password" is not text',
		`Enter a password, ${noPassword}`,
	],
	[
		'a password that is no number',
		{ drmRules: { password: '={{ NaN }}' } },
		{},
		'"Password" is not text',
		`Enter a password, ${noPassword}`,
	],
	[
		'no file name',
		{ textFileName: '/' },
		{},
		'"File Name" is empty',
		'Enter a file name with an extension in "File Name", for example report.txt.',
	],
	[
		'no text from an expression',
		{ textContent: '={{ "" }}' },
		{},
		'"Text" is empty',
		'Enter the content of the file in "Text". Its expression returned no text: check that the field exists in the input item.',
	],
	[
		'no text',
		{ textContent: '' },
		{},
		'"Text" is empty',
		'Enter the content of the file in "Text".',
	],
	...['null', '$json.missing'].map((nothing): Case => [
		`${nothing} as text`,
		{ textContent: `={{ ${nothing} }}` },
		{},
		'"Text" is empty',
		'The expression returned nothing. Enter text in "Text". If it comes from an expression, check that the field exists in the input item.',
	]),
	[
		'no file and no name: the file comes first',
		{ fileSource: 'named', binaryPropertyName: 'invoice', name: ' ', recipients: 'nobody' },
		{},
		'The input item has no binary field "invoice"',
		'Enter one of the item\'s binary fields in "Input Binary Field": "data".',
	],
	[
		'an entry that is no file',
		named('={{ [true] }}'),
		{},
		'"Input Binary Field" contains an entry that is not the name of a field or a file',
		'The value is true. Enter names of binary fields in "Input Binary Field", or use an expression that returns files, such as {{ $(\'Read\').item.binary.data }}.',
	],
	[
		'no field',
		named(' '),
		{},
		'"Input Binary Field" is empty',
		'Enter one of the item\'s binary fields in "Input Binary Field": "data".',
	],
	[
		'a field without content',
		named('={{ { mimeType: "a/b" } }}'),
		{},
		'The binary field "file" holds no file content',
		"The node that created the field set neither the content nor a reference to a stored file. Check that node, or choose another field. In an expression, use $('Read').item.binary.data, because $binary.data has no content.",
	],
	[
		'content that is not Base64',
		named('={{ { mimeType: "a/b", data: "ü" } }}'),
		{},
		'The content of the binary field "file" is not Base64',
		'The node that created the field has to encode the content as Base64, without a prefix such as data:application/pdf;base64.',
	],
];

it.each(cases)(
	'an error says what to do: %s',
	async (_what, parameters, options, message, advice) => {
		const data = inlineBinary(Buffer.from('x'), { fileName: 'x', mimeType: 'text/plain' });
		const { error } = await encode(parameters, options, {
			items: [{ json: { id: 'Invoice' }, binary: { data } }],
		});

		expect(error?.message).toBe(`${message} [item 0]`);
		expect(error?.description).toBe(advice);
		expect(service.requests).toEqual([]);
	},
);
