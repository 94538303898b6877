import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from '../../../test/support/programs.cts';
import type { Site } from '../../src/brand/site.mts';
import { PAGE_HEADERS } from '../../src/open/pageErrors.mts';
import * as states from '../support/pageStates.mts';

/** The project `service-pages`: each language and width, with a brand and without. It takes minutes. */
const isFull = Boolean((globalThis as { allPages?: boolean }).allPages);

const CHECKS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const RUN_CHECKS = `axe.run(document, ${JSON.stringify({ runOnly: CHECKS, iframes: false })})`;
const WIDTHS = [360, 390, 768, 1280, 1920];
const PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="60" height="40"/>';

const branded = states.createTestSite();
const unbranded = states.createTestSite({ isBranded: false });

/** Serves one page after the other, under the headers of the service. */
async function startPageServer() {
	const shown = { site: branded, html: '' };
	const server = createServer(({ url = '' }, response) => {
		const [path] = url.split('?');
		const assets: Record<string, [type: string, content: string]> = {
			'/': ['text/html; charset=utf-8', shown.html],
			'/style.css': ['text/css', shown.site.style],
			'/logo': ['image/svg+xml', PICTURE],
			'/logo-dark': ['image/svg+xml', PICTURE],
		};
		const [type, content] = assets[path] ?? ['image/svg+xml', PICTURE];
		const headers = { ...PAGE_HEADERS, 'Content-Type': type };
		// What is shown in a frame is a file, which has a policy of its own.
		if (path.includes('/files/')) headers['Content-Security-Policy'] = "default-src 'none'";
		for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
		response.end(content);
	});
	await new Promise<void>((resolve) => server.unref().listen(0, '127.0.0.1', resolve));
	const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	return { shown, origin };
}

let browser: Browser;
let page: Page;
let problems: string[];
let server: Awaited<ReturnType<typeof startPageServer>>;

beforeAll(async () => {
	server = await startPageServer();
	browser = await launchChromium();
	page = await browser.newPage();
	page.on('console', (message) => {
		if (message.type() === 'error') problems.push(message.text());
	});
});
beforeEach(() => {
	problems = [];
});
afterEach(() => expect(problems).toEqual([]));
afterAll(async () => await browser?.close());

const show = async (site: Site, html: string) => {
	Object.assign(server.shown, { site, html });
	await page.goto(server.origin);
};

const sites = isFull ? { 'a brand': branded, 'no brand': unbranded } : { 'a brand': branded };
const tags = isFull ? states.languages.map(({ tag }) => tag) : ['ar'];

describe.each(Object.entries(sites))('with %s', (_title, site) => {
	describe.each(tags)('in %s', (tag) => {
		const all = states.renderStates(site, tag);

		it.each(all)('everybody can read and use: %s', async (_state, html) => {
			await show(site, html);
			await page.evaluate(axe.source);
			for (const colorScheme of ['light', 'dark'] as const) {
				await page.emulateMedia({ colorScheme });
				// Colors are those of each width, and the order of things those of each color.
				for (const width of colorScheme === 'light' ? [390, 1280] : [390]) {
					await page.setViewportSize({ width, height: 800 });
					const { violations } = await page.evaluate<axe.AxeResults>(RUN_CHECKS);
					const found = violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html)]);
					expect({ colorScheme, width, found }).toMatchObject({ found: [] });
				}
			}
		});

		it.each(all)('nothing is cut off: %s', async (_state, html) => {
			await show(site, html);
			for (const textSize of [100, 200]) {
				await page.evaluate(`document.documentElement.style.fontSize = '${textSize}%'`);
				for (const width of WIDTHS) {
					await page.setViewportSize({ width, height: 800 });
					const hidden = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
					expect({ textSize, width, hidden }).toEqual({ textSize, width, hidden: 0 });
				}
			}
		});
	});
});

it('mirrors the page for languages that are read from right to left', async () => {
	const measure = async (tag: string) => {
		await page.setViewportSize({ width: 1280, height: 800 });
		await show(branded, states.openStates.signIn(states.getPage(branded, tag)));
		const card = await page.locator('.card').boundingBox();
		const side = await page.locator('.side').boundingBox();
		return card!.x < side!.x;
	};
	expect([await measure('en'), await measure('ar')]).toEqual([true, false]);
});

/** What a screen reader gets from the browser: roles with names and descriptions, in their order. */
async function listen(): Promise<string[]> {
	type Value = { value?: unknown };
	type Words = { role?: Value; name?: Value; description?: Value };
	type Node = Words & { nodeId: string; ignored: boolean; childIds?: string[] };
	const session = await page.context().newCDPSession(page);
	const { nodes } = (await session.send('Accessibility.getFullAXTree')) as { nodes: Node[] };
	await session.detach();
	const said = /^(heading|textbox|button|link|alert|status|navigation|region|contentinfo|banner)$/;
	const byId = new Map(nodes.map((node) => [node.nodeId, node]));
	const inOrder = (node: Node): Node[] => [
		node,
		...(node.childIds ?? []).flatMap((id) => inOrder(byId.get(id)!)),
	];
	return inOrder(nodes[0])
		.filter(({ ignored, role }) => !ignored && said.test(String(role?.value)))
		.map(({ role, name, description }) =>
			[role, name, description]
				.map((part) => part?.value)
				.filter(Boolean)
				.join(', '),
		);
}

describe('a screen reader says', () => {
	const hear = async (state: string) => {
		const visitor = state in states.openStates ? undefined : states.ANNA;
		const render = states.openStates[state] ?? states.signedInStates[state];
		await show(branded, render(states.getPage(branded, 'en', visitor)));
		return await listen();
	};

	it('at sign-in whose page it is, what to enter and why', async () => {
		expect(await page.title()).toBeDefined();
		const heard = await hear('signIn');
		expect(await page.title()).toBe('Sign in to open your files – Berger & Söhne Steuerberatung');
		expect(heard).toEqual(
			expect.arrayContaining([
				'heading, Sign in to open your files',
				expect.stringMatching(/^textbox, Email address, Berger & Söhne Steuerberatung sends/),
				'button, Send Code',
				'heading, Is this page genuine?',
				'link, Help',
				'navigation, Language',
			]),
		);
	});

	it('at the code what comes first: the problem, with the field', async () => {
		const heard = await hear('wrongCode');
		expect(await page.title()).toMatch(/^Error: Enter your code – /);
		const wrong = 'The code is wrong or has expired. Use the one in the newest email.';
		expect(heard).toEqual(
			expect.arrayContaining([
				expect.stringMatching(/^alert/),
				`textbox, Code, Eight digits, from the email ${wrong}`,
				'button, Open',
				'button, Send Another Code',
				'link, Use another address',
				'button, Deutsch',
			]),
		);
	});

	it('of the files a list first, and then the pages of one', async () => {
		const heard = await hear('manyFiles');
		const expected = [
			'link, Skip to the files',
			'button, Sign Out',
			'heading, Unterlagen 2025',
			'link, olivia@berger.example',
			'heading, 13 files, 40 MB',
			'link, Download All',
			'link, Jahresabschluss 2025.pdf PDF, 2.4 MB',
			'link, Download Jahresabschluss 2025.pdf',
			'region, Jahresabschluss 2025.pdf',
			'heading, Jahresabschluss 2025.pdf',
			'textbox, Page, of 48',
			'link, Larger',
			'navigation, Pages 1 to 20 of 48',
		];
		expect(heard).toEqual(expect.arrayContaining(expected));
		const order = expected.map((words) => heard.indexOf(words));
		expect(order).toEqual([...order].sort((a, b) => a - b));
	});

	it('of a refusal who ended access and when, and how to ask for it', async () => {
		const heard = await hear('endedBySender');
		expect(heard[0]).toMatch(/^banner/);
		expect(heard).toEqual(
			expect.arrayContaining([
				'heading, You can’t open these files',
				expect.stringMatching(/^alert/),
				'link, olivia@berger.example',
				expect.stringMatching(/^textbox, Note \(optional\), At most 200 characters/),
				'button, Ask for Access',
				'button, Use another address',
			]),
		);
		const alert = page.getByRole('alert');
		expect(await alert.innerText()).toBe('The sender ended access on 28 November 2026.');
	});
});
