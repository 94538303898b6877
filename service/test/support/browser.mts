import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { BrowserContext, BrowserContextOptions } from 'playwright-core';
import { openWithoutPdfViewer, startChromium } from '../../../test/support/programs.cts';
import type { Service } from './service.mts';

const TIMEOUT_MS = 45_000;
/** Browsers name the pages that refuse in the console. */
const REFUSAL = /^Failed to load resource: .* status of 4\d\d/;

export type Browser = Awaited<ReturnType<typeof startBrowser>>;

/** Starts a browser that trusts the key of this service, and no other. */
export async function startBrowser({ folder, origin }: Service) {
	const certificate = join(folder, 'tls.pem');
	const browser = await startChromium(certificate);
	return {
		close: async () => await browser.close(),
		/** A window of another person, and what went wrong in it: blocked, sent elsewhere, run. */
		openWindow: async (options?: BrowserContextOptions) =>
			await watch(await browser.newContext(options), origin),
		/** In a browser that downloads PDFs instead of showing them. */
		openWithoutViewer: async (options: BrowserContextOptions) => {
			const profile = join(folder, 'profile');
			return await watch(await openWithoutPdfViewer(profile, certificate, options), origin);
		},
	};
}

async function watch(context: BrowserContext, origin: string) {
	context.setDefaultTimeout(TIMEOUT_MS);
	const problems: string[] = [];
	context.on('request', (request) => {
		const { protocol, origin: target, href } = new URL(request.url());
		if (/^(http|ws)/.test(protocol) && target !== origin) problems.push(`asked for ${href}`);
	});
	context.on('console', (message) => {
		const [{ url }, text] = [message.location(), message.text()];
		const isLink = [`${origin}/c/`, `${origin}/r/`].some((start) => url.startsWith(start));
		const isRefusal = isLink && REFUSAL.test(text);
		if (message.type() === 'error' && !isRefusal) problems.push(`${url}: ${text}`);
	});
	context.on('weberror', (error) => problems.push(String(error.error())));
	context.on('dialog', (dialog) => {
		problems.push(`dialog: ${dialog.message()}`);
		void dialog.dismiss();
	});
	return { context, problems, page: await context.newPage() };
}

/** Another website. It keeps the paths of the requests that are no page of it. */
export async function startSite() {
	const pages: Record<string, string> = {};
	const server = createServer(({ url = '' }, response) => {
		// Browsers ask for it at some time after a page is there.
		if (!(url in pages) && url !== '/favicon.ico') site.requests.push(url);
		response.setHeader('Content-Type', 'text/html').end(pages[url]);
	});
	await new Promise<void>((resolve) => server.unref().listen(0, '127.0.0.1', resolve));
	const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	const site = { origin, pages, requests: [] as string[] };
	return site;
}

/** One empty page. */
export const pdf = `%PDF-1.4
1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj
2 0 obj <</Type /Pages /Kids [3 0 R] /Count 1>> endobj
3 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 595 842]>> endobj
trailer <</Size 4 /Root 1 0 R>>
%%EOF
`;

export const png = Buffer.from(
	'iVBORw0KGgoAAAANSUhEUgAAADwAAAAoCAIAAAAt2Q6oAAAAN0lEQVR42u3OQQkAAAgAsYtudFP4EAYLsJr+kZaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWvrS+vLA9jmm7BQAAAABJRU5ErkJggg==',
	'base64',
);

/** A film with one picture. */
export const webm = Buffer.from(
	'GkXfo59ChoEBQveBAULygQRC84EIQoKEd2VibUKHgQRChYECGFOAZwEAAAAAAAJhEU2bdLlNu4tTq4QVSalmU6yBbk27i1OrhBZUrmtTrIGTTbuLU6uEH0O2dVOsgdVNu4xTq4QcU7trU6yCAk/srgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAVSalmoCrXsYMPQkBEiYQ/gAAATYCGQ2hyb21lV0GGQ2hyb21lFlSua72uu9eBAXPFh3T0kIypXQyDgQFV7oEBhoVWX1ZQOOCesIIBQLqB8FPAgQFVsJBVsYEBVbmBAlW6gQ1Vu4EBH0O2dQEAAAAAAAFu54EAoEFooUC5gQAAAJASAJ0BKkAB8AABBwiFhYiZhIgFggJ1qgIGZmWow9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w8gA/v6W2H/4yT/+Mk//jJP/xkn9CjZRL5h1oUCopkCl7oEBpUCfMBIAnQEqQAHwAARHCIWFiJmEiBcCAAYWBPcGgWSfa9ubJzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh69AD+92cAHFO7a427i7OBALeG94EB8YHV',
	'base64',
);

/** Ten minutes: more than a browser reads in advance. */
export const wav = Buffer.concat([
	Buffer.from('52494646243e490057415645666d74201000000001000100401f0000401f000001000800', 'hex'),
	Buffer.from('64617461003e4900', 'hex'),
	Buffer.alloc(8000 * 60 * 10, 128),
]);
