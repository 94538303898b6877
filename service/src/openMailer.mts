import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSite } from './brand/site.mts';
import { getAddress, type Config } from './config.mts';
import { createMailer } from './mail/mailer.mts';
import { openFolderStorage } from './storage/folderStorage.mts';

/** Where mails are files, without a mail server. */
export const getOutboxFolder = ({ folder }: Config) => join(folder, 'outbox');

export const openOutbox = async (config: Config) =>
	await openFolderStorage(getOutboxFolder(config));

/** Whose pages and mails these are, and what sends them. @param onError called when the mail server stops taking mails */
export function openMailer(config: Config, publicUrl: string, onError: (error: Error) => void) {
	const { brand, languages, calendar, smtpUrl } = config;
	const from = config.mailFrom ?? `no-reply@${new URL(publicUrl).hostname}`;
	const sender = getAddress(from);
	const { timeZone } = calendar.resolvedOptions();
	const style = readFileSync(new URL('../pages/style.css', import.meta.url), 'utf8');
	const site = createSite({ brand, languages, publicUrl, sender, timeZone, style });
	const mailer = createMailer({
		smtpUrl,
		outbox: getOutboxFolder(config),
		from: sender === from ? { name: site.name, address: from } : from,
		onError,
	});
	return { site, mailer, sender };
}

/** Where the service is reached. A port that is chosen at its start is known only to itself. */
export function findPublicUrl({ publicUrl, port }: Config): string {
	return publicUrl ?? `https://localhost:${port}`;
}
