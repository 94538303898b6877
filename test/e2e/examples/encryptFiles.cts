import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import {
	copyExampleFile,
	exampleFile,
	exampleWorkflow,
	withFile,
} from '../../../tools/examples.cts';
import { buildWorkflow, START, type WorkflowJson } from '../../../tools/realN8n/workflow.cts';
import {
	day,
	describeFile,
	filesOf,
	manifestOf,
	sha256,
	type ExampleTests,
} from '../support/exampleTests.cts';
import { lastPage } from '../support/exampleEnvironment.cts';
import { toMessage } from '../support/mocks/internet.cts';
import { code } from '../support/testEnvironment.cts';

export function testEncryptedFiles(examples: ExampleTests): void {
	const { uploads, uuidOf, mailTo } = examples;

	describe('email-attachments-to-one-container', () => {
		const example = 'email-attachments-to-one-container';

		it('encrypts all attachments of an email into one container, and sends a confirmation', async () => {
			const attachments = [
				{ name: 'contract.pdf', content: Buffer.from('%PDF-1.7 a contract') },
				{ name: 'annex.pdf', content: Buffer.from('%PDF-1.7 an annex') },
				{ name: 'Übersicht.csv', content: Buffer.from('a;b\r\n1;2\r\n') },
			];

			await examples.environment.whilePublished(example, async (id) => {
				examples.environment.imap.deliver(toMessage({ subject: 'No attachment', attachments: [] }));
				const [first] = await examples.environment.server.waitForExecutions(id, 1);
				expect(first.status).toBe('success');
				expect(examples.environment.sandbox.requests).toEqual([]);

				examples.environment.imap.deliver(
					toMessage({ subject: 'Contract with Acme', attachments }),
				);
				const [second] = await examples.environment.server.waitForExecutions(id, 2);
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
			expect(examples.environment.smtp.mails).toHaveLength(1);
			const [mail] = mailTo('contracts@example.com');
			expect(mail.message).toContain(`Container ${uuidOf('Contract with Acme')}`);
			for (const file of sent) expect(mail.message).toContain(`SHA-256 ${file.sha256}`);
			expect(examples.environment.imap.commands).toContainEqual(
				expect.stringMatching(/^UID STORE 2 \+FLAGS.*\\Seen/i),
			);
		});
	});

	describe('form-upload-to-container', () => {
		const example = 'form-upload-to-container';
		const content = Buffer.from('%PDF-1.7 from a form');

		const submit = async (recipient: string): Promise<string> => {
			const file = new File([content], 'Angebot für Ada.pdf', { type: 'application/pdf' });
			return await lastPage(await examples.environment.submitForm('share-a-file', file, recipient));
		};

		it('shows a page for a file and an email address, and says what happened', async () => {
			await examples.environment.whilePublished(example, async () => {
				const form = await (await examples.environment.server.call('/form/share-a-file')).text();
				expect(form).toContain('Share a file securely');
				expect(form).toContain('type="file"');

				const page = await submit('ada@example.com');

				expect(uploads().map(manifestOf)).toEqual([
					{
						name: 'Angebot für Ada.pdf',
						recipients: ['ada@example.com'],
						downloadable: false,
						drm: { dynamic: true, time: { end: day(30) } },
					},
				]);
				expect(filesOf(uploads()[0])).toEqual([describeFile('Angebot für Ada.pdf', content)]);
				expect(page).toContain('Your file is encrypted');
				for (const text of [
					'Tell ada@example.com',
					'container "Angebot für Ada.pdf"',
					`until ${day(30)}`,
					'sign in at https://share.example.com',
					`Container: ${uuidOf('Angebot für Ada.pdf')}`,
				]) {
					expect(page.replaceAll('&quot;', '"')).toContain(text);
				}
			});
		});

		it('refuses a recipient who is not allowed', async () => {
			await examples.environment.whilePublished(example, async () => {
				const page = await submit('ada@elsewhere.example');

				expect(page).toContain('The file was not encrypted');
				expect(page).toContain('ada@elsewhere.example');
				expect(uploads()).toEqual([]);
			});
		});
	});

	describe('recipients-from-a-group-of-contacts', () => {
		const example = 'recipients-from-a-group-of-contacts';
		const submit = async (id: string, company: string) => {
			const { server, submitForm } = examples.environment;
			const before = (await server.executions(id)).length;
			await submitForm('share-with-a-company', new File(['an offer'], 'Offer.pdf'), company);
			const [{ id: executionId }] = await server.waitForExecutions(id, before + 1);
			return await server.execution(executionId);
		};

		it('encrypts a file for all contacts of a company, and fails for one without contacts', async () => {
			const { sandbox, whilePublished } = examples.environment;
			sandbox.addContact('ada@example.com', { company: 'Acme' });
			sandbox.addContact('bob@example.com', { company: 'ACME' });
			sandbox.addContact('cleo@example.com', { company: 'Globex' });
			sandbox.addContact('dora@example.com', {});

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
		const call = async (preset: string, withFile = true) => {
			const { server, exampleId } = examples.environment;
			const binary = withFile
				? `{ data: { data: Buffer.from('content').toString('base64'), mimeType: 'text/plain', fileName: 'a.txt' } }`
				: '{}';
			const json = { preset, name: 'Offer', recipients: 'ada@example.com' };
			const id = await server.createWorkflow(
				buildWorkflow([
					START,
					code('File', `return [{ json: ${JSON.stringify(json)}, binary: ${binary} }];`),
					{
						name: 'Preset',
						type: 'n8n-nodes-base.executeWorkflow',
						typeVersion: 1.2,
						parameters: {
							workflowId: { __rl: true, mode: 'id', value: exampleId('presets-of-rules') },
							workflowInputs: { mappingMode: 'defineBelow', value: {} },
							options: {},
						},
					},
				]),
			);
			return await server.runWorkflow(id, START.name);
		};

		it.each([
			['internal', { downloadable: true, drm: { dynamic: true, time: { end: day(365) } } }],
			[
				'confidential',
				{
					downloadable: false,
					drm: expect.objectContaining({ opens: 5, time: { end: day(14) } }),
				},
			],
		])('returns a container with the rules of a preset: %s', async (preset, rules) => {
			const execution = await call(preset);

			expect(execution.error).toBeUndefined();
			expect(uploads().map(manifestOf)).toEqual([
				{ name: 'Offer', recipients: ['ada@example.com'], ...rules },
			]);
			expect(execution.json('Preset')).toEqual([
				expect.objectContaining({ container: expect.objectContaining({ uuid: uuidOf('Offer') }) }),
			]);
		});

		it.each([
			['an unknown preset', 'secret', true, /There is no preset "secret"/],
			['a missing file', 'internal', false, /The input has no file/],
		])('fails for %s', async (_what, preset, withFile, message) => {
			const execution = await call(preset, withFile);

			expect(execution.status).toBe('error');
			expect(execution.error?.message).toMatch(message);
			expect(uploads()).toEqual([]);
		});
	});

	describe('encrypt-a-report-from-text', () => {
		const example = 'encrypt-a-report-from-text';

		it('encrypts the text as a file, and creates no second container', async () => {
			const { sandbox } = examples.environment;
			sandbox.addContact('ada@example.com', {});
			sandbox.addContact('bob@example.com', {});

			const first = await examples.environment.run(example);
			const second = await examples.environment.run(example);

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
			const { sandbox } = examples.environment;
			const recipients = ['ada@example.com', '*@acme.example.com'];
			const { uuid } = sandbox.addContainer({
				name: 'Offer',
				rules: { dynamic: true, opens: 3, recipients, time: { end: '2030-12-31' } },
			});
			sandbox.addContainer({ name: 'Open to nobody', rules: {} });

			const execution = await examples.environment.run('who-can-open-what');

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
			const { n8n, runChanged } = examples.environment;
			const example = examples.environment.examples.get(exampleWorkflow) as WorkflowJson;
			const execution = await runChanged(withFile(example, await copyExampleFile(n8n.files)));

			const [name, invoice] = [basename(exampleFile), await readFile(exampleFile)];
			expect(execution.error).toBeUndefined();
			expect(uploads().map(filesOf)).toEqual([[describeFile(name, invoice)]]);
			expect(execution.json('Get the Container')).toEqual([
				expect.objectContaining({ container: expect.objectContaining({ uuid: uuidOf(name) }) }),
			]);
		});
	});
}
