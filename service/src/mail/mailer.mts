import { randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const RETRY_MS = 10_000;
/** A mail that waited longer is no help any more. */
const MAX_WAIT_MS = 60 * 60_000;
const TIMEOUTS = { connectionTimeout: 4000, greetingTimeout: 6000, socketTimeout: 30_000 };

interface MailerOptions {
	smtpUrl?: string;
	outbox: string;
	from: string | { name: string; address: string };
	/** Called when the mail server stops taking mails. */
	onError: (error: Error) => void;
}

export interface Mail {
	to: string;
	/** Who gets the reply. */
	replyTo: string;
	subject: string;
	/** As a BCP 47 tag. */
	language: string;
	text: string;
	html: string;
	/** A PNG, which the HTML shows as cid: with its ID. */
	logo?: { id: string; content: Buffer };
}

export type Mailer = ReturnType<typeof createMailer>;

export function createMailer({ smtpUrl, outbox, from, onError }: MailerOptions) {
	let transport: ReturnType<typeof createTransport> | undefined;
	let check: Promise<boolean> | undefined;
	let isDown = false;
	const verify = async () => {
		try {
			await (await (transport ??= createTransport(smtpUrl))).verify();
			isDown = false;
		} catch (error) {
			if (!isDown) onError(error as Error);
			isDown = true;
		}
		return !isDown;
	};
	/** Whether the server takes mails now. It is asked only now and then, whoever wants to know. */
	const isReachable = async (): Promise<boolean> => {
		if (smtpUrl === undefined) return true;
		if (check === undefined) setTimeout(() => (check = undefined), 5000).unref();
		return await (check ??= verify());
	};
	return {
		isReachable,
		/** Waits until the server takes mails. @throws Error after an hour */
		whenReachable: async () => await waitFor(isReachable),
		async send(mail: Mail): Promise<void> {
			transport ??= createTransport(smtpUrl);
			const sending = (await transport).sendMail({ ...toMessage(mail), from });
			const { message } = await sending.catch((error: Error) => {
				// What was found before says nothing of the server now.
				check = undefined;
				throw error;
			});
			if (smtpUrl === undefined) await writeMail(outbox, message as Buffer);
		},
		close: async () => (await transport)?.close(),
	};
}

async function waitFor(isReachable: () => Promise<boolean>): Promise<void> {
	const end = Date.now() + MAX_WAIT_MS;
	while (!(await isReachable())) {
		if (Date.now() > end) throw new Error('The mail server took no mail for an hour');
		await sleep(RETRY_MS);
	}
}

function toMessage({ to, replyTo, subject, text, html, language, logo }: Mail) {
	return {
		// Text would be read as a list of names and addresses.
		to: { name: '', address: to },
		replyTo: { name: '', address: replyTo },
		headers: { 'Auto-Submitted': 'auto-generated', 'Content-Language': language },
		subject,
		text,
		html,
		attachments: logo && [
			{
				cid: logo.id,
				content: logo.content,
				contentType: 'image/png',
				contentDisposition: 'inline' as const,
				filename: 'logo.png',
			},
		],
	};
}

/** Loaded with the first mail, so that the service starts fast. */
async function createTransport(smtpUrl?: string) {
	const nodemailer = await import('nodemailer');
	if (smtpUrl) {
		const requireTLS = needsStartTls(new URL(smtpUrl));
		return nodemailer.createTransport({ url: smtpUrl, pool: true, requireTLS, ...TIMEOUTS });
	}
	const inMemory = { streamTransport: true, buffer: true, newline: 'unix' } as const;
	// A link in a file can be copied: other encodings break long lines.
	return nodemailer.createTransport(inMemory, { encoding: '8bit' });
}

/**
 * Somebody in between can take STARTTLS out, and read the password: it is sent only over TLS, unless the URL says how.
 * `secure` says nothing: nodemailer goes by the protocol.
 */
function needsStartTls({ protocol, password, searchParams }: URL): boolean {
	const isSaid = searchParams.has('requireTLS') || searchParams.has('ignoreTLS');
	return protocol === 'smtp:' && password !== '' && !isSaid;
}

/** Who looks for *.eml finds only complete mails. */
async function writeMail(outbox: string, content: Buffer): Promise<void> {
	await mkdir(outbox, { recursive: true, mode: 0o700 });
	const time = new Date().toISOString().replaceAll(':', '-');
	const file = join(outbox, `${time}-${randomUUID().slice(0, 8)}.eml`);
	await writeFile(`${file}.part`, content, { mode: 0o600 });
	await rename(`${file}.part`, file);
}
