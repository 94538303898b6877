import { existsSync } from 'node:fs';
import type { BrowserContext } from 'playwright-core';
import which from 'which';
import { runCommand } from '../processes.cts';
import type { Progress } from '../tool.cts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

const FLAGS = [
	'--no-sandbox',
	'--disable-gpu',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
	'--hide-scrollbars',
	// The editor sends requests to the internet. Here they fail at once instead of after a timeout.
	'--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
];

/** Returns the path of Chromium from CHROMIUM_PATH or PATH. */
function findChromium(): string | undefined {
	const names = [process.env.CHROMIUM_PATH ?? '', ...NAMES];
	return names.map((name) => which.sync(name, { nothrow: true })).find((path) => path !== null);
}

/**
 * Finds Chromium, or installs it as root on Debian.
 * @throws with what to do when it is missing and can't be installed
 */
export async function ensureChromium(progress: Progress, log: string): Promise<string> {
	const found = findChromium();
	if (found !== undefined) return found;
	const command = '/usr/bin/apt-get';
	if (process.getuid?.() !== 0 || !existsSync(command)) {
		throw new Error(
			'This machine has no Chromium. Install it (on Debian: apt-get install chromium), or set CHROMIUM_PATH to its path.',
		);
	}
	await progress.step('Installing the Debian package of Chromium', async () => {
		const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
		const packages = ['chromium', 'fonts-liberation'];
		for (const args of [['update'], ['install', '-y', '--no-install-recommends', ...packages]]) {
			await runCommand({ command, args, cwd: '/', env, stdout: log });
		}
	});
	const installed = findChromium();
	if (installed === undefined) throw new Error(`Chromium was not installed. See ${log}.`);
	return installed;
}

export interface WindowOptions {
	/** Folder of the browser's profile. Its cache makes the next window open faster. */
	profile: string;
	width?: number;
	height?: number;
	/** Device pixels per CSS pixel; 1 by default. */
	scale?: number;
	dark?: boolean;
}

/**
 * Opens a headless Chromium.
 * @throws when it is not installed
 */
export async function openChromium(options: WindowOptions): Promise<BrowserContext> {
	const executablePath = findChromium();
	if (executablePath === undefined) throw new Error('This machine has no Chromium.');
	// tsx can't load the library with a static import, which it compiles to require().
	const { chromium } = await import('playwright-core');
	return await chromium.launchPersistentContext(options.profile, {
		executablePath,
		args: FLAGS,
		viewport: { width: options.width ?? 1280, height: options.height ?? 800 },
		deviceScaleFactor: options.scale ?? 1,
		colorScheme: options.dark ? 'dark' : 'light',
		locale: 'en-GB',
		timezoneId: 'UTC',
	});
}
