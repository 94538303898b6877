import { readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import { waitFor } from '../../../tools/processes.cts';
import type { startMockSmtp } from './mocks/mail.cts';

type Mail = Awaited<ReturnType<typeof startMockSmtp>>['mails'][number];
export type Recipient = Awaited<ReturnType<typeof openRecipient>>;

const TIMEOUT_MS = 15_000;

/**
 * Opens a browser window for somebody who gets mails.
 * @param options.ip from where the window seems to come, to a service that trusts the header
 */
export async function openRecipient(
	browser: Browser,
	{ email, ip, mails }: { email: string; ip: string; mails: Mail[] },
) {
	const context = await browser.newContext({ extraHTTPHeaders: { 'X-Forwarded-For': ip } });
	context.setDefaultTimeout(TIMEOUT_MS);
	const page = await context.newPage();
	/** What a mail to this person says, from when there are more than `known`. */
	const readMail = async (pattern: RegExp, known = 0) => {
		const find = () =>
			mails
				.filter(({ to }) => to.includes(email))
				.flatMap(({ message }) => pattern.exec(message)?.[1] ?? []);
		await waitFor(() => find().length > known, TIMEOUT_MS, `${email} got no such mail.`);
		return find()[find().length - 1];
	};
	const countCodes = () =>
		mails.filter(({ to, message }) => to.includes(email) && CODE.test(message)).length;
	const enter = async (label: string, value: string, button: string) => {
		await page.getByLabel(label, { exact: true }).fill(value);
		await page.getByRole('button', { name: button, exact: true }).click();
	};
	return {
		/** Waits for a text on the page. */
		see: async (text: string) => await page.getByText(text).first().waitFor(),
		reload: async () => await page.reload(),
		/** The link in the newest mail with one. */
		readLink: async () => await readMail(/(https:\/\/\S+\/c\/[\da-f-]{36})/),
		/** Follows a link and enters the mailed code. */
		async signIn(link: string) {
			const known = countCodes();
			await page.goto(link);
			await enter('Email address', email, 'Send Code');
			await enter('Code', await readMail(CODE, known), 'Open');
		},
		/** Saves a file by the button of the page. */
		async download(file: string): Promise<Buffer> {
			const link = page.getByRole('link', { name: `Download ${file}` });
			const [saved] = await Promise.all([page.waitForEvent('download'), link.click()]);
			return await readFile(await saved.path());
		},
		/** Opens the first file in a tab of its own. @returns the status */
		async openFile(link: string) {
			const tab = await context.newPage();
			const response = await tab.goto(`${link}/files/0`);
			await tab.close();
			return response?.status();
		},
		close: async () => await context.close(),
	};
}

/** It is alone on a line. */
const CODE = /^(\d{8})\r?$/m;
