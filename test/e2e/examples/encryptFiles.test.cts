import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { DateTime } from 'luxon';
import { projectRoot } from '../../../tools/paths.cts';
import {
	containerName,
	day,
	describeFile,
	filesOf,
	itKeepsSecretsOutOfTheLog,
	manifestOf,
	sha256,
	useExamples,
} from '../support/exampleTests.cts';

describe('the examples that encrypt files, in the real n8n', () => {
	const examples = useExamples();
	const { uploads, containers, uuidOf, mailTo } = examples;

	describe('invoice-from-drive-to-recipient', () => {
		const example = 'invoice-from-drive-to-recipient';
		const invoice = Buffer.from('%PDF-1.7 an invoice');
		const other = Buffer.from('%PDF-1.7 another invoice');
		const path = 'Invoices/Outgoing';

		it('encrypts each new invoice for its recipient, emails the container ID, and moves the invoice', async () => {
			const { files } = examples.environment.webDav;
			files.set(`${path}/acme-2026-0042.pdf`, invoice);
			files.set(`${path}/globex-2026-0007 Grüße.pdf`, other);
			files.set(`${path}/initech-2026-0001.pdf`, other);
			files.set(`${path}/notes.txt`, Buffer.from('not an invoice'));
			files.set(`${path}/Old/acme-2020-0001.pdf`, other);

			const execution = await examples.environment.run(example);

			expect(execution.error).toBeUndefined();
			expect(uploads().map(manifestOf)).toEqual([
				{
					name: 'acme-2026-0042.pdf',
					recipients: ['accounts@acme.example.com'],
					downloadable: true,
					drm: { dynamic: true, time: { end: day(60) } },
				},
				expect.objectContaining({
					name: 'globex-2026-0007 Grüße.pdf',
					recipients: ['billing@globex.example.com'],
				}),
			]);
			expect(uploads().map(filesOf)).toEqual([
				[describeFile('acme-2026-0042.pdf', invoice)],
				[describeFile('globex-2026-0007 Grüße.pdf', other)],
			]);
			expect(examples.environment.smtp.mails.map(({ to }) => to)).toEqual([
				['accounts@acme.example.com'],
				['billing@globex.example.com'],
			]);
			const [mail] = mailTo('accounts@acme.example.com');
			expect(mail.from).toBe('invoices@example.com');
			expect(mail.message).toContain('Subject: Your invoice acme-2026-0042.pdf');
			expect(mail.message).toContain(`Container: ${uuidOf('acme-2026-0042.pdf')}`);
			expect([...files.keys()].sort()).toEqual([
				`${path}/Old/acme-2020-0001.pdf`,
				`${path}/initech-2026-0001.pdf`,
				`${path}/notes.txt`,
				'Invoices/Sent/acme-2026-0042.pdf',
				'Invoices/Sent/globex-2026-0007 Grüße.pdf',
			]);
		});

		it('creates no second container for an invoice that it could not move', async () => {
			examples.environment.webDav.files.set(`${path}/acme-2026-0042.pdf`, invoice);
			expect((await examples.environment.run(example)).error).toBeUndefined();
			examples.environment.webDav.files.set(`${path}/acme-2026-0042.pdf`, invoice);

			const again = await examples.environment.run(example);

			expect(again.error).toBeUndefined();
			expect(uploads()).toHaveLength(1);
			const mails = mailTo('accounts@acme.example.com');
			expect(mails).toHaveLength(2);
			expect(mails[1].message).toContain(`Container: ${uuidOf('acme-2026-0042.pdf')}`);
		});

		it('sends all others when some fail, fails with the names of those, and sends only those next time', async () => {
			const { webDav, smtp } = examples.environment;
			const names = ['globex-2026-0007.pdf', 'acme-2026-0041.pdf', 'acme-2026-0042.pdf'];
			const [refused, locked, good] = names;
			for (const name of names) webDav.files.set(`${path}/${name}`, invoice);
			smtp.rejected.add('billing@globex.example.com');
			webDav.locked.add(`${path}/${locked}`);

			const execution = await examples.environment.run(example);

			expect(execution.status).toBe('error');
			const message = String(execution.error?.message);
			expect(message).toMatch(
				/^Failed: globex-2026-0007\.pdf \(Email the Recipient: .*No such mailbox.*\); acme-2026-0041\.pdf \(Download the Invoice: .*\)$/,
			);
			expect(message).not.toContain(good);
			const subjects = () =>
				smtp.mails.map(({ message: mail }) => /^Subject: (.*)\r$/m.exec(mail)?.[1]);
			expect(subjects()).toEqual([`Your invoice ${good}`]);
			expect([...webDav.files.keys()].sort()).toEqual([
				`${path}/${locked}`,
				`${path}/${refused}`,
				`Invoices/Sent/${good}`,
			]);

			smtp.rejected.clear();
			webDav.locked.clear();
			const next = await examples.environment.run(example);

			expect(next.error).toBeUndefined();
			expect(subjects()).toEqual([good, refused, locked].map((name) => `Your invoice ${name}`));
			expect(uploads().map(containerName)).toEqual([locked, good, refused]);
			expect([...webDav.files.keys()].sort()).toEqual(
				[locked, good, refused].map((name) => `Invoices/Sent/${name}`),
			);
		});

		it('moves no invoice without an email when n8n cannot decrypt the SMTP credential', async () => {
			examples.environment.webDav.files.set(`${path}/acme-2026-0042.pdf`, invoice);

			await examples.environment.whileSmtpCredentialIsInvalid(async () => {
				const execution = await examples.environment.run(example);

				expect(execution.error?.message).toBe(
					'Failed: acme-2026-0042.pdf (Was the Email Sent: no, see the node before it)',
				);
			});

			expect(examples.environment.smtp.mails).toEqual([]);
			expect([...examples.environment.webDav.files.keys()]).toEqual([`${path}/acme-2026-0042.pdf`]);
		});

		it('ends without a request to the service when the folder is empty', async () => {
			const execution = await examples.environment.run(example);

			expect(execution.error).toBeUndefined();
			expect(examples.environment.webDav.requests).toEqual([`PROPFIND ${path}`]);
			expect(examples.environment.sandbox.requests).toEqual([]);
		});
	});

	describe('email-attachments-to-one-container', () => {
		const example = 'email-attachments-to-one-container';

		it('encrypts all attachments of an email into one container, and sends a confirmation', async () => {
			const attachments = {
				'contract.pdf': Buffer.from('%PDF-1.7 a contract'),
				'annex.pdf': Buffer.from('%PDF-1.7 an annex'),
				'Übersicht.csv': Buffer.from('a;b\r\n1;2\r\n'),
			};

			await examples.environment.whilePublished(example, async (id) => {
				examples.environment.imap.deliver(mailMessage('No attachment', {}));
				const [first] = await examples.environment.server.waitForExecutions(id, 1);
				expect(first.status).toBe('success');
				expect(examples.environment.sandbox.requests).toEqual([]);

				examples.environment.imap.deliver(mailMessage('Contract with Acme', attachments));
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
			const sent = Object.entries(attachments).map(([name, content]) =>
				describeFile(name, content),
			);
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
			const { server } = examples.environment;
			const form = new FormData();
			form.append(
				'field-0',
				new File([content], 'Angebot für Ada.pdf', { type: 'application/pdf' }),
			);
			form.append('field-1', recipient);
			const response = await server.call('/form/share-a-file', { method: 'POST', body: form });
			expect(response.status).toBe(200);
			const { formWaitingUrl } = (await response.json()) as { formWaitingUrl: string };
			return await lastPage(formWaitingUrl);
		};

		it('shows a page for a file and an email address, and returns the container ID', async () => {
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
				expect(page).toContain(
					`Container ${uuidOf('Angebot für Ada.pdf')} is ready for ada@example.com.`,
				);
			});
		});

		it('explains on the page why a file was not encrypted', async () => {
			await examples.environment.whilePublished(example, async () => {
				const page = await submit('not an address');

				expect(page).toContain('The file was not encrypted');
				expect(page).toContain('is not an email address');
				expect(uploads()).toEqual([]);
			});
		});
	});

	describe('encrypt-a-report-from-text', () => {
		it('encrypts the text as a file, keeps the proof, and creates no second container', async () => {
			const { sandbox } = examples.environment;
			sandbox.addContact('ada@example.com', { company: 'Acme' });
			sandbox.addContact('bob@example.com', {});

			const first = await examples.environment.run('encrypt-a-report-from-text');
			const second = await examples.environment.run('encrypt-a-report-from-text');

			expect(first.error).toBeUndefined();
			expect(second.error).toBeUndefined();
			expect(uploads()).toHaveLength(1);
			expect(manifestOf(uploads()[0])).toMatchObject({
				name: expect.stringMatching(/^Contacts of week \d{4}-W\d{2}$/),
				recipients: ['management@example.com'],
				drm: {
					dynamic: true,
					time: { end: DateTime.utc().startOf('week').plus({ days: 90 }).toISODate() },
				},
			});
			const text = 'email,company\nada@example.com,Acme\nbob@example.com,\n';
			const [file] = filesOf(uploads()[0]);
			expect(file).toMatchObject({ size: text.length, sha256: sha256(text) });
			const [{ uuid: containerId }] = containers();
			expect(first.json('Keep the Proof')).toEqual([
				{ containerId, fileName: file.name, sha256: sha256(text), sentNow: true },
			]);
			expect(second.json('Keep the Proof')).toEqual([
				{ containerId, fileName: '', sha256: '', sentNow: false },
			]);
		});
	});

	describe('all-files-in-one-container', () => {
		it('encrypts every file into one container, and lists the files', async () => {
			const contents = { 'a.pdf': '%PDF-1.7 a', 'b.pdf': '%PDF-1.7 b', 'c.pdf': '%PDF-1.7 c' };
			for (const [name, content] of Object.entries(contents)) {
				await writeFile(join(examples.environment.n8n.files, name), content);
			}

			const execution = await examples.environment.run('all-files-in-one-container');

			expect(execution.error).toBeUndefined();
			expect(uploads()).toHaveLength(1);
			expect(manifestOf(uploads()[0])).toMatchObject({
				name: `Documents of ${day(0)}`,
				recipients: ['ada.lindqvist@example.com'],
			});
			const names = execution.binaries('Read the Files').map(({ data }) => data.fileName);
			expect([...names].sort()).toEqual(Object.keys(contents));
			const sent = names.map((name) =>
				describeFile(String(name), contents[name as keyof typeof contents]),
			);
			expect(filesOf(uploads()[0])).toEqual(sent);
			const [{ uuid: containerId }] = containers();
			expect(execution.json('Add the Container ID')).toEqual(
				sent.map((file) => ({ ...file, containerId })),
			);
		});
	});

	describe('encrypt-an-invoice', () => {
		it('encrypts the invoice and gets its container', async () => {
			const name = 'invoice-2026-0042.pdf';
			const invoice = await readFile(join(projectRoot, 'examples', 'files', name));
			await writeFile(join(examples.environment.n8n.files, name), invoice);

			const execution = await examples.environment.run('encrypt-an-invoice');

			expect(execution.error).toBeUndefined();
			expect(uploads().map(filesOf)).toEqual([[describeFile(name, invoice)]]);
			expect(execution.json('Get the Container')).toEqual([
				expect.objectContaining({ container: expect.objectContaining({ uuid: uuidOf(name) }) }),
			]);
		});
	});

	itKeepsSecretsOutOfTheLog(examples);
});

/** A message of several parts, like from an email client (RFC 2045, RFC 2231 for the names). */
function mailMessage(subject: string, attachments: Record<string, Buffer>): string {
	const parts = Object.entries(attachments).map(([name, content]) => [
		'Content-Type: application/octet-stream',
		'Content-Transfer-Encoding: base64',
		`Content-Disposition: attachment; filename*=utf-8''${encodeURIComponent(name)}`,
		'',
		content.toString('base64'),
	]);
	return [
		'From: Carl Contractor <carl@acme.example.com>',
		'To: contracts@example.com',
		`Subject: ${subject}`,
		'Message-ID: <one@acme.example.com>',
		'MIME-Version: 1.0',
		'Content-Type: multipart/mixed; boundary="boundary-of-parts"',
		'',
		'--boundary-of-parts',
		'Content-Type: text/plain; charset=utf-8',
		'',
		'Please find the documents attached.',
		...parts.flatMap((lines) => ['--boundary-of-parts', ...lines]),
		'--boundary-of-parts--',
		'',
	].join('\r\n');
}

/** Follows a submitted form to its last page, and ends the execution, like the scripts of its pages. */
async function lastPage(address: string): Promise<string> {
	const ask = async (url: URL, method = 'GET') =>
		await (await fetch(url, { method, signal: AbortSignal.timeout(30_000) })).text();
	const page = new URL(address);
	const state = new URL(address);
	state.pathname += '/n8n-execution-status';
	const deadline = Date.now() + 60_000;
	for (;;) {
		const status = await ask(state);
		if (status === 'form-waiting') break;
		if (Date.now() > deadline) throw new Error(`The form has no last page: ${status}`);
		await wait(200);
	}
	const text = await ask(page);
	await ask(page, 'POST');
	return text;
}
