import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import addressparser from 'nodemailer/lib/addressparser';
import { createMailer, type Mail } from '../src/mail/mailer.mts';
import { parseMail, startMailServer } from './support/recipient.cts';
import { createFolder } from './support/service.mts';

const mail: Mail = {
	to: 'ada@example.com',
	replyTo: 'olive@example.com',
	subject: 'Your code from Example Ltd',
	language: 'en',
	html: '<p>Your code: 12345678</p>',
	text: 'Your code:\n\n12345678\n\nhttps://localhost:8443/c/6f9c2ad4-6f8b-4f83-9f52-7f2f0f6f3a11\n',
};
const from = 'Containers <no-reply@example.com>';

function fail(error: Error): never {
	throw error;
}

let folder: string;
beforeEach(() => {
	folder = createFolder();
});

describe('the outbox', () => {
	const send = async (values: Partial<typeof mail> = {}) => {
		const mailer = createMailer({ outbox: folder, from, onError: fail });
		await mailer.send({ ...mail, ...values });
		await mailer.close();
		return readdirSync(folder).map((name) => join(folder, name));
	};
	const toHeaders = (content: string) =>
		content.slice(0, content.indexOf('\n\n')).replace(/\n\s+/g, ' ').split('\n');

	it('holds the mail as a file that only its owner reads', async () => {
		const [file, ...more] = await send();
		expect(more).toEqual([]);
		expect(file).toMatch(/\/\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z-[\da-f]{8}\.eml$/);
		expect(statSync(file).mode & 0o777).toBe(0o600);
		const content = readFileSync(file, 'utf8');
		expect(parseMail(content)).toMatchObject({ text: mail.text, html: mail.html });
		const headers = [`From: ${from}`, `To: ${mail.to}`, `Subject: ${mail.subject}`];
		headers.push('Auto-Submitted: auto-generated', 'Content-Language: en');
		headers.push(`Reply-To: ${mail.replyTo}`);
		expect(toHeaders(content)).toEqual(expect.arrayContaining(headers));
	});

	it.each([
		{ to: 'ada@example.com\r\nBcc: eve@example.com' },
		{ to: 'ada@example.com, eve@example.com' },
		{ to: 'ada@example.com>, <eve@example.com' },
		{ subject: 'Hello\r\nBcc: eve@example.com' },
	])('has no second recipient with %j', async (values) => {
		const [file] = await send(values);
		const headers = toHeaders(readFileSync(file, 'utf8'));
		const recipients = headers.filter((line) => /^(to|cc|bcc):/i.test(line));
		expect(recipients).toHaveLength(1);
		expect(addressparser(recipients[0].replace('To: ', ''))).toHaveLength(1);
	});
});

it('a mail server gets the mail, and the outbox nothing; who is refused is an error alone', async () => {
	const { url: smtpUrl, mails, stop } = await startMailServer();
	const mailer = createMailer({ smtpUrl, outbox: folder, from, onError: fail });
	const refused = mailer.send({ ...mail, to: 'nobody@example.com' });
	await expect(refused).rejects.toThrow('recipients');
	await Promise.all(Array.from({ length: 10 }, () => mailer.send(mail)));
	await mailer.close();
	await stop();
	expect(mails).toHaveLength(10);
	expect(mails[0]).toMatchObject({ to: 'ada@example.com', code: '12345678' });
	expect(readdirSync(folder)).toEqual([]);
	const late = createMailer({ smtpUrl, outbox: folder, from, onError: fail });
	await expect(late.send(mail)).rejects.toThrow('ECONNREFUSED');
});

it('a server that is gone when a mail is sent counts as gone from then on', async () => {
	const { url: smtpUrl, stop } = await startMailServer();
	const errors: string[] = [];
	const onError = ({ message }: Error) => errors.push(message);
	const mailer = createMailer({ smtpUrl, outbox: folder, from, onError });
	expect(await mailer.isReachable()).toBe(true);
	await stop();
	await expect(mailer.send(mail)).rejects.toThrow('ECONNREFUSED');
	expect(await mailer.isReachable()).toBe(false);
	expect(errors).toEqual([expect.stringContaining('ECONNREFUSED')]);
	await mailer.close();
});

describe('a password for the mail server', () => {
	const tryToSend = async (query: string) => {
		const { port, mails, passwords, stop } = await startMailServer();
		const errors: string[] = [];
		const onError = ({ message }: Error) => errors.push(message);
		const smtpUrl = `smtp://user:pass%20word@127.0.0.1:${port}${query}`;
		const mailer = createMailer({ smtpUrl, outbox: folder, from, onError });
		const isReachable = await mailer.isReachable();
		const isSent = await mailer.send(mail).then(
			() => true,
			() => false,
		);
		await mailer.close();
		await stop();
		return { isReachable, isSent, errors, mails: mails.length, passwords: [...new Set(passwords)] };
	};

	it.each(['', '?secure=true', '?secure=false'])(
		'and the codes are not sent in clear, where somebody took STARTTLS out of what the server says (%j)',
		async (query) => {
			expect(await tryToSend(query)).toEqual({
				isReachable: false,
				isSent: false,
				errors: [expect.stringMatching(/STARTTLS/)],
				mails: 0,
				passwords: [],
			});
		},
	);

	it('is, where the URL says so', async () => {
		expect(await tryToSend('?requireTLS=false')).toEqual({
			isReachable: true,
			isSent: true,
			errors: [],
			mails: 1,
			passwords: ['pass word'],
		});
	});
});

it.each([
	['=?ISO-8859-1?Q?F=FCr_Sie?=', 'Für Sie'],
	['=?utf-8?q?Gr=c3=bc=c3=9fe?=', 'Grüße'],
	['=?UTF-8?Q?Gr=C3?=\n =?UTF-8?Q?=BC=C3=9Fe?= aus =?UTF-8?B?S8O2bG4=?=', 'Grüße aus Köln'],
	['1 =? 2 ?= 3', '1 =? 2 ?= 3'],
])('the page of mails shows the subject %j as a person reads it', (subject, read) => {
	expect(parseMail(`Subject: ${subject}\nContent-Type: text/plain\n\nHello`).subject).toBe(read);
});
