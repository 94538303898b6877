import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { INodeTypeDescription } from 'n8n-workflow';
import type { ReceivedPart, ReceivedRequest } from '../../sandbox/index.cts';
import { projectRoot } from '../../tools/paths.cts';
import { getParameterFindings, toToolDescription } from './support/parameterFindings.cts';
import { startExampleEnvironment, type ExampleEnvironment } from './support/exampleEnvironment.cts';
import type { ReceivedMail } from './support/mocks/smtp.cts';

const sha256 = (content: Buffer | string) => createHash('sha256').update(content).digest('hex');
const day = (offset: number) =>
	new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);

describe('the example workflows in the real n8n', () => {
	let environment: ExampleEnvironment;
	beforeAll(async () => {
		environment = await startExampleEnvironment();
	});
	beforeEach(() => environment.reset());
	afterAll(async () => await environment?.stop());

	const requests = (method: string): ReceivedRequest[] =>
		environment.sandbox.requests.filter((request) => request.method === method);
	const manifestOf = ({ body }: ReceivedRequest) =>
		(body as { container: Record<string, unknown> }).container;
	const containerName = (upload: ReceivedRequest) => String(manifestOf(upload).name);
	/** By name: several are on their way at once, and nothing says which one arrives first. */
	const uploads = () =>
		requests('POST').sort((one, other) => containerName(one).localeCompare(containerName(other)));
	const filesOf = ({ parts = [] }: ReceivedRequest) =>
		parts.filter(({ name }) => name === 'file').map(factsOf);
	const factsOf = ({ filename, size, sha256: digest }: ReceivedPart) => ({
		name: filename,
		size,
		sha256: digest,
	});
	const facts = (name: string, content: Buffer | string) => ({
		name,
		size: Buffer.byteLength(content),
		sha256: sha256(content),
	});
	const containers = () => [...environment.sandbox.state.containers.values()];
	const uuidOf = (name: string) => containers().find((one) => one.name === name)?.uuid ?? 'none';
	const mailTo = (address: string): ReceivedMail[] =>
		environment.smtp.mails.filter(({ to }) => to.includes(address));

	it('consist of nodes that this n8n has in that version, with parameters that they take', async () => {
		for (const [name, { nodes }] of environment.examples) {
			// The server describes the node itself; it makes the tool of it where the editor asks for all nodes.
			const nodeInfos = nodes.map(({ type, typeVersion }) => ({
				name: type.replace(/Tool$/, ''),
				version: typeVersion,
			}));
			const descriptions = await environment.server.rest<INodeTypeDescription[]>(
				'POST',
				'/rest/node-types',
				{ nodeInfos },
			);
			const findings = nodes.flatMap((node, index) => {
				const isTool = node.type.endsWith('Tool');
				const description = isTool ? toToolDescription(descriptions[index]) : descriptions[index];
				return [description.version].flat().includes(node.typeVersion)
					? getParameterFindings(node, description)
					: [`${node.name} is not there in version ${node.typeVersion}.`];
			});
			expect({ name, findings }).toEqual({ name, findings: [] });
		}
	});

	describe('invoice-from-drive-to-recipient', () => {
		const example = 'invoice-from-drive-to-recipient';
		const invoice = Buffer.from('%PDF-1.7 an invoice');
		const other = Buffer.from('%PDF-1.7 another invoice');
		const path = 'Invoices/Outgoing';

		it('encrypts each new invoice for its recipient, e-mails them the id, and moves the invoice', async () => {
			const { files } = environment.webDav;
			files.set(`${path}/acme-2026-0042.pdf`, invoice);
			files.set(`${path}/globex-2026-0007 Grüße.pdf`, other);
			files.set(`${path}/initech-2026-0001.pdf`, other);
			files.set(`${path}/notes.txt`, Buffer.from('not an invoice'));
			files.set(`${path}/Old/acme-2020-0001.pdf`, other);

			const execution = await environment.run(example);

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
				[facts('acme-2026-0042.pdf', invoice)],
				[facts('globex-2026-0007 Grüße.pdf', other)],
			]);
			expect(environment.smtp.mails.map(({ to }) => to)).toEqual([
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

		it('makes no second container of an invoice that it could not move', async () => {
			environment.webDav.files.set(`${path}/acme-2026-0042.pdf`, invoice);
			expect((await environment.run(example)).error).toBeUndefined();
			environment.webDav.files.set(`${path}/acme-2026-0042.pdf`, invoice);

			const again = await environment.run(example);

			expect(again.error).toBeUndefined();
			expect(uploads()).toHaveLength(1);
			const mails = mailTo('accounts@acme.example.com');
			expect(mails).toHaveLength(2);
			expect(mails[1].message).toContain(`Container: ${uuidOf('acme-2026-0042.pdf')}`);
		});

		it('sends all others when some fail, fails with their names, and sends only those next time', async () => {
			const { webDav, smtp } = environment;
			const names = ['globex-2026-0007.pdf', 'acme-2026-0041.pdf', 'acme-2026-0042.pdf'];
			const [refused, locked, good] = names;
			for (const name of names) webDav.files.set(`${path}/${name}`, invoice);
			smtp.rejected.add('billing@globex.example.com');
			webDav.locked.add(`${path}/${locked}`);

			const execution = await environment.run(example);

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
			const next = await environment.run(example);

			expect(next.error).toBeUndefined();
			expect(subjects()).toEqual([good, refused, locked].map((name) => `Your invoice ${name}`));
			expect(uploads().map(containerName)).toEqual([locked, good, refused]);
			expect([...webDav.files.keys()].sort()).toEqual(
				[locked, good, refused].map((name) => `Invoices/Sent/${name}`),
			);
		});

		it('moves no invoice that was not mailed when n8n cannot read the credential for the mail server', async () => {
			environment.webDav.files.set(`${path}/acme-2026-0042.pdf`, invoice);

			await environment.whileSmtpCredentialIsInvalid(async () => {
				const execution = await environment.run(example);

				expect(execution.error?.message).toBe(
					'Failed: acme-2026-0042.pdf (Was the Email Sent: no, see the node before it)',
				);
			});

			expect(environment.smtp.mails).toEqual([]);
			expect([...environment.webDav.files.keys()]).toEqual([`${path}/acme-2026-0042.pdf`]);
		});

		it('ends without a request to the service when the folder is empty', async () => {
			const execution = await environment.run(example);

			expect(execution.error).toBeUndefined();
			expect(environment.webDav.requests).toEqual([`PROPFIND ${path}`]);
			expect(environment.sandbox.requests).toEqual([]);
		});
	});

	describe('revoke-expired-containers', () => {
		const example = 'revoke-expired-containers';

		it('ends access where the date has passed, keeps all else, and reports what failed', async () => {
			const { sandbox } = environment;
			const recipients = ['ada@example.com'];
			const add = (name: string, rules: object) =>
				sandbox.addContainer({ name, rules: { recipients, ...rules } }).uuid;
			const past = add(`Offer until ${day(-3)}`, { dynamic: true, opens: 5 });
			const today = add(`Offer until ${day(0)}`, { dynamic: true });
			const undated = add('Offer', { dynamic: true });
			const sealed = add('Sealed until 2020-02-29', { dynamic: false });

			const execution = await environment.run(example);

			expect(execution.error).toBeUndefined();
			const rulesOf = (uuid: string) => sandbox.state.containers.get(uuid)?.rules;
			expect(rulesOf(past)).toEqual({
				dynamic: true,
				opens: 5,
				recipients,
				time: { end: day(-1) },
			});
			expect(rulesOf(today)).toEqual({ dynamic: true, recipients });
			expect(rulesOf(undated)).toEqual({ dynamic: true, recipients });
			expect(requests('PATCH').map(({ path }) => path)).toEqual([`/api/v1/containers/${past}/drm`]);
			expect(execution.json('List the Revoked Containers')).toEqual([
				{ containerId: past, name: `Offer until ${day(-3)}`, endedOn: day(-1) },
			]);
			expect(environment.smtp.mails).toHaveLength(1);
			const [mail] = mailTo('administrator@example.com');
			expect(mail.message).toContain('Subject: 1 containers could not be revoked');
			expect(mail.message).toContain(sealed);
		});

		it('gets through more containers than the service allows at once, and mails nothing', async () => {
			const { sandbox } = environment;
			for (let index = 0; index < 12; index++) {
				const rules = { dynamic: true, recipients: [`reader-${index}@example.com`] };
				sandbox.addContainer({ name: `Draft ${index} until 2026-01-31`, rules });
			}
			sandbox.settings.rateLimit = { perMinute: 10, windowMs: 1000, retryAfter: 'seconds' };

			const execution = await environment.run(example);

			expect(execution.error).toBeUndefined();
			expect(execution.json('List the Revoked Containers')).toHaveLength(12);
			expect(containers().map(({ rules }) => rules.time)).toEqual(
				Array.from({ length: 12 }, () => ({ end: day(-1) })),
			);
			expect(sandbox.counts.peakInFlight).toBeLessThanOrEqual(2);
			expect(environment.smtp.mails).toEqual([]);
		});
	});

	describe('sync-crm-contacts', () => {
		const example = 'sync-crm-contacts';
		const contact = (id: number, email: string, first_name: string) => ({
			id,
			email,
			first_name,
			company: 'Acme',
			owner: 'Olivia',
			updated_at: '2026-11-20T08:00:00Z',
		});

		it('sends new and changed contacts only, and reports what failed', async () => {
			const { sandbox } = environment;
			sandbox.addContact('ada@example.com', { first_name: 'Ada', company: 'Acme' });
			sandbox.addContact('bob@example.com', {
				first_name: 'Bob',
				company: 'Globex',
				notes: 'kept',
			});
			environment.crm.contacts.push(
				contact(1, 'ada@example.com', 'Ada'),
				contact(2, 'bob@example.com', 'Bob'),
				contact(3, 'cleo+news@example.com', 'Cleo'),
				contact(4, '', 'Nobody'),
				contact(5, 'dora@example.com', 'Dora'),
			);

			const execution = await environment.run(example);

			expect(execution.error).toBeUndefined();
			expect(environment.crm.requests).toEqual([
				'/api/contacts',
				'/api/contacts?page=2',
				'/api/contacts?page=3',
			]);
			const contactsPath = `/api/v1/users/${sandbox.user.id}/contacts`;
			const sent = requests('PATCH').map(({ path, body }) => ({
				email: decodeURIComponent(path.slice(contactsPath.length + 1)),
				body,
			}));
			// Several are on their way at once: nothing says which one arrives first.
			expect(sent.sort((one, other) => one.email.localeCompare(other.email))).toEqual([
				{ email: 'bob@example.com', body: { first_name: 'Bob', company: 'Acme' } },
				{ email: 'cleo+news@example.com', body: { first_name: 'Cleo', company: 'Acme' } },
				{ email: 'dora@example.com', body: { first_name: 'Dora', company: 'Acme' } },
			]);
			expect(execution.items('Create or Update the Contact')).toHaveLength(4);
			expect(environment.smtp.mails).toHaveLength(1);
			const [mail] = mailTo('sales@example.com');
			expect(mail.message).toContain('Subject: 1 contacts were not synced');
			expect(mail.message).toContain('"Email" is empty');
		});

		it('costs the service one list when nothing has changed', async () => {
			environment.sandbox.addContact('ada@example.com', { first_name: 'Ada', company: 'Acme' });
			environment.crm.contacts.push(contact(1, 'ada@example.com', 'Ada'));

			const execution = await environment.run(example);

			expect(execution.error).toBeUndefined();
			expect(requests('PATCH')).toEqual([]);
			const lists = requests('GET').filter(({ path }) => path.endsWith('/contacts'));
			expect(lists).toHaveLength(1);
			expect(environment.smtp.mails).toEqual([]);
		});
	});

	describe('email-attachments-to-one-container', () => {
		const example = 'email-attachments-to-one-container';

		it('encrypts all attachments of an e-mail into one container, and tells which', async () => {
			const attachments = {
				'contract.pdf': Buffer.from('%PDF-1.7 a contract'),
				'annex.pdf': Buffer.from('%PDF-1.7 an annex'),
				'Übersicht.csv': Buffer.from('a;b\r\n1;2\r\n'),
			};

			await environment.whilePublished(example, async (id) => {
				environment.imap.deliver(mailMessage('No attachment', {}));
				const [first] = await environment.server.waitForExecutions(id, 1);
				expect(first.status).toBe('success');
				expect(environment.sandbox.requests).toEqual([]);

				environment.imap.deliver(mailMessage('Contract with Acme', attachments));
				const [second] = await environment.server.waitForExecutions(id, 2);
				expect(second.status).toBe('success');
			});

			expect(uploads()).toHaveLength(1);
			expect(manifestOf(uploads()[0])).toEqual({
				name: 'Contract with Acme',
				recipients: ['contracts@example.com', 'legal@example.com'],
				downloadable: true,
				drm: { dynamic: true },
			});
			const sent = Object.entries(attachments).map(([name, content]) => facts(name, content));
			expect(filesOf(uploads()[0])).toEqual(sent);
			expect(environment.smtp.mails).toHaveLength(1);
			const [mail] = mailTo('contracts@example.com');
			expect(mail.message).toContain(`Container ${uuidOf('Contract with Acme')}`);
			for (const file of sent) expect(mail.message).toContain(`SHA-256 ${file.sha256}`);
			expect(environment.imap.commands).toContainEqual(
				expect.stringMatching(/^UID STORE 2 \+FLAGS.*\\Seen/i),
			);
		});
	});

	describe('form-upload-to-container', () => {
		const example = 'form-upload-to-container';
		const content = Buffer.from('%PDF-1.7 from a form');

		const submit = async (recipient: string): Promise<string> => {
			const { server } = environment;
			const form = new FormData();
			form.append(
				'field-0',
				new File([content], 'Angebot für Ada.pdf', { type: 'application/pdf' }),
			);
			form.append('field-1', recipient);
			const answer = await server.call('/form/share-a-file', { method: 'POST', body: form });
			expect(answer.status).toBe(200);
			const { formWaitingUrl } = (await answer.json()) as { formWaitingUrl: string };
			return await lastPage(formWaitingUrl);
		};

		it('shows a page for a file and an address, and answers with the id of the container', async () => {
			await environment.whilePublished(example, async () => {
				const page = await (await environment.server.call('/form/share-a-file')).text();
				expect(page).toContain('Share a file securely');
				expect(page).toContain('type="file"');

				const answer = await submit('ada@example.com');

				expect(uploads().map(manifestOf)).toEqual([
					{
						name: 'Angebot für Ada.pdf',
						recipients: ['ada@example.com'],
						downloadable: false,
						drm: { dynamic: true, time: { end: day(30) } },
					},
				]);
				expect(filesOf(uploads()[0])).toEqual([facts('Angebot für Ada.pdf', content)]);
				expect(answer).toContain('Your file is encrypted');
				expect(answer).toContain(
					`Container ${uuidOf('Angebot für Ada.pdf')} is ready for ada@example.com.`,
				);
			});
		});

		it('says on the page why a file was not encrypted', async () => {
			await environment.whilePublished(example, async () => {
				const answer = await submit('not an address');

				expect(answer).toContain('The file was not encrypted');
				expect(answer).toContain('is not an email address');
				expect(uploads()).toEqual([]);
			});
		});
	});

	describe('agent-looks-up-contacts', () => {
		it('lets the agent list the contacts and look one up, and answers from what it found', async () => {
			const { sandbox } = environment;
			sandbox.addContact('ada@acme.example.com', { first_name: 'Ada', company: 'Acme' });
			sandbox.addContact('bob@globex.example.com', { first_name: 'Bob', company: 'Globex' });
			environment.chatModel.respond = ({ messages, tools = [] }) => {
				const toolNamed = (words: string) =>
					tools.find((tool) => tool.function.name.includes(words))?.function.name ?? 'none';
				const results = messages.filter(({ role }) => role === 'tool');
				if (results.length === 0) return { tool: toolNamed('List'), arguments: {} };
				const address = /[a-z]+@acme\.example\.com/.exec(results[0].content ?? '')?.[0] ?? '';
				if (results.length === 1) {
					return { tool: toolNamed('One'), arguments: { contact_email: address } };
				}
				return { text: `At Acme it is ${address}: ${results[1].content}` };
			};

			const execution = await environment.runWithItem('agent-looks-up-contacts', {
				sessionId: 'a-session',
				action: 'sendMessage',
				chatInput: 'Who works at Acme?',
			});

			expect(execution.error).toBeUndefined();
			const { requests: prompts } = environment.chatModel;
			expect(prompts[0].messages.at(-1)?.content).toBe('Who works at Acme?');
			expect(prompts[0].tools?.map((tool) => tool.function.description).sort()).toEqual([
				expect.stringContaining('Gets one contact'),
				expect.stringContaining('Lists all contacts'),
			]);
			const contactsPath = `/api/v1/users/${sandbox.user.id}/contacts`;
			const asked = requests('GET').map(({ path }) => path);
			expect(asked.filter((path) => path !== '/api/v1/me')).toEqual([
				contactsPath,
				`${contactsPath}/ada%40acme.example.com`,
			]);
			const output = String(execution.json('Contact Agent')[0].output);
			expect(output).toContain('At Acme it is ada@acme.example.com');
			expect(output).toContain('"first_name":"Ada"');
			expect(JSON.stringify(prompts)).not.toContain(sandbox.apiKey);
		});
	});

	describe('encrypt-a-report-from-text', () => {
		it('encrypts the text as a file, keeps the proof, and makes no second container', async () => {
			const { sandbox } = environment;
			sandbox.addContact('ada@example.com', { company: 'Acme' });
			sandbox.addContact('bob@example.com', {});

			const first = await environment.run('encrypt-a-report-from-text');
			const second = await environment.run('encrypt-a-report-from-text');

			expect(first.error).toBeUndefined();
			expect(second.error).toBeUndefined();
			expect(uploads()).toHaveLength(1);
			expect(manifestOf(uploads()[0])).toMatchObject({
				name: expect.stringMatching(/^Contacts of week \d{4}-W\d{2}$/),
				recipients: ['management@example.com'],
				drm: { dynamic: true, time: { end: day(90) } },
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
		it('encrypts every file into one container, and lists what was sent', async () => {
			const contents = { 'a.pdf': '%PDF-1.7 a', 'b.pdf': '%PDF-1.7 b', 'c.pdf': '%PDF-1.7 c' };
			for (const [name, content] of Object.entries(contents)) {
				await writeFile(join(environment.n8n.files, name), content);
			}

			const execution = await environment.run('all-files-in-one-container');

			expect(execution.error).toBeUndefined();
			expect(uploads()).toHaveLength(1);
			expect(manifestOf(uploads()[0])).toMatchObject({
				name: `Documents of ${day(0)}`,
				recipients: ['ada.lindqvist@example.com'],
			});
			const names = execution.binaries('Read the Files').map(({ data }) => data.fileName);
			expect([...names].sort()).toEqual(Object.keys(contents));
			const sent = names.map((name) =>
				facts(String(name), contents[name as keyof typeof contents]),
			);
			expect(filesOf(uploads()[0])).toEqual(sent);
			const [{ uuid: containerId }] = containers();
			expect(execution.json('Add the Container ID')).toEqual(
				sent.map((file) => ({ ...file, containerId })),
			);
		});
	});

	describe('watch-new-containers', () => {
		it('writes the messages of all others when rules cannot be read, then fails and names whose', async () => {
			const { sandbox } = environment;
			const [gone, endless] = ['Deleted meanwhile', 'Offer without an end'].map(
				(name) => sandbox.addContainer({ name, rules: { dynamic: true } }).uuid,
			);
			sandbox.faults.add({ kind: 'status', status: 404, path: new RegExp(`${gone}/drm$`) });

			const execution = await environment.run('watch-new-containers');

			expect(execution.status).toBe('error');
			expect(execution.error?.message).toMatch(
				/^Could not get the rules of Deleted meanwhile \([^)]+\)$/,
			);
			expect(execution.json('Write a Message')).toEqual([
				expect.objectContaining({ containerId: endless }),
			]);
		});
	});

	describe('encrypt-an-invoice', () => {
		it('encrypts the invoice and reads its container back', async () => {
			const name = 'invoice-2026-0042.pdf';
			const invoice = await readFile(join(projectRoot, 'examples', 'files', name));
			await writeFile(join(environment.n8n.files, name), invoice);

			const execution = await environment.run('encrypt-an-invoice');

			expect(execution.error).toBeUndefined();
			expect(uploads().map(filesOf)).toEqual([[facts(name, invoice)]]);
			expect(execution.json('Get the Container')).toEqual([
				expect.objectContaining({ container: expect.objectContaining({ uuid: uuidOf(name) }) }),
			]);
		});
	});

	it('keeps the key and every other secret out of the log', async () => {
		const log = await environment.log();
		expect(log).toContain('Editor is now accessible');
		const { smtp, imap, webDav, chatModel, sandbox } = environment;
		const secrets = [smtp.password, imap.password, webDav.password, chatModel.apiKey];
		for (const secret of [...secrets, sandbox.apiKey]) expect(log).not.toContain(secret);
	});
});

/** A message of several parts, as a mail program makes it (RFC 2045, RFC 2231 for the names). */
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

/** Follows a form that was sent to its last page, and ends the run, as the scripts of its pages do. */
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
