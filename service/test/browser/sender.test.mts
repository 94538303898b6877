import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import type { FileRequest } from '../support/api.mts';
import { startBrowser, type Browser } from '../support/browser.mts';
import { receiveCode } from '../support/recipient.cts';
import { createFolder, describeService, startService } from '../support/service.mts';
import type { Service } from '../support/service.mts';

const ANNA = 'anna@example.com';
const CHECKS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const RUN_CHECKS = `axe.run(document, ${JSON.stringify({ runOnly: CHECKS })})`;
/** A phone, without scripts: the pages have none. */
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const LARGE_BYTES = 40_000_000;

const toFile = (name: string, content: string) => ({
	...{ name, mimeType: 'text/plain', buffer: Buffer.from(content) },
});
const toSha256 = (content: string) => createHash('sha256').update(content).digest('hex');

describeService('a sender with a phone', () => {
	let service: Service;
	let browser: Browser;

	beforeAll(async () => {
		service = await startService({ env: { OWNER_EMAIL: 'olive@example.com' } });
		browser = await startBrowser(service);
	});
	afterAll(async () => await browser?.close());

	const ask = async (more: object = {}) => {
		const path = `/users/${service.userId}/requests`;
		const body = { name: 'Documents', senders: [ANNA], message: 'Please send:\na, b', ...more };
		return (await service.api.send<FileRequest>('POST', path, { body })).body;
	};
	const signIn = async (page: Page, { url, uuid }: FileRequest) => {
		await page.goto(url);
		const { outbox } = service;
		const code = await receiveCode(outbox, { to: ANNA, link: `/r/${uuid}` }, async () => {
			await page.getByLabel('Email address').fill(ANNA);
			await page.getByRole('button', { name: 'Send Code' }).click();
		});
		await page.getByLabel('Code', { exact: true }).fill(code);
		await page.getByRole('button', { name: 'Continue' }).click();
		await page.getByText('Choose files').waitFor();
	};
	const send = async (page: Page) => await page.getByRole('button', { name: 'Send Files' }).click();

	it('sends several files without scripts, and gets a receipt', async () => {
		const request = await ask();
		const { context, page, problems } = await browser.openWindow({
			...{ ...PHONE, javaScriptEnabled: false },
		});
		await signIn(page, request);
		await page
			.getByLabel('Choose files')
			.setInputFiles([toFile('a.txt', 'A'), toFile('b.txt', 'B')]);
		await page.getByText('Files in more than one folder?').click();
		await page.getByLabel('More files').setInputFiles([toFile('ç 漢.txt', 'C')]);
		await send(page);
		await page.getByRole('heading', { name: 'Your files arrived' }).waitFor();
		const text = await page.locator('main').innerText();
		for (const [name, content] of [
			['a.txt', 'A'],
			['b.txt', 'B'],
			['ç 漢.txt', 'C'],
		]) {
			expect(text).toContain(name);
			expect(text).toContain(toSha256(content));
		}
		await page.reload();
		await page.getByRole('link', { name: 'Back to the Request' }).click();
		await page.getByRole('heading', { name: 'What you sent' }).waitFor();
		expect(problems).toEqual([]);
		await context.close();
	});

	it('reads why files that are too large were not sent, and can try again', async () => {
		const request = await ask({ max_bytes: 1_000_000 });
		const { context, page, problems } = await browser.openWindow(PHONE);
		await signIn(page, request);
		const large = join(createFolder(), 'large.bin');
		writeFileSync(large, Buffer.alloc(LARGE_BYTES));
		await page.getByLabel('Choose files').setInputFiles(large);
		await send(page);
		await page.getByText('At most 1 MB are possible').waitFor();
		expect(await page.locator('main').innerText()).toContain('Nothing was sent.');
		await page.evaluate(axe.source);
		expect(await page.evaluate(RUN_CHECKS)).toMatchObject({ violations: [] });
		expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
		await page.getByLabel('Choose files').setInputFiles(toFile('small.txt', 'small'));
		await send(page);
		await page.getByRole('heading', { name: 'Your files arrived' }).waitFor();
		expect(problems).toEqual([]);
		await context.close();
	});
});
