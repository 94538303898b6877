import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import addressparser from 'nodemailer/lib/addressparser';
import { SMTPServer } from 'smtp-server';
import { createMailer } from '../src/mail/mailer.mts';

const mail = {
	to: 'ada@example.com',
	subject: 'Your code to open a container',
	text: 'Your code:\n\n12345678\n\nhttps://localhost:8443/c/6f9c2ad4-6f8b-4f83-9f52-7f2f0f6f3a11\n',
};
const from = 'Containers <no-reply@example.com>';

let folder: string;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'mailer-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('outbox', () => {
	const send = async (values: Partial<typeof mail> = {}) => {
		const outbox = join(folder, 'outbox');
		const mailer = createMailer({ outbox, from });
		await mailer.send({ ...mail, ...values });
		await mailer.close();
		return readdirSync(outbox).map((name) => join(outbox, name));
	};
	const toHeaders = (content: string) =>
		content.slice(0, content.indexOf('\n\n')).replace(/\n\s+/g, ' ').split('\n');

	it('holds the mail as a file that only its owner reads', async () => {
		const [file, ...more] = await send();
		expect(more).toEqual([]);
		expect(file).toMatch(/\/\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z-[\da-f]{8}\.eml$/);
		expect(statSync(file).mode & 0o777).toBe(0o600);
		const content = readFileSync(file, 'utf8');
		expect(content.slice(content.indexOf('\n\n') + 2)).toBe(mail.text);
		expect(toHeaders(content)).toEqual(
			expect.arrayContaining([
				'From: Containers <no-reply@example.com>',
				'To: ada@example.com',
				'Subject: Your code to open a container',
				'Auto-Submitted: auto-generated',
			]),
		);
	});

	it('holds many mails of one moment', async () => {
		const files = await Promise.all(Array.from({ length: 20 }, () => send()));
		expect(files).toHaveLength(20);
		expect(readdirSync(join(folder, 'outbox')).filter((name) => /\.eml$/.test(name))).toHaveLength(
			20,
		);
		expect(readdirSync(join(folder, 'outbox'))).toHaveLength(20);
	});

	it.each([
		'ada@example.com\r\nBcc: eve@example.com',
		'ada@example.com, eve@example.com',
		'Eve <eve@example.com>, ada@example.com',
		'ada@example.com>, <eve@example.com',
	])('has no second recipient with %j', async (to) => {
		const [file] = await send({ to });
		const headers = toHeaders(readFileSync(file, 'utf8'));
		const recipients = headers.filter((line) => /^(to|cc|bcc):/i.test(line));
		expect(recipients).toHaveLength(1);
		expect(addressparser(recipients[0].replace('To: ', ''))).toHaveLength(1);
	});

	it('has no second header in a subject', async () => {
		const [file] = await send({ subject: 'Hello\r\nBcc: eve@example.com' });
		expect(toHeaders(readFileSync(file, 'utf8'))).toContain('Subject: Hello Bcc: eve@example.com');
	});
});

describe('SMTP', () => {
	const received: Array<{ to: string[]; content: string }> = [];
	let server: SMTPServer;
	let smtpUrl: string;

	beforeAll(async () => {
		server = new SMTPServer({
			disabledCommands: ['AUTH', 'STARTTLS'],
			onRcptTo: ({ address }, _session, callback) =>
				callback(address.startsWith('nobody@') ? new Error('Unknown mailbox') : undefined),
			onData(stream, { envelope }, callback) {
				const chunks: Buffer[] = [];
				stream.on('data', (chunk: Buffer) => chunks.push(chunk));
				stream.on('end', () => {
					const content = Buffer.concat(chunks).toString();
					received.push({ to: envelope.rcptTo.map(({ address }) => address), content });
					callback();
				});
			},
		});
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		smtpUrl = `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
	});
	beforeEach(() => {
		received.length = 0;
	});
	afterAll(() => new Promise<void>((resolve) => void server.close(resolve)));

	const use = async (run: (mailer: ReturnType<typeof createMailer>) => Promise<void>) => {
		const mailer = createMailer({ smtpUrl, outbox: join(folder, 'outbox'), from });
		try {
			await run(mailer);
		} finally {
			await mailer.close();
		}
	};

	it('receives the mail, and the outbox nothing', async () => {
		await use((mailer) => mailer.send(mail));
		expect(received).toHaveLength(1);
		expect(received[0].to).toEqual(['ada@example.com']);
		expect(received[0].content).toContain('\r\n12345678\r\n');
		expect(readdirSync(folder)).toEqual([]);
	});

	it('receives several mails at once', async () => {
		await use(async (mailer) => {
			await Promise.all(Array.from({ length: 10 }, () => mailer.send(mail)));
		});
		expect(received).toHaveLength(10);
	});

	it('says when the server refuses, and goes on', async () => {
		await use(async (mailer) => {
			await expect(mailer.send({ ...mail, to: 'nobody@example.com' })).rejects.toThrow(
				'recipients',
			);
			await mailer.send(mail);
		});
		expect(received).toHaveLength(1);
	});

	it('says when there is no server', async () => {
		const mailer = createMailer({ smtpUrl: 'smtp://127.0.0.1:1', outbox: folder, from });
		await expect(mailer.send(mail)).rejects.toThrow('ECONNREFUSED');
		await mailer.close();
	});
});

it('closes without a mail', async () => {
	await createMailer({ outbox: folder, from }).close();
});
