import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { copyExampleFile, exampleFile, exampleWorkflow } from '../../../tools/examples.cts';
import { waitFor } from '../../../tools/processes.cts';
import { getN8nVersion } from '../../../tools/realN8n/installN8n.cts';
import {
	answerEmail,
	containers,
	describeFile,
	e2e,
	mails,
	openAs,
	requests,
	uuidOf,
} from '../support/exampleEnvironment.cts';
import { code, day } from '../support/testEnvironment.cts';

const contract = { name: 'Vertrag für Ada.pdf', content: Buffer.from('%PDF-1.7 a contract') };
const annex = { name: 'annex.csv', content: Buffer.from('a;b\r\n1;2\r\n') };
const offer = { name: 'Offer.pdf', content: Buffer.from('%PDF-1.7 an offer') };
const upload = new File([offer.content], offer.name, { type: 'application/pdf' });

it('email-attachments-to-one-container encrypts all attachments of an email, and sends a confirmation', async () => {
	const from = { text: 'Carl' };
	const binary = [contract, annex].map(({ name, content }, index) => [
		`attachment_${index}`,
		{ fileName: name, mimeType: 'application/octet-stream', data: content.toString('base64') },
	]);
	const emails = [
		{ json: { subject: 'No attachment', from } },
		{ json: { subject: 'The deal', from }, binary: Object.fromEntries(binary) },
	];

	const pinData = { 'When an Email Arrives': emails };
	const { error } = await e2e.run('email-attachments-to-one-container', {}, pinData);

	expect(error).toBeUndefined();
	const recipients = ['contracts@example.com', 'legal@example.com'];
	const files = [contract, annex].map(describeFile);
	expect(await containers()).toEqual([
		{ name: 'The deal', rules: { dynamic: true, downloadable: true, recipients }, files },
	]);
	expect(mails()).toMatchObject([{ to: 'contracts@example.com' }]);
	const [{ text }] = mails();
	expect(text).toContain(`/c/${await uuidOf('The deal')} until somebody ends access`);
	for (const { sha256 } of files) expect(text).toContain(`SHA-256 ${sha256}`);
});

const answers = {
	gmail: [/label:encrypt has:attachment/, () => mails().map(({ text }) => text)],
	outlook: [
		/categories\/any\(c:c eq 'Encrypt'\)/,
		() => e2e.internet.replies.map((reply) => JSON.stringify(reply)),
	],
} as const;

it.each(['gmail', 'outlook'] as const)(
	'%s-attachments-to-one-container encrypts those of a marked email, and answers whom to tell',
	async (service) => {
		const { internet } = e2e;
		const [query, getAnswers] = answers[service];
		internet.inbox.push({ id: 'm-1', subject: 'The deal', attachments: [contract, annex] });

		const { error } = await e2e.run(`${service}-attachments-to-one-container`);

		expect(error).toBeUndefined();
		expect(internet.requests[0]).toMatch(query);
		const recipients = ['anna@example.com', 'bob@example.com'];
		const rules = { dynamic: true, downloadable: true, recipients, time: { end: day(30) } };
		const files = [contract, annex].map(describeFile);
		expect(await containers()).toEqual([{ name: 'The deal', rules, files }]);
		const [answer, ...others] = getAnswers();
		expect(others).toEqual([]);
		expect(answer).toMatch(/Tell anna@example\.com, ?bob@example\.com: open https:.+\/c\//);
		expect(answer).toContain(`by ${day(30)}`);
	},
);

it('gmail-attachments-to-one-container answers the other emails when one fails, and names it', async () => {
	const { internet, service, run } = e2e;
	for (const [subject, size] of Object.entries({ Alpha: 1, Beta: 300_000, Gamma: 1 })) {
		const attachments = [{ name: 'a.pdf', content: Buffer.alloc(size) }];
		internet.inbox.push({ id: subject, subject, attachments });
	}
	service.on({ method: 'POST', times: Infinity }, async (request, pass) => {
		await request.read();
		return request.bytes > 100_000 ? { status: 413 } : await pass();
	});

	const { error } = await run('gmail-attachments-to-one-container');

	expect(error?.message).toMatch(/^Beta: /);
	expect(mails()).toHaveLength(2);
	expect((await containers()).map(({ name }) => name)).toEqual(['Alpha', 'Gamma']);
});

it('invoice-from-drive-to-recipient encrypts each file once for the customer in the sheet, and emails them', async () => {
	const { driveFiles, sheet } = e2e.internet;
	const createdTime = new Date().toISOString();
	const invoices = ['Grüße 7.pdf', 'Invoice 2026-0042.pdf'].map((name) => ({
		...{ name, content: Buffer.from(`%PDF-1.7 ${name}`), createdTime },
	}));
	const customers = ['anna@acme.example.com', 'bob@globex.example.com'];
	sheet.push(['File', 'Email'], ['Other.pdf', 'cleo@example.com']);
	for (const [index, invoice] of invoices.entries()) {
		driveFiles.set(`file-${index}`, invoice);
		sheet.push([invoice.name, customers[index]]);
	}

	const run = async () => await e2e.run('invoice-from-drive-to-recipient');
	for (const { error } of [await run(), await run()]) expect(error).toBeUndefined();

	const rules = { dynamic: true, downloadable: true, time: { end: day(60) } };
	expect(await containers()).toEqual(
		invoices.map((invoice, index) => ({
			name: invoice.name,
			rules: { ...rules, recipients: [customers[index]] },
			files: [describeFile(invoice)],
		})),
	);
	for (const [index, { name }] of invoices.entries()) {
		const mail = mails().find(({ to }) => to === customers[index]);
		expect(mail?.text).toContain(`/c/${await uuidOf(name)} by ${day(60)}`);
	}
});

it('s3-files-to-containers encrypts each file in the folder once', async () => {
	const { s3Files } = e2e.internet;
	const files = ['a', 'b'].map((name) => ({ name: `${name}.pdf`, content: Buffer.from(name) }));
	s3Files.set('to-encrypt/', Buffer.alloc(0)).set('other/c.pdf', Buffer.from('c'));
	for (const { name, content } of files) s3Files.set(`to-encrypt/${name}`, content);

	const run = async () => await e2e.run('s3-files-to-containers');
	for (const { error } of [await run(), await run()]) expect(error).toBeUndefined();

	expect(await containers()).toMatchObject(
		files.map((file) => ({
			name: `${file.name} of 2026-11-20T08:00:00.000Z`,
			rules: { recipients: ['anna@example.com'] },
			files: [describeFile(file)],
		})),
	);
});

/** The last day counts from today. */
const toShared = () => ({
	name: offer.name,
	rules: {
		...{ dynamic: true, downloadable: false, recipients: ['ada@example.com'] },
		time: { end: day(30) },
	},
	files: [describeFile(offer)],
});

it.each([
	['form-upload-to-container', 'The file was not encrypted', 'Your file is encrypted'],
	['form-to-mailed-link', 'The link was not sent', 'the link is sent'],
])('%s shows a page that says what happened', async (example, refusal, success) => {
	const refused = await e2e.submit(example, [upload, 'eve@elsewhere.example']);
	expect(refused.page).toContain(refusal);
	expect(refused.page).toContain('files with eve@elsewhere.example. Check the address.');
	// Names of fields and items are for who built the workflow.
	expect(refused.page).not.toMatch(/Recipients|\[item/);
	expect(refused.error?.message).toContain('eve@elsewhere.example');
	expect(await containers()).toEqual([]);

	const { page, error } = await e2e.submit(example, [upload, 'ada@example.com']);
	expect(error).toBeUndefined();
	expect(await containers()).toEqual([toShared()]);
	for (const text of [success, 'ada@example.com', `until ${day(30)}`]) expect(page).toContain(text);
	if (example === 'form-upload-to-container') {
		expect(page).toContain(`at <a href="${e2e.service.origin}/c/${await uuidOf(offer.name)}"`);
	}
});

it('form-to-mailed-link sends its recipient a link that leads to the file', async () => {
	await e2e.submit('form-to-mailed-link', [upload, 'ada@example.com']);

	const [{ to, text, link }] = mails();
	expect(to).toBe('ada@example.com');
	expect(text).toContain(` by ${day(30)}: enter your`);
	const uuid = await uuidOf(offer.name);
	expect(link).toBe(`${e2e.service.origin}/c/${uuid}`);
	const ada = await openAs(to, uuid);
	expect((await ada.go()).text).toContain(offer.name);
	// It is only shown: the document itself stays at the service.
	expect((await ada.getFile(0)).status).toBe(403);
});

describe('approval-before-sharing', () => {
	const submit = async (recipient: string, isApproved: boolean) =>
		await e2e.submit('approval-before-sharing', [upload, recipient], async () => {
			await waitFor(() => mails().length > 0);
			expect(await containers()).toEqual([]);
			const [{ to, subject }] = mails();
			const question = `Share ${offer.name} with ${recipient}?`;
			expect({ to, subject }).toEqual({ to: 'owner@example.com', subject: question });
			await answerEmail(question, isApproved);
		});

	it('encrypts the file when its owner approves, and shows its link', async () => {
		const { page } = await submit('ada@example.com', true);

		expect(page).toContain('The file is encrypted');
		expect(page).toContain('Tell ada@example.com');
		// n8n 1 does not record when somebody answered.
		if (getN8nVersion().name !== '1') expect(page).toMatch(/Approved \d{4}-\d\d-\d\dT/);
		expect(page).toContain(`/c/${await uuidOf(offer.name)}`);
		expect(await containers()).toEqual([toShared()]);
	});

	it.each([
		['the owner declines', 'ada@example.com', false, 'did not approve', undefined],
		['the recipient is not allowed', 'eve@elsewhere.example', true, 'eve@elsewhere.example', /eve/],
	])('says why not when %s', async (_what, recipient, isApproved, reason, message) => {
		const { page, error } = await submit(recipient, isApproved);

		expect(page).toContain('The file was not encrypted');
		expect(page).toContain(reason);
		expect(error?.message).toEqual(message && expect.stringMatching(message));
		expect(await containers()).toEqual([]);
	});
});

it('recipients-from-a-group-of-contacts encrypts a file for all contacts of a company, and fails without any', async () => {
	const example = 'recipients-from-a-group-of-contacts';
	const companies = { ada: 'Acme', bob: 'ACME', cleo: 'Globex' };
	for (const [name, company] of Object.entries(companies)) {
		await e2e.service.addContact(`${name}@example.com`, { company });
	}

	expect((await e2e.submit(example, [upload, 'acme'])).error).toBeUndefined();
	const { error } = await e2e.submit(example, [upload, 'Nobody']);

	expect(error?.message).toMatch(/"Recipients"/);
	const recipients = ['ada@example.com', 'bob@example.com'];
	const { files } = toShared();
	expect(await containers()).toMatchObject([{ name: offer.name, rules: { recipients }, files }]);
});

describe('presets-of-rules', () => {
	const file = { data: 'eA==', mimeType: 'text/plain', fileName: 'a.txt' };
	const recipients = ['ada@example.com'];
	const call = async (presets: string[], binary: object = { data: file }) => {
		const items = presets.map((preset, index) => ({
			json: { preset, name: `Offer ${index}`, recipients: recipients[0] },
			binary,
		}));
		const workflowId = { __rl: true, mode: 'id', value: e2e.exampleId('presets-of-rules') };
		const workflowInputs = { mappingMode: 'defineBelow', value: {} };
		return await e2e.runWorkflow([
			code('Files', `return ${JSON.stringify(items)};`),
			{
				name: 'Preset',
				type: 'n8n-nodes-base.executeWorkflow',
				typeVersion: 1.2,
				parameters: { workflowId, workflowInputs, options: {} },
			},
		]);
	};

	it('returns a container with the rules of its preset for each item, in their order', async () => {
		const { error, json } = await call(['internal', 'confidential']);

		expect(error).toBeUndefined();
		const internal = { downloadable: true, opens: 100, time: { end: day(365) } };
		const confidential = { downloadable: false, opens: 5, time: { end: day(14) } };
		expect(await containers()).toMatchObject([
			{ name: 'Offer 0', rules: { dynamic: true, recipients, ...internal } },
			{ name: 'Offer 1', rules: { dynamic: true, recipients, ...confidential } },
		]);
		const names = ['Offer 0', 'Offer 1'].map((name) => ({ container: { name } }));
		expect(json('Preset')).toMatchObject(names);
	});

	it.each([
		['an unknown preset', ['internal', 'secret'], undefined, /There is no preset "secret"/],
		['a missing file', ['internal'], {}, /The input has no file/],
	])('encrypts nothing for %s', async (_what, presets, binary, message) => {
		expect((await call(presets, binary)).error?.message).toMatch(message);
		expect(await containers()).toEqual([]);
	});
});

it('encrypt-an-invoice encrypts the invoice and gets its container', async () => {
	const fileSelector = await copyExampleFile(e2e.n8n.files);
	const { error, json } = await e2e.run(exampleWorkflow, { 'Read the Invoice': { fileSelector } });

	expect(error).toBeUndefined();
	const invoice = { name: basename(exampleFile), content: await readFile(exampleFile) };
	expect(await containers()).toMatchObject([{ files: [describeFile(invoice)] }]);
	expect(json('Get the Container')).toMatchObject([{ uuid: await uuidOf(invoice.name) }]);
	expect(requests('POST')).toHaveLength(1);
});
