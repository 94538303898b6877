import { createHash, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { chromium, type BrowserContextOptions } from 'playwright-core';
import { findProgram } from '../../../tools/processes.cts';
import type { Service } from './service.mts';

const TIMEOUT_MS = 15_000;
const UNUSED = ['background-networking', 'component-update', 'gpu', 'quic', 'sync'];
/** Browsers name the pages that refuse in the console. */
const REFUSAL = /^Failed to load resource: .* status of 4\d\d/;

export type Browser = Awaited<ReturnType<typeof startBrowser>>;

/** Starts a browser that trusts the key of this service, and no other. */
export async function startBrowser({ folder, origin }: Service) {
	// Giving Chromium an authority takes tools that few machines have.
	const { publicKey } = new X509Certificate(readFileSync(join(folder, 'tls.pem')));
	const key = publicKey.export({ type: 'spki', format: 'der' });
	const trusted = createHash('sha256').update(key).digest('base64');
	const browser = await chromium.launch({
		executablePath: findProgram([process.env.CHROMIUM_PATH ?? 'chromium'], ['chromium']),
		args: [
			'--headless=new',
			'--no-sandbox',
			'--no-first-run',
			`--ignore-certificate-errors-spki-list=${trusted}`,
			...UNUSED.map((name) => `--disable-${name}`),
		],
	});
	return {
		close: async () => await browser.close(),
		/** A window of another person, and what went wrong in it: blocked, sent elsewhere, run. */
		openWindow: async (options?: BrowserContextOptions) => {
			const context = await browser.newContext(options);
			context.setDefaultTimeout(TIMEOUT_MS);
			const problems: string[] = [];
			context.on('request', (request) => {
				const { protocol, origin: target, href } = new URL(request.url());
				if (/^(http|ws)/.test(protocol) && target !== origin) problems.push(`asked for ${href}`);
			});
			context.on('console', (message) => {
				const [{ url }, text] = [message.location(), message.text()];
				const isRefusal = url.startsWith(`${origin}/c/`) && REFUSAL.test(text);
				if (message.type() === 'error' && !isRefusal) problems.push(`${url}: ${text}`);
			});
			context.on('weberror', (error) => problems.push(String(error.error())));
			context.on('dialog', (dialog) => {
				problems.push(`dialog: ${dialog.message()}`);
				void dialog.dismiss();
			});
			return { context, problems, page: await context.newPage() };
		},
	};
}

/** Another website. It counts the requests that are no page of it. */
export async function startSite() {
	const pages: Record<string, string> = {};
	const server = createServer(({ url = '' }, response) => {
		if (!(url in pages)) site.requests++;
		response.setHeader('Content-Type', 'text/html').end(pages[url]);
	});
	await new Promise<void>((resolve) => server.unref().listen(0, '127.0.0.1', resolve));
	const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	const site = { origin, pages, requests: 0 };
	return site;
}
