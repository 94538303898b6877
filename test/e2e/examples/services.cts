import type { IDataObject } from 'n8n-workflow';
import {
	changes,
	day,
	describeFile,
	e2e,
	filesOf,
	mailTo,
	manifestOf,
	openAs,
	requests,
	uploads,
	uuidOf,
	withoutDryRun,
} from '../support/exampleEnvironment.cts';

const contract = {
	name: 'Vertrag für Ada.pdf',
	content: Buffer.from('%PDF-1.7 a contract'),
};
const annex = { name: 'annex.csv', content: Buffer.from('a;b\r\n1;2\r\n') };

describe.each([
	['gmail', { q: expect.stringMatching(/^label:encrypt has:attachment/) }],
	['outlook', { $filter: expect.stringContaining("categories/any(c:c eq 'Encrypt')") }],
])('%s-attachments-to-one-container', (service, query) => {
	const example = `${service}-attachments-to-one-container`;

	it('encrypts the attachments of a marked email, and answers whom to tell', async () => {
		const { internet } = e2e;
		internet.inbox.push({ id: 'm-1', subject: 'The deal', attachments: [contract, annex] });

		const execution = await e2e.run(example);

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
		expect(answer).toMatch(/Tell anna@example\.com, ?bob@example\.com: open https:.+\/c\//);
		expect(answer).toContain(`by ${day(30)}`);
	});
});

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

	const execution = await run('gmail-attachments-to-one-container');

	expect(execution.error?.message).toMatch(/^Beta: /);
	expect(execution.json('Answer the Email')).toHaveLength(2);
	const names = (await service.getContainers()).map(({ name }) => name);
	expect(names.sort()).toEqual(['Alpha', 'Gamma']);
});

describe('invoice-from-drive-to-recipient', () => {
	const example = 'invoice-from-drive-to-recipient';
	const createdTime = new Date().toISOString();
	const names = ['Invoice 2026-0042.pdf', 'Grüße 7.pdf'];
	const addInvoices = () => {
		const { driveFiles, sheet } = e2e.internet;
		for (const [index, name] of names.entries()) {
			const content = Buffer.from(`%PDF-1.7 ${name}`);
			driveFiles.set(`file-${index}`, { name, content, createdTime });
		}
		sheet.push(['File', 'Email'], ['Other.pdf', 'cleo@example.com']);
	};
	const run = async () => await e2e.run(example);

	it('encrypts each new file for the customer in the sheet, emails them, and does so once', async () => {
		addInvoices();
		const customers = ['anna@acme.example.com', 'bob@globex.example.com'];
		for (const [index, name] of names.entries()) {
			e2e.internet.sheet.push([name, customers[index]]);
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
			const opening = `/c/${await uuidOf(name)} by ${day(60)}`;
			expect(mail.message).toContain(opening);
			expect(again.message).toContain(opening);
		}
	});
});

describe('s3-files-to-containers', () => {
	it('encrypts each file in the folder once', async () => {
		const { internet, run } = e2e;
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
		const { internet, service, run } = e2e;
		const people = Array.from({ length: 12 }, (_value, index) => [
			`person-${index}@example.com`,
			`Person ${index}`,
		]);
		for (const [email, first_name] of people) await service.addContact(email, { first_name });
		await service.addContact('gone@example.com', {});
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

		const sync = await run(example, withoutDryRun);

		expect(sync.error).toBeUndefined();
		expect(changes()).toHaveLength(2);
		expect(internet.sent[1]).toContain('This was done');
	});

	it('sends no email when nothing changes, and fails for an empty sheet', async () => {
		const { internet, service, run } = e2e;
		await service.addContact('ada@example.com', { first_name: 'Ada' });
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
	it('syncs the contacts that have an email address, after a dry run', async () => {
		const { internet, service } = e2e;
		for (let index = 0; index < 12; index += 1) {
			const email = `person-${index}@example.com`;
			internet.hubspotContacts.push({ email, firstname: `Person ${index}` });
			await service.addContact(email, { first_name: `Person ${index}` });
		}
		internet.hubspotContacts.push(
			{ email: 'new@example.com', firstname: 'New', lastname: 'One', company: 'Acme' },
			{ firstname: 'Nobody' },
		);
		await service.addContact('gone@example.com', {});

		expect((await e2e.run(example)).error).toBeUndefined();
		expect(changes()).toEqual([]);
		const sync = await e2e.run(example, withoutDryRun);

		expect(sync.error).toBeUndefined();
		expect(await service.getContacts()).toContainEqual(
			expect.objectContaining({ first_name: 'New', last_name: 'One', company: 'Acme' }),
		);
		expect(requests('DELETE').map(({ path }) => path)).toEqual([
			expect.stringMatching(/gone%40example\.com$/),
		]);
	});
});

describe('slack-alarm-for-changed-rules', () => {
	it('says what changed, before and after, and never mentions a whole channel', async () => {
		const { internet, run } = e2e;
		const event = {
			containerId: 'c-1',
			name: 'Offer <!channel>',
			changedRules: ['recipients'],
			added: { recipients: ['eve@example.com'] },
			removed: { recipients: ['ada@example.com'] },
			before: { recipients: ['ada@example.com'], opens: 3 },
			rules: { recipients: ['eve@example.com'], opens: 3 },
		};

		const pinData = { 'When Access Rules Change': [{ json: event }] };
		const execution = await run('slack-alarm-for-changed-rules', {}, pinData);

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

describe('slack-message-for-first-opening', () => {
	const example = 'slack-message-for-first-opening';
	const trigger = 'When a Container Is Opened';

	it('says once who opened a container first', async () => {
		const { internet, run, service } = e2e;
		const recipients = ['ada@example.com', 'bob@example.com'];
		const uuid = await service.addContainer({ name: 'Offer <!channel>', rules: { recipients } });
		for (const email of recipients) await openAs(email, uuid);

		const first = await run(example);
		const isLater = ({ containerId, user }: IDataObject) =>
			containerId === uuid && user === 'bob@example.com';
		const later = first.json(trigger).filter(isLater);
		const second = await run(example, {}, { [trigger]: later.map((json) => ({ json })) });

		expect([first.error, second.error]).toEqual([undefined, undefined]);
		expect(later).toHaveLength(1);
		// Other containers were opened, too.
		const title = '"Offer &lt;!channel>" was opened for the first time';
		const said = internet.slackMessages.filter(({ text }) => text.startsWith(title));
		expect(said).toEqual([expect.objectContaining({ channel: 'C0123456789' })]);
		expect(said[0].text).toMatch(/, by ada@example\.com\.\nWhen: 20/);
	});
});
