import type { Config } from '../config.mts';
import { findPublicUrl, openMailer } from '../openMailer.mts';

/** @returns what is wrong, with what to do */
export async function examineMail(config: Config): Promise<string[]> {
	const publicUrl = findPublicUrl(config);
	if (config.smtpUrl === undefined) {
		if (new URL(publicUrl).hostname === 'localhost') return [];
		return ['Mails are only files in the outbox of DATA_DIR, so nobody gets a code: set SMTP_URL.'];
	}
	const problems: string[] = [];
	const report = (error: Error) => problems.push(describeMailFailure(error, config));
	const { mailer } = openMailer(config, publicUrl, report);
	await mailer.isReachable();
	await mailer.close();
	return problems;
}

/** What a mail server answers can hold addresses and passwords: only its codes are told. */
export function describeMailFailure(error: Error, { smtpUrl }: Config): string {
	if (smtpUrl === undefined) return `The outbox in DATA_DIR can't be written: ${error.message}.`;
	const { host, hostname } = new URL(smtpUrl);
	const { code = error.name, responseCode } = error as NodeJS.ErrnoException & {
		responseCode?: number;
	};
	if (code === 'EAUTH') {
		return `The mail server ${host} refuses the user or the password: correct them in SMTP_URL.`;
	}
	if (code === 'ETLS') {
		return `The mail server ${host} offers no encryption that works here: use smtps:// or another port in SMTP_URL.`;
	}
	if (code === 'EENVELOPE') {
		return `The mail server ${host} refuses the sender or the recipient (${responseCode}): MAIL_FROM must be an address that it sends for.`;
	}
	if (code === 'EDNS' || code === 'ENOTFOUND') {
		return `There is no host ${hostname}, where SMTP_URL looks for the mail server: correct its name.`;
	}
	return `The mail server ${host} can't be used (${code}): check the host and the port of SMTP_URL, and the firewall.`;
}
