import type { INodeParameters } from 'n8n-workflow';
import type { WorkflowJson } from '../../../tools/realN8n/workflow.cts';
import { fillIn } from '../support/exampleSettings.cts';
import {
	day,
	describeFile,
	filesOf,
	manifestOf,
	type ExampleTests,
} from '../support/exampleTests.cts';

export function testServices(examples: ExampleTests): void {
	const { uploads, uuidOf, mailTo, requests } = examples;
	const getExample = (name: string) => examples.environment.examples.get(name) as WorkflowJson;
	const changes = () => [...requests('PATCH'), ...requests('DELETE')];
	const contract = {
		name: 'Vertrag für Ada.pdf',
		content: Buffer.from('%PDF-1.7 a contract'),
	};
	const annex = { name: 'annex.csv', content: Buffer.from('a;b\r\n1;2\r\n') };

	describe.each([
		['gmail', { q: 'label:encrypt has:attachment' }],
		['outlook', { $filter: expect.stringContaining("categories/any(c:c eq 'Encrypt')") }],
	])('%s-attachments-to-one-container', (service, query) => {
		const example = `${service}-attachments-to-one-container`;

		it('encrypts the attachments of a marked email, and answers whom to tell', async () => {
			const { internet } = examples.environment;
			internet.inbox.push({ id: 'm-1', subject: 'The deal', attachments: [contract, annex] });

			const execution = await examples.environment.run(example);

			expect(execution.error).toBeUndefined();
			expect(internet.requests[0].query).toMatchObject(query);
			expect(uploads().map(manifestOf)).toEqual([
				{
					name: 'The deal',
					recipients: ['anna@example.com', 'bob@example.com'],
					downloadable: true,
					drm: { dynamic: true, time: { end: day(30) } },
				},
			]);
			expect(filesOf(uploads()[0])).toEqual(
				[contract, annex].map(({ name, content }) => describeFile(name, content)),
			);
			expect(internet.sent).toHaveLength(1);
			const [answer] = internet.sent;
			expect(answer).toMatch(/Tell anna@example\.com, ?bob@example\.com: sign in at https:/);
			expect(answer).toContain(`by ${day(30)}`);
		});

		it('answers nobody when the attachments were not encrypted', async () => {
			const { internet, runChanged } = examples.environment;
			internet.inbox.push({ id: 'm-1', subject: 'The deal', attachments: [contract] });

			const settings = { 'Encrypt the Attachments': { recipients: '' } };
			const execution = await runChanged(fillIn(example, getExample(example), settings));

			expect(execution.error?.message).toMatch(/Recipients/);
			expect(uploads()).toEqual([]);
			expect(internet.sent).toEqual([]);
		});
	});

	describe('invoice-from-drive-to-recipient', () => {
		const example = 'invoice-from-drive-to-recipient';
		const createdTime = new Date().toISOString();
		const names = ['Invoice 2026-0042.pdf', 'Grüße 7.pdf'];
		const addInvoices = () => {
			const { driveFiles, sheet } = examples.environment.internet;
			for (const [index, name] of names.entries()) {
				const content = Buffer.from(`%PDF-1.7 ${name}`);
				driveFiles.set(`file-${index}`, { name, content, createdTime });
			}
			sheet.push(['File', 'Email'], ['Other.pdf', 'cleo@example.com']);
		};
		const run = async () => await examples.environment.run(example);

		it('encrypts each new file for the customer in the sheet, emails them, and does so once', async () => {
			addInvoices();
			const customers = ['anna@acme.example.com', 'bob@globex.example.com'];
			for (const [index, name] of names.entries()) {
				examples.environment.internet.sheet.push([name, customers[index]]);
			}

			const executions = [await run(), await run()];

			expect(executions.map(({ error }) => error)).toEqual([undefined, undefined]);
			expect(uploads()).toHaveLength(2);
			for (const [index, name] of names.entries()) {
				const upload = uploads().find((one) => manifestOf(one).name === name);
				expect(upload && manifestOf(upload)).toEqual({
					name,
					recipients: [customers[index]],
					downloadable: true,
					drm: { dynamic: true, time: { end: day(60) } },
				});
				expect(upload && filesOf(upload)).toEqual([describeFile(name, `%PDF-1.7 ${name}`)]);
				const [mail, again] = mailTo(customers[index]);
				expect(mail.from).toBe('invoices@example.com');
				expect(mail.message).toContain(`by ${day(60)}`);
				expect(mail.message).toContain(`Container: ${uuidOf(name)}`);
				expect(again.message).toContain(`Container: ${uuidOf(name)}`);
			}
		});

		it('fails, and emails nobody, for a file that is not in the sheet', async () => {
			addInvoices();
			examples.environment.internet.sheet.push([names[1], 'bob@globex.example.com']);

			const execution = await run();

			expect(execution.error?.message).toMatch(/Recipients/);
			expect(uploads().filter((one) => manifestOf(one).name === names[0])).toEqual([]);
			expect(examples.environment.smtp.mails).toEqual([]);
		});
	});

	describe('s3-files-to-containers', () => {
		it('encrypts each file in the folder once', async () => {
			const { internet, run } = examples.environment;
			internet.s3Files.set('to-encrypt/', Buffer.alloc(0));
			internet.s3Files.set('to-encrypt/a.pdf', Buffer.from('%PDF-1.7 a'));
			internet.s3Files.set('to-encrypt/b.pdf', Buffer.from('%PDF-1.7 b'));
			internet.s3Files.set('other/c.pdf', Buffer.from('%PDF-1.7 c'));

			const executions = [await run('s3-files-to-containers'), await run('s3-files-to-containers')];

			expect(executions.map(({ error }) => error)).toEqual([undefined, undefined]);
			expect(uploads().map(filesOf)).toEqual([
				[describeFile('a.pdf', '%PDF-1.7 a')],
				[describeFile('b.pdf', '%PDF-1.7 b')],
			]);
			expect(uploads().map(manifestOf)).toEqual(
				['a', 'b'].map((name) =>
					expect.objectContaining({
						name: `${name}.pdf of 2026-11-20T08:00:00.000Z`,
						recipients: ['anna@example.com'],
					}),
				),
			);
		});
	});

	describe('sync-contacts-from-google-sheets', () => {
		const example = 'sync-contacts-from-google-sheets';

		it('first only emails what it would change, then changes that', async () => {
			const { internet, sandbox, run, runChanged } = examples.environment;
			const people = Array.from({ length: 12 }, (_value, index) => [
				`person-${index}@example.com`,
				`Person ${index}`,
			]);
			for (const [email, first_name] of people) sandbox.addContact(email, { first_name });
			sandbox.addContact('gone@example.com', {});
			internet.sheet.push(['email', 'first_name'], ...people, ['new@example.com', 'New']);

			const dryRun = await run(example);

			expect(dryRun.error).toBeUndefined();
			expect(changes()).toEqual([]);
			const [report] = internet.sent;
			expect(report).toContain('To: owner@example.com');
			expect(report).toContain('Nothing was changed');
			expect(report).toMatch(/created new@example\.com first_name/);
			expect(report).toMatch(/deleted gone@example\.com/);
			expect(report).not.toContain('person-');

			const options = { options: { dryRun: false } };
			const settings = { 'Sync the Contacts': options };
			const sync = await runChanged(fillIn(example, getExample(example), settings));

			expect(sync.error).toBeUndefined();
			expect(changes()).toHaveLength(2);
			expect(internet.sent[1]).toContain('This was done');
		});

		it('sends no email when nothing changes, and fails for an empty sheet', async () => {
			const { internet, sandbox, run } = examples.environment;
			sandbox.addContact('ada@example.com', { first_name: 'Ada' });
			internet.sheet.push(['email', 'first_name'], ['ada@example.com', 'Ada']);

			expect((await run(example)).error).toBeUndefined();
			internet.sheet.pop();
			expect((await run(example)).error?.message).toMatch(/"Email" is empty/);
			expect(internet.sent).toEqual([]);
			expect(changes()).toEqual([]);
		});
	});

	describe('sync-contacts-from-hubspot', () => {
		const example = 'sync-contacts-from-hubspot';
		const settings = (dryRun: boolean): Record<string, INodeParameters> => ({
			'Sync the Contacts': { options: { dryRun } },
		});
		const run = async (dryRun: boolean) =>
			await examples.environment.runChanged(fillIn(example, getExample(example), settings(dryRun)));

		it('syncs the contacts that have an email address, after a dry run', async () => {
			const { internet, sandbox } = examples.environment;
			for (let index = 0; index < 12; index += 1) {
				const email = `person-${index}@example.com`;
				internet.hubspotContacts.push({ email, firstname: `Person ${index}` });
				sandbox.addContact(email, { first_name: `Person ${index}` });
			}
			internet.hubspotContacts.push(
				{ email: 'new@example.com', firstname: 'New', lastname: 'One', company: 'Acme' },
				{ firstname: 'Nobody' },
			);
			sandbox.addContact('gone@example.com', {});

			expect((await run(true)).error).toBeUndefined();
			expect(changes()).toEqual([]);
			const sync = await run(false);

			expect(sync.error).toBeUndefined();
			expect(requests('PATCH').map(({ body }) => body)).toContainEqual(
				expect.objectContaining({ first_name: 'New', last_name: 'One', company: 'Acme' }),
			);
			expect(requests('DELETE').map(({ path }) => path)).toEqual([
				expect.stringMatching(/gone%40example\.com$/),
			]);
		});
	});

	describe('slack-alarm-for-changed-rules', () => {
		it('says what changed, before and after, and never mentions a whole channel', async () => {
			const { internet, runChanged } = examples.environment;
			const event = {
				containerId: 'c-1',
				name: 'Offer <!channel>',
				changedRules: ['recipients'],
				added: { recipients: ['eve@example.com'] },
				removed: { recipients: ['ada@example.com'] },
				before: { recipients: ['ada@example.com'], opens: 3 },
				rules: { recipients: ['eve@example.com'], opens: 3 },
			};

			const execution = await runChanged({
				...getExample('slack-alarm-for-changed-rules'),
				pinData: { 'When Access Rules Change': [{ json: event }] },
			});

			expect(execution.error).toBeUndefined();
			expect(internet.slackMessages).toEqual([expect.objectContaining({ channel: 'C0123456789' })]);
			expect(internet.slackMessages[0].text.split('\n')).toEqual([
				'The access rules of "Offer &lt;!channel>" changed.',
				'New recipients: ["eve@example.com"]',
				'Removed recipients: ["ada@example.com"]',
				'Before: {"recipients":["ada@example.com"],"opens":3}',
				'After: {"recipients":["eve@example.com"],"opens":3}',
			]);
		});
	});
}
