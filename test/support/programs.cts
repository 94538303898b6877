import { createHash, X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { BrowserContextOptions } from 'playwright-core';
import which from 'which';

/** Debian keeps the programs of the PostgreSQL server outside PATH, in one folder per version. */
const POSTGRESQL = '/usr/lib/postgresql';

/**
 * Finds a program of the system by one of its names.
 * @throws with what to install when there is none
 */
export function findProgram(names: string[], packages: string[]): string {
	const versions = existsSync(POSTGRESQL) ? readdirSync(POSTGRESQL) : [];
	const folders = versions.map((version) => join(POSTGRESQL, version, 'bin'));
	const path = [process.env.PATH, ...folders.sort().reverse()].join(delimiter);
	const found = names.map((name) => which.sync(name, { nothrow: true, path })).find(Boolean);
	if (found) return found;
	const command = `apt-get install --no-install-recommends ${packages.join(' ')}`;
	throw new Error(`This machine has no ${names[0]}. On Debian or Ubuntu: ${command}`);
}

/** That of CHROMIUM_PATH, or the machine's. */
export function findChromium(): string {
	const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
	const { CHROMIUM_PATH } = process.env;
	return findProgram(CHROMIUM_PATH ? [CHROMIUM_PATH] : names, ['chromium', 'fonts-liberation']);
}

/** Starts a headless Chromium that trusts the key of the certificate in this file, and no other. */
export async function startChromium(certificate: string, flags: string[] = []) {
	return await launchChromium([trustKeyOf(certificate), ...flags]);
}

/** Giving Chromium an authority takes tools that few machines have. */
function trustKeyOf(certificate: string): string {
	const { publicKey } = new X509Certificate(readFileSync(certificate));
	const key = publicKey.export({ type: 'spki', format: 'der' });
	const trusted = createHash('sha256').update(key).digest('base64');
	return `--ignore-certificate-errors-spki-list=${trusted}`;
}

/** Starts a headless Chromium. @param flags more than it always has */
export async function launchChromium(flags: string[] = []) {
	const { chromium } = await import('playwright-core');
	return await chromium.launch(getChromiumOptions(flags));
}

/** Starts a window whose user downloads PDFs instead of viewing them, as on many phones. @param folder for its profile */
export async function openWithoutPdfViewer(
	folder: string,
	certificate: string,
	options: BrowserContextOptions,
) {
	const { chromium } = await import('playwright-core');
	const preferences = { plugins: { always_open_pdf_externally: true } };
	mkdirSync(join(folder, 'Default'), { recursive: true });
	writeFileSync(join(folder, 'Default/Preferences'), JSON.stringify(preferences));
	const launched = getChromiumOptions([trustKeyOf(certificate)]);
	return await chromium.launchPersistentContext(folder, { ...launched, ...options });
}

function getChromiumOptions(flags: string[]) {
	const always = ['--no-sandbox', '--disable-gpu', '--disable-background-networking'];
	return { executablePath: findChromium(), args: always.concat('--disable-sync', flags) };
}
