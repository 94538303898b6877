import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { receiveCode } from '../service/test/support/recipient.cts';
import { startChromium } from '../test/support/programs.cts';
import { createRunFolder, projectRoot } from './project.cts';
import { buildService, startService } from './service.cts';
import { connectService } from './serviceClient.cts';

const images = join(projectRoot, 'docs', 'images');
const invoice = join(projectRoot, 'examples/files/invoice-2026-0042.pdf');
const brand = join(projectRoot, 'service/test/fixtures/brand');
const RECIPIENT = 'anna@example.com';

type Service = Awaited<ReturnType<typeof startService>>;
type Client = ReturnType<typeof connectService>;

/** Takes the pages that a recipient sees, before and after access ends, of a service with a brand. */
export async function takePages(): Promise<void> {
	const folder = await createRunFolder('pages');
	await buildService(folder);
	const settings = { BRAND_DIR: brand, OWNER_EMAIL: 'olivia@berger.example' };
	const service = await startService(folder, settings);
	const ca = await readFile(service.caPath, 'utf8');
	const client = connectService({ ...service, ca });
	const browser = await startChromium(join(service.data, 'tls.pem'));
	try {
		const english = await openPage(browser, { locale: 'en', width: 1040 });
		await takeSteps(english, { service, client, prefix: 'door' });
		const german = await openPage(browser, { locale: 'de', width: 390 });
		await takeSteps(german, { service, client, prefix: 'door-de' });
	} finally {
		await browser.close();
		await client.close();
		await service.stop();
	}
}

async function openPage(browser: Browser, { locale, width }: { locale: string; width: number }) {
	const viewport = { width, height: 620 };
	return await browser.newPage({ locale, viewport, deviceScaleFactor: 2 });
}

interface Steps {
	service: Service;
	client: Client;
	/** Of the names of the pictures. */
	prefix: string;
}

async function takeSteps(page: Page, { service, client, prefix }: Steps): Promise<void> {
	const rules = { recipients: [RECIPIENT], downloadable: false, time: { end: '2099-12-31' } };
	const file = new File([await readFile(invoice)], basename(invoice), { type: 'application/pdf' });
	const id = await client.addContainer({ name: 'Invoice 2026-0042', rules, file });
	const take = async (name: string) =>
		await page.screenshot({ path: join(images, `${prefix}-${name}.png`) });
	await page.goto(new URL(`/c/${id}`, service.baseUrl).href);
	await page.locator('#email').fill(RECIPIENT);
	await take('sign-in');
	const send = async () => await page.locator('main button').click();
	const code = await receiveCode(service.mails, { to: RECIPIENT, link: id }, send);
	await page.locator('#code').fill(code);
	await page.locator('main button').first().click();
	await page.locator('#page-1 img').scrollIntoViewIfNeeded();
	await page.locator('#page-1 img').evaluate('(image) => image.decode()');
	await take('open');
	await client.setRules(id, { time: { end: '2026-11-26' } });
	await page.reload();
	await take('refused');
}
