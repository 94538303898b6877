import { cp, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { receiveCode } from '../service/test/support/recipient.cts';
import { startChromium } from '../test/support/programs.cts';
import { getFreePort } from './processes.cts';
import { createRunFolder, projectRoot } from './project.cts';
import { buildService, startService } from './service.cts';
import { connectService } from './serviceClient.cts';

const images = join(projectRoot, 'docs', 'images');
const invoice = join(projectRoot, 'examples/files/invoice-2026-0042.pdf');
const logos = join(projectRoot, 'service/test/fixtures/brand');
/** Of the invoice: who sends it, and to whom. */
const DOMAIN = 'files.northlight.example';
const RECIPIENT = 'ada.lindqvist@meridian.example';
const BRAND = {
	name: 'Northlight Instruments',
	accent: '#2a9d8f',
	links: {
		website: 'https://northlight.example/',
		help: 'https://northlight.example/help',
		imprint: 'https://northlight.example/imprint',
		privacy: 'https://northlight.example/privacy',
	},
};
const FIRST_HEIGHT = 620;
/** With a page of the file, or with the form that asks for access. */
const OPEN_HEIGHT = 960;
/** In the browser: the picture of a page is loaded late. */
const FIRST_PAGE_SHOWN = "document.querySelector('#page-1 img').decode()";
const DAYS_OF_ACCESS = 14;

type Service = Awaited<ReturnType<typeof startService>>;
type Client = ReturnType<typeof connectService>;

/** Takes the pages that a recipient sees, before and after access ends, of a service with a brand. */
export async function takePages(): Promise<void> {
	const folder = await createRunFolder('pages');
	await buildService(folder);
	const port = await getFreePort();
	const service = await startService(folder, {
		BRAND_DIR: await createBrand(folder),
		OWNER_EMAIL: 'olivia@northlight.example',
		PORT: String(port),
		PUBLIC_URL: `https://${DOMAIN}`,
		TLS_NAMES: 'localhost',
	});
	const ca = await readFile(service.caPath, 'utf8');
	const client = connectService({ ...service, baseUrl: `https://localhost:${port}/api/v1`, ca });
	const browser = await startChromium(join(service.data, 'tls.pem'), [
		`--host-resolver-rules=MAP ${DOMAIN} 127.0.0.1:${port}`,
	]);
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

async function createBrand(folder: string): Promise<string> {
	const brand = join(folder, 'brand');
	await cp(logos, brand, { recursive: true });
	await writeFile(join(brand, 'brand.json'), JSON.stringify(BRAND));
	return brand;
}

async function openPage(browser: Browser, { locale, width }: { locale: string; width: number }) {
	const viewport = { width, height: FIRST_HEIGHT };
	return await browser.newPage({ locale, viewport, deviceScaleFactor: 2 });
}

interface Steps {
	service: Service;
	client: Client;
	/** Of the names of the pictures. */
	prefix: string;
}

async function takeSteps(page: Page, { service, client, prefix }: Steps): Promise<void> {
	const end = new Date(Date.now() + DAYS_OF_ACCESS * 86_400_000).toISOString().slice(0, 10);
	const rules = { recipients: [RECIPIENT], downloadable: false, time: { end } };
	const file = new File([await readFile(invoice)], basename(invoice), { type: 'application/pdf' });
	const id = await client.addContainer({ name: 'Invoice 2026-0042', rules, file });
	const take = async (name: string) =>
		await page.screenshot({ path: join(images, `${prefix}-${name}.png`) });
	await page.goto(`https://${DOMAIN}/c/${id}`);
	await page.locator('#email').fill(RECIPIENT);
	await take('sign-in');
	const send = async () => await page.locator('main button').click();
	const code = await receiveCode(service.mails, { to: RECIPIENT, link: id }, send);
	await page.locator('#code').fill(code);
	await page.locator('main button').first().click();
	await page.setViewportSize({ ...page.viewportSize()!, height: OPEN_HEIGHT });
	await page.locator('#page-1 img').scrollIntoViewIfNeeded();
	await page.evaluate(FIRST_PAGE_SHOWN);
	await page.evaluate('scrollTo(0, 0)');
	await take('open');
	await client.setRules(id, { time: { end: '2026-11-26' } });
	await page.goto(page.url());
	await page.setViewportSize({ ...page.viewportSize()!, height: OPEN_HEIGHT });
	await take('refused');
}
