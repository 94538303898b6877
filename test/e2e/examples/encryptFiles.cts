import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { copyExampleFile, exampleFile, exampleWorkflow } from '../../../tools/examples.cts';
import {
	day,
	describeFile,
	e2e,
	filesOf,
	lastPage,
	mailTo,
	manifestOf,
	sha256,
	uploads,
	uuidOf,
} from '../support/exampleEnvironment.cts';
import { toMessage } from '../support/mocks/internet.cts';
import { code } from '../support/testEnvironment.cts';

describe('email-attachments-to-one-container', () => {
	const example = 'email-attachments-to-one-container';

	it('encrypts all attachments of an email into one container, and sends a confirmation', async () => {
		const attachments = [
			{ name: 'contract.pdf', content: Buffer.from('%PDF-1.7 a contract') },
			{ name: 'annex.pdf', content: Buffer.from('%PDF-1.7 an annex') },
			{ name: 'Übersicht.csv', content: Buffer.from('a;b\r\n1;2\r\n') },
		];

		await e2e.whilePublished(example, async (id) => {
			e2e.imap.deliver(toMessage({ subject: 'No attachment', attachments: [] }));
			const [first] = await e2e.server.waitForExecutions(id, 1);
			expect(first.status).toBe('success');
			expect(e2e.service.requests).toEqual([]);

			e2e.imap.deliver(toMessage({ subject: 'Contract with Acme', attachments }));
			const [second] = await e2e.server.waitForExecutions(id, 2);
			expect(second.status).toBe('success');
		});

		expect(uploads()).toHaveLength(1);
		expect(manifestOf(uploads()[0])).toEqual({
			name: 'Contract with Acme',
			recipients: ['contracts@example.com', 'legal@example.com'],
			downloadable: true,
			drm: { dynamic: true },
		});
		const sent = attachments.map(({ name, content }) => describeFile(name, content));
		expect(filesOf(uploads()[0])).toEqual(sent);
		expect(e2e.smtp.mails).toHaveLength(1);
		const [mail] = mailTo('contracts@example.com');
		const uuid = await uuidOf('Contract with Acme');
		expect(mail.message).toContain(`Container ${uuid}`);
		expect(mail.message).toContain(`/c/${uuid} until somebody ends access`);
		for (const file of sent) expect(mail.message).toContain(`SHA-256 ${file.sha256}`);
		expect(e2e.imap.commands).toContainEqual(
			expect.stringMatching(/^UID STORE 2 \+FLAGS.*\\Seen/i),
		);
	});
});

describe('form-upload-to-container', () => {
	const name = 'Angebot für Ada.pdf';
	const content = Buffer.from('%PDF-1.7 from a form');
	const submit = async (recipient: string): Promise<string> => {
		const file = new File([content], name, { type: 'application/pdf' });
		const page = await lastPage(await e2e.submitForm('share-a-file', file, recipient));
		return page.replaceAll('&quot;', '"');
	};

	it('shows a page for a file and an allowed email address, and says what happened', async () => {
		await e2e.whilePublished('form-upload-to-container', async () => {
			const form = await (await e2e.server.call('/form/share-a-file')).text();
			expect(form).toContain('Share a file securely');
			expect(form).toContain('type="file"');

			const refusal = await submit('ada@elsewhere.example');
			expect(refusal).toContain('The file was not encrypted');
			expect(refusal).toContain('share files with ada@elsewhere.example. Check the address.');
			// Names of fields and items are for who built the workflow.
			expect(refusal).not.toMatch(/Recipients|\[item/);
			expect(uploads()).toEqual([]);

			const page = await submit('ada@example.com');
			const drm = { dynamic: true, time: { end: day(30) } };
			expect(uploads().map(manifestOf)).toEqual([
				{ name, recipients: ['ada@example.com'], downloadable: false, drm },
			]);
			expect(filesOf(uploads()[0])).toEqual([describeFile(name, content)]);
			for (const text of [
				'Your file is encrypted',
				'Tell ada@example.com',
				`container "${name}"`,
				`until ${day(30)}`,
				'at <a href="https://localhost:',
				`/c/${await uuidOf(name)}`,
			]) {
				expect(page).toContain(text);
			}
		});
	});
});

describe('form-to-mailed-link', () => {
	const submit = async (recipient: string): Promise<string> => {
		const file = new File(['an offer'], 'Offer.pdf', { type: 'application/pdf' });
		return await lastPage(await e2e.submitForm('send-a-file', file, recipient));
	};

	it('encrypts a file and emails its recipient the link, or says why not', async () => {
		await e2e.whilePublished('form-to-mailed-link', async (id) => {
			const refused = await e2e.startedBy(id, async () => {
				const page = await submit('ada@elsewhere.example');
				expect(page).toContain('The link was not sent');
				expect(page).toContain('with ada@elsewhere.example. Check the address.');
			});
			expect(refused.error?.message).toContain('ada@elsewhere.example');
			expect(uploads()).toEqual([]);

			const page = await submit('ada@example.com');
			expect(page).toContain('the link is sent');
			expect(page).toContain(`until ${day(30)}`);
			expect(e2e.smtp.mails).toHaveLength(1);
			const [mail] = mailTo('ada@example.com');
			expect(mail.message).toContain(`/c/${await uuidOf('Offer.pdf')} by ${day(30)}: enter your`);
		});
	});
});

describe('recipients-from-a-group-of-contacts', () => {
	const example = 'recipients-from-a-group-of-contacts';
	const submit = async (id: string, company: string) => {
		const file = new File(['an offer'], 'Offer.pdf');
		const start = async () => await e2e.submitForm('share-with-a-company', file, company);
		return await e2e.startedBy(id, start);
	};

	it('encrypts a file for all contacts of a company, and fails for one without contacts', async () => {
		const { service, whilePublished } = e2e;
		await service.addContact('ada@example.com', { company: 'Acme' });
		await service.addContact('bob@example.com', { company: 'ACME' });
		await service.addContact('cleo@example.com', { company: 'Globex' });
		await service.addContact('dora@example.com', {});

		await whilePublished(example, async (id) => {
			const good = await submit(id, 'acme');
			expect(good.error).toBeUndefined();
			expect(uploads().map(manifestOf)).toEqual([
				expect.objectContaining({
					name: 'Offer.pdf',
					recipients: ['ada@example.com', 'bob@example.com'],
				}),
			]);
			expect(uploads().map(filesOf)).toEqual([[describeFile('Offer.pdf', 'an offer')]]);

			const empty = await submit(id, 'Nobody');
			expect(empty.status).toBe('error');
			expect(empty.error?.message).toMatch(/"Recipients"/);
			expect(uploads()).toHaveLength(1);
		});
	});
});

describe('presets-of-rules', () => {
	const file = { data: 'eA==', mimeType: 'text/plain', fileName: 'a.txt' };
	const call = async (presets: string[], binary: object = { data: file }) => {
		const items = presets.map((preset, index) => {
			const name = `Offer ${index}`;
			return { json: { preset, name, recipients: 'ada@example.com' }, binary };
		});
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
		const execution = await call(['internal', 'confidential', 'internal']);

		const recipients = ['ada@example.com'];
		const internal = { dynamic: true, opens: 100, time: { end: day(365) } };
		const confidential = { dynamic: true, opens: 5, time: { end: day(14) } };
		expect(execution.error).toBeUndefined();
		expect(uploads().map(manifestOf)).toEqual([
			{ name: 'Offer 0', recipients, downloadable: true, drm: internal },
			{ name: 'Offer 1', recipients, downloadable: false, drm: confidential },
			{ name: 'Offer 2', recipients, downloadable: true, drm: internal },
		]);
		expect(execution.json('Preset')).toMatchObject(
			await Promise.all(
				['Offer 0', 'Offer 1', 'Offer 2'].map(async (name) => ({
					container: { name, uuid: await uuidOf(name) },
				})),
			),
		);
	});

	it.each([
		['an unknown preset', ['internal', 'secret'], undefined, /There is no preset "secret"/],
		['a missing file', ['internal'], {}, /The input has no file/],
	])('encrypts nothing for %s', async (_what, presets, binary, message) => {
		const execution = await call(presets, binary);

		expect(execution.status).toBe('error');
		expect(execution.error?.message).toMatch(message);
		expect(uploads()).toEqual([]);
	});
});

describe('encrypt-a-report-from-text', () => {
	const example = 'encrypt-a-report-from-text';

	it('encrypts the text as a file, and creates no second container', async () => {
		const { service } = e2e;
		await service.addContact('ada@example.com', {});
		await service.addContact('bob@example.com', {});

		const first = await e2e.run(example);
		const second = await e2e.run(example);

		expect(first.error).toBeUndefined();
		expect(second.error).toBeUndefined();
		expect(uploads().map(manifestOf)).toEqual([
			expect.objectContaining({
				name: expect.stringMatching(/^Contacts of week \d{4}-W\d{2}$/),
				recipients: ['management@example.com'],
			}),
		]);
		const text = 'ada@example.com\nbob@example.com';
		expect(filesOf(uploads()[0])).toEqual([
			expect.objectContaining({ size: text.length, sha256: sha256(text) }),
		]);
		const reused = [first, second].map((run) => run.json('Encrypt the Report')[0].reused);
		expect(reused).toEqual([false, true]);
	});
});

describe('who-can-open-what', () => {
	it('encrypts a spreadsheet of all containers and their recipients', async () => {
		const { service } = e2e;
		const recipients = ['ada@example.com', '*@acme.example.com'];
		const uuid = await service.addContainer({
			name: 'Offer',
			rules: { opens: 3, recipients, time: { end: '2030-12-31' } },
		});
		await service.addContainer({ name: 'Open to nobody', rules: {} });

		const execution = await e2e.run('who-can-open-what');

		expect(execution.error).toBeUndefined();
		expect(execution.json('Write One Row Each')).toEqual([
			{
				Container: 'Offer',
				ID: uuid,
				Recipients: recipients.join(', '),
				'First Day': '',
				'Last Day': '2030-12-31',
				Opens: 3,
				Downloadable: '',
				'Can Change': true,
			},
			expect.objectContaining({ Container: 'Open to nobody', Recipients: '' }),
		]);
		const [upload] = uploads();
		expect(manifestOf(upload)).toMatchObject({
			name: `Who can open what on ${day(0)}`,
			recipients: ['auditor@example.com'],
		});
		const [file] = filesOf(upload);
		expect(file.name).toBe('who-can-open-what.xlsx');
		expect(file.size).toBeGreaterThan(1000);
	});
});

describe('encrypt-an-invoice', () => {
	it('encrypts the invoice and gets its container', async () => {
		const fileSelector = await copyExampleFile(e2e.n8n.files);
		const execution = await e2e.run(exampleWorkflow, { 'Read the Invoice': { fileSelector } });

		const [name, invoice] = [basename(exampleFile), await readFile(exampleFile)];
		expect(execution.error).toBeUndefined();
		expect(uploads().map(filesOf)).toEqual([[describeFile(name, invoice)]]);
		expect(execution.json('Get the Container')).toEqual([
			expect.objectContaining({ uuid: await uuidOf(name) }),
		]);
	});
});
