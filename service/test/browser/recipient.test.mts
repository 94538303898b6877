import axe from 'axe-core';
import pWaitFor from 'p-wait-for';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { createContainer, type Container, type ContainerToCreate } from '../support/api.mts';
import * as support from '../support/browser.mts';
import { createPdf, toTextContent } from '../support/pdf.mts';
import { receiveCode } from '../support/recipient.cts';
import { describeService, startService, type Service } from '../support/service.mts';

const { pdf, png, startBrowser, startSite, wav, webm } = support;
const ADA = 'ada@example.com';
const OWNER = `olive.${'of-the-office-'.repeat(3)}with-a-long-address@example.com`;
const LONG = 'Long'.repeat(50);
const CHECKS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const RUN_CHECKS = `axe.run(document, ${JSON.stringify({ runOnly: CHECKS, iframes: false })})`;

const files = { 'a.pdf': pdf, 'b.png': png, 'c.txt': 'Hello', 'd.webm': webm, 'e.wav': wav };
const types = {
	'a.pdf': 'application/pdf',
	'b.png': 'image/png',
	'd.webm': 'video/webm',
	'e.wav': 'audio/wav',
	'f.html': 'text/html',
	'g.svg': 'image/svg+xml',
};

describeService('a recipient in a browser', () => {
	let service: Service;
	let browser: support.Browser;
	let windows: Array<Awaited<ReturnType<support.Browser['openWindow']>>> = [];

	beforeAll(async () => {
		service = await startService({ env: { OWNER_EMAIL: OWNER, CODES_PER_ADDRESS: '3' } });
		browser = await startBrowser(service);
	});
	afterAll(async () => await browser?.close());
	afterEach(async () => {
		const closed = windows;
		windows = [];
		await Promise.all(closed.map(async ({ context }) => await context.close()));
		expect(closed.flatMap(({ problems }) => problems)).toEqual([]);
	});

	const open = async (options?: BrowserContextOptions) => {
		const window = await browser.openWindow(options);
		windows.push(window);
		return window.page;
	};
	const openWithoutViewer = async (options: BrowserContextOptions) => {
		const window = await browser.openWithoutViewer(options);
		windows.push(window);
		expect(await window.page.evaluate('navigator.pdfViewerEnabled')).toBe(false);
		return window.page;
	};
	const create = async (rules: ContainerToCreate = {}) =>
		await createContainer(service, { recipients: [ADA], ...rules });
	const see = async (page: Page, text: string) => await page.getByText(text).first().waitFor();
	const press = async (page: Page, name: string) =>
		await page.getByRole('button', { name, exact: true }).click();
	const enter = async (page: Page, label: string, value: string, button = 'Open') => {
		await page.getByLabel(label, { exact: true }).fill(value);
		await press(page, button);
	};
	/** Goes to a container, and waits for a code for it. */
	const requestCode = async (page: Page, { url }: Container) => {
		await page.goto(url);
		const send = async () => await enter(page, 'Email address', ADA, 'Send Code');
		return await receiveCode(service.outbox, { to: ADA, link: url }, send);
	};
	const signIn = async (page: Page, rules: ContainerToCreate = {}) => {
		const container = await create(rules);
		await enter(page, 'Code', await requestCode(page, container));
		return container;
	};

	it('keeps a cookie for the container alone: it stays open after a reload, and a click elsewhere', async () => {
		const page = await open();
		const container = await signIn(page, { drm: { opens: 1 } });
		await see(page, 'note.txt');
		await page.reload();
		await see(page, 'note.txt');
		const cookies = await page.context().cookies();
		expect(cookies.map(({ name }) => name).sort()).toEqual(['__Host-address', 'session']);
		const { expires } = cookies.find(({ name }) => name === 'session')!;
		expect(expires - Date.now() / 1000).toBeLessThanOrEqual(30 * 60);
		const site = await startSite();
		site.pages['/'] = `<a href="${container.url}">Mail</a>`;
		await page.goto(site.origin);
		windows[0].problems.length = 0;
		await page.getByText('Mail').click();
		await see(page, 'note.txt');
	});

	it('opens a second link with a click, and by a double click once', async () => {
		const page = await open();
		await signIn(page);
		await see(page, 'note.txt');
		const { url } = await create({ drm: { opens: 1 } });
		await page.goto(url);
		await see(page, `You already entered a code for ${ADA}`);
		await page.getByRole('button', { name: 'Open', exact: true }).dblclick();
		await see(page, 'note.txt');
		await page.reload();
		await see(page, 'No further opening after this one');
		await press(page, 'Sign Out');
		await see(page, 'Sign in to open your files');
	});

	it('enters an address in any letters', async () => {
		const page = await open();
		const email = 'jörg@bücher.example';
		const { url } = await create({ recipients: [email] });
		await page.goto(url);
		const send = async () => await enter(page, 'Email address', email, 'Send Code');
		const code = await receiveCode(service.outbox, { to: email, link: url }, send);
		await enter(page, 'Code', code);
		await see(page, 'note.txt');
	});

	it('gets in by keyboard alone', async () => {
		const page = await open();
		const { url } = await create({ password: 'correct', downloadable: true });
		const focused = page.locator(':focus');
		/** What Tab goes through until the page ends. Then it begins again. */
		const tabThrough = async () => {
			await focused.waitFor();
			const stops: string[] = [];
			for (; await focused.count(); await page.keyboard.press('Tab')) {
				stops.push((await focused.textContent()) ?? '');
			}
			await page.keyboard.press('Tab');
			return stops;
		};
		const type = async (title: string, text: string) => {
			await see(page, title);
			// The browser goes to the field a moment after the title is there.
			await focused.waitFor();
			await page.keyboard.type(text);
			await page.keyboard.press('Enter');
		};
		await page.goto(url);
		const send = async () => await type('Sign in to open your files', ADA);
		const code = await receiveCode(service.outbox, { to: ADA, link: url }, send);
		await see(page, 'Enter your code');
		const stops = await tabThrough();
		expect(stops.slice(0, 4)).toEqual(['', 'Open', 'Send Another Code', 'Use another address']);
		expect(stops.slice(4)).toEqual(expect.arrayContaining(['English', 'Deutsch', 'العربية']));
		await type('Enter your code', code);
		await type('Enter the password', 'correct');
		await see(page, 'note.txt');
		await page.keyboard.press('Tab');
		expect(await focused.textContent()).toBe('Skip to the files');
		await page.keyboard.press('Enter');
		while ((await focused.textContent()) !== 'Download') await page.keyboard.press('Tab');
		const download = page.waitForEvent('download');
		await page.keyboard.press('Enter');
		expect((await download).suggestedFilename()).toBe('note.txt');
	});

	const read = async (page: Page, name: string, property: string) =>
		await page
			.locator(name)
			.first()
			.evaluate((element, key) => Reflect.get(element, key), property);

	it('sees and hears files in the page', async () => {
		const page = await open();
		const statuses = new Set<string>();
		page.on('response', (response) => {
			const [, file] = /\/files\/(\d.*)$/.exec(response.url()) ?? [];
			if (file) statuses.add(`${file}: ${response.status()}`);
		});
		await signIn(page, { files, types });
		const play = async (name: 'video' | 'audio', time: number) =>
			await page.locator(name).evaluate(async (element, currentTime) => {
				const player = element as unknown as { currentTime: number; play(): Promise<void> };
				await Object.assign(player, { currentTime }).play();
				return player.currentTime;
			}, time);
		const choose = async (name: string) => await page.getByRole('link', { name }).first().click();
		for (const [index, name] of ['a.pdf', 'b.png'].entries()) {
			await choose(name);
			const picture = `img[src*="/files/${index}/"]`;
			await pWaitFor(async () => (await read(page, picture, 'naturalWidth')) > 0);
		}
		await choose('c.txt');
		expect(await page.locator('pre').innerText()).toBe('Hello');
		await choose('d.webm');
		await play('video', 0);
		expect(await read(page, 'video', 'videoWidth')).toBe(320);
		await choose('e.wav');
		expect(await play('audio', 500)).toBeGreaterThanOrEqual(500);
		const expected = ['0/pages/1: 200', '1/pages/1: 200', '3: 206', '4: 206'];
		await pWaitFor(() => statuses.size >= expected.length);
		expect([...statuses].sort()).toEqual(expected);
		expect(page.frames()).toHaveLength(1);
	});

	const SCREENS: Array<
		[title: string, options: BrowserContextOptions, openPage?: typeof openWithoutViewer]
	> = [
		[
			'a phone',
			{ viewport: { width: 360, height: 780 }, isMobile: true, hasTouch: true },
			openWithoutViewer,
		],
		[
			'a phone without scripts',
			{ viewport: { width: 360, height: 780 }, javaScriptEnabled: false },
		],
		['a desktop', { viewport: { width: 1280, height: 800 } }],
		['a large screen', { viewport: { width: 1920, height: 1080 }, colorScheme: 'dark' }],
	];
	it.each(SCREENS)('turns the pages of a document on %s', async (_, options, openPage = open) => {
		const page = await openPage(options);
		const contents = Array.from({ length: 45 }, (_page, index) => ({
			content: toTextContent(`Words of page ${index + 1}`),
		}));
		await signIn(page, {
			files: { 'a.pdf': createPdf(contents) },
			types,
			downloadable: false,
		});
		await see(page, 'Each page shows your address and the time.');
		const isShown = async (number: number) =>
			await page.evaluate<boolean>(`(() => {
				const picture = document.querySelector('#page-${number} img');
				// The page arrives in pieces.
				if (document.readyState === 'loading' || !picture) return false;
				const { top } = picture.getBoundingClientRect();
				const fits = picture.width <= innerWidth && Math.abs(top) < innerHeight;
				return fits && picture.naturalWidth > 0;
			})()`);
		await page.locator('#page-1 img').scrollIntoViewIfNeeded();
		await pWaitFor(async () => await isShown(1));
		await page.getByLabel('Page', { exact: true }).fill('37');
		await press(page, 'Go');
		await pWaitFor(async () => await isShown(37));
		expect(await page.locator('figure').count()).toBe(20);
		await page.getByRole('link', { name: 'Next 5' }).click();
		await pWaitFor(async () => await isShown(41));
		await page.getByRole('link', { name: 'Larger' }).click();
		await pWaitFor(async () => (await read(page, 'figure img', 'naturalWidth')) > 1600);
		const group = page.getByRole('group', { name: 'Pages' });
		const sizes = ['scrollWidth', 'clientWidth'].map(async (size) => {
			return (await group.evaluate((element, key) => Reflect.get(element, key), size)) as number;
		});
		const [scrolled, visible] = await Promise.all(sizes);
		expect(scrolled).toBeGreaterThan(visible);
		expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
		await page.getByRole('link', { name: 'Show as Text' }).click();
		await see(page, 'Words of page 41');
		await page.emulateMedia({ media: 'print' });
		expect(await page.getByText('Words of page 41').isVisible()).toBe(false);
		expect(page.frames()).toHaveLength(1);
	});

	it('finds the words of a page by the search of the browser', async () => {
		const page = await open();
		const content = toTextContent('Depreciation of machines');
		await signIn(page, { files: { 'a.pdf': createPdf([{ content }]) }, types });
		await see(page, 'Download');
		await pWaitFor(async () => await page.evaluate<boolean>('window.find("Depreciation")'));
		const node = 'getSelection().anchorNode.parentElement.closest("figure").id';
		expect(await page.evaluate(node)).toBe('page-1');
	});

	it('never runs a file', async () => {
		const site = await startSite();
		const { origin } = site;
		const run = `fetch('${origin}/run'); document.title = 'ran'; alert('ran')`;
		const html = `<title>-</title><img src="${origin}/image"><script>${run}</script>`;
		const svg = `<svg xmlns="http://www.w3.org/2000/svg"><script>${run}</script></svg>`;
		site.pages['/'] = html;
		const elsewhere = await browser.openWindow();
		await elsewhere.page.goto(origin);
		const asked = () => ['/image', '/run'].every((path) => site.requests.includes(path));
		await pWaitFor(() => asked() && elsewhere.problems.includes('dialog: ran'));
		await elsewhere.context.close();
		site.requests.length = 0;

		const hostile = { 'a.pdf': html, 'b.png': html, 'c.txt': html, 'f.html': html, 'g.svg': svg };
		for (const downloadable of [true, false]) {
			const page = await open();
			const { url } = await signIn(page, { files: hostile, types, downloadable });
			await page.getByRole('link', { name: 'c.txt' }).first().click();
			expect(await page.locator('pre').innerText()).toBe(html);
			for (const index of Object.keys(hostile).keys()) {
				const tab = await page.context().newPage();
				await tab.goto(`${url}/files/${index}`).catch((error: Error) => {
					expect(error.message).toContain('Download is starting');
				});
				await tab.waitForTimeout(200);
				expect(await tab.title()).not.toBe('ran');
			}
			await page.goto(`${url}/files/2`);
			await see(page, '<script>');
		}
		expect(site.requests).toEqual([]);
	});

	it('asks for access, in another language too, and opens the files once it is given', async () => {
		const page = await open();
		const { uuid } = await signIn(page, { drm: { dynamic: true, time: { end: '2020-12-31' } } });
		await enter(page, 'Note (optional)', 'For Monday', 'Ask for Access');
		await see(page, 'Your request is on its way');
		await press(page, 'Deutsch');
		await see(page, 'Ihre Bitte ist unterwegs');
		await press(page, 'English');
		await service.api.patch(`/containers/${uuid}/drm`, { time: null });
		await press(page, 'Try Again');
		await see(page, 'note.txt');
	});

	const states: Record<string, (page: Page) => Promise<unknown>> = {
		'Sign in to open your files': async (page) => await page.goto((await create()).url),
		'a code is on its way': async (page) => await requestCode(page, await create()),
		'The code is wrong or has expired.': async (page) => {
			await requestCode(page, await create());
			await enter(page, 'Code', '1');
		},
		'These files are also protected with a password.': async (page) =>
			await signIn(page, { password: 'correct' }),
		'4 openings left': async (page) => {
			const more = { [`${LONG}.zip`]: 'zip', [`${LONG}.txt`]: LONG };
			const drm = { opens: 5, time: { end: '2099-12-31' } };
			const all = { ...files, ...more };
			await signIn(page, { name: LONG, downloadable: true, drm, files: all, types });
		},
		'For viewing only.': async (page) => {
			await signIn(page, { files, types, downloadable: false });
		},
		'You can’t open these files': async (page) =>
			await signIn(page, { drm: { time: { end: '2020-12-31' } } }),
		'These files don’t exist any more': async (page) => {
			const { uuid } = await signIn(page);
			await see(page, 'note.txt');
			await service.api.delete(`/containers/${uuid}`);
			await page.reload();
		},
	};
	it.each(Object.keys(states))('can read, whatever the screen: %s', async (sentence) => {
		const page = await open();
		await states[sentence](page);
		await see(page, sentence);
		await page.evaluate(axe.source);
		for (const colorScheme of ['light', 'dark'] as const) {
			await page.emulateMedia({ colorScheme });
			for (const width of [1280, 375, 320]) {
				await page.setViewportSize({ width, height: 800 });
				const { violations } = await page.evaluate<axe.AxeResults>(RUN_CHECKS);
				const found = violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
				const hidden = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
				expect({ colorScheme, width, found, hidden }).toMatchObject({ found: [], hidden: 0 });
			}
		}
	});
});
