import { findPublicUrl, openMailer } from '../openMailer.mts';
import { readAddress, type Command, type Invocation } from './command.mts';
import { describeMailFailure } from './examineMail.mts';

export const mailCommands: Command[] = [
	{
		usage: 'test-mail <address>',
		help: 'Send a mail, and say whether it was taken',
		run: testMail,
	},
];

async function testMail({ config, args: [recipient] }: Invocation) {
	const to = readAddress(recipient);
	const publicUrl = findPublicUrl(config);
	const { mailer, site, sender } = openMailer(config, publicUrl, () => undefined);
	const text = `This is a test of ${publicUrl}. Its mails arrive.`;
	const mail = { to, replyTo: sender, subject: `Test of ${site.name}`, language: 'en' };
	try {
		await mailer.send({ ...mail, text, html: `<p>${text}</p>` });
	} catch (error) {
		return { problems: [describeMailFailure(error as Error, config)], lines: [] };
	} finally {
		await mailer.close();
	}
	if (config.smtpUrl === undefined) {
		return { lines: ['SMTP_URL is not set: the mail is a file in the folder outbox of DATA_DIR.'] };
	}
	const { host } = new URL(config.smtpUrl);
	const taken = `The mail server ${host} took the mail from ${sender} to ${to}.`;
	return {
		lines: [
			taken,
			'Where it does not arrive, look into the spam folder and the log of that server.',
		],
	};
}
