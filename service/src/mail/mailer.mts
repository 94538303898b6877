import { randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

interface MailerOptions {
	/** Without it, each mail becomes a file in the outbox. */
	smtpUrl?: string;
	outbox: string;
	from: string;
}

export interface Mailer {
	send: (mail: { to: string; subject: string; text: string }) => Promise<void>;
	/** Ends the connections to the mail server. */
	close: () => Promise<void>;
}

const TIMEOUTS = { connectionTimeout: 30_000, greetingTimeout: 30_000, socketTimeout: 30_000 };

export function createMailer({ smtpUrl, outbox, from }: MailerOptions): Mailer {
	let transport: ReturnType<typeof createTransport> | undefined;
	return {
		async send({ to, ...content }) {
			transport ??= createTransport(smtpUrl);
			const { message } = await (
				await transport
			).sendMail({
				...content,
				from,
				// Text would be read as a list of names and addresses.
				to: { name: '', address: to },
				headers: { 'Auto-Submitted': 'auto-generated' },
				// A link in a file can be copied: other encodings break long lines.
				...(smtpUrl === undefined && { encoding: '8bit' }),
			});
			if (smtpUrl === undefined) await writeMail(outbox, message as Buffer);
		},
		async close() {
			(await transport)?.close();
		},
	};
}

/** Loaded with the first mail, so that the service starts fast. */
async function createTransport(smtpUrl?: string) {
	const nodemailer = await import('nodemailer');
	return smtpUrl === undefined
		? nodemailer.createTransport({ streamTransport: true, buffer: true, newline: 'unix' })
		: nodemailer.createTransport({ url: smtpUrl, pool: true, ...TIMEOUTS });
}

/** Who looks for *.eml finds only complete mails. */
async function writeMail(outbox: string, content: Buffer): Promise<void> {
	await mkdir(outbox, { recursive: true, mode: 0o700 });
	const time = new Date().toISOString().replaceAll(':', '-');
	const file = join(outbox, `${time}-${randomUUID().slice(0, 8)}.eml`);
	await writeFile(`${file}.part`, content, { mode: 0o600 });
	await rename(`${file}.part`, file);
}
