import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { BrowserContext } from 'playwright-core';
import type { Progress } from '../progress.cts';
import { runCommand } from '../realN8n/command.cts';

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
	// The editor asks hosts of the internet for this and that: here they are not there, and it need not wait.
	'--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
];

/** The program of a Chromium on this machine: CHROMIUM_PATH, or one on the search path. */
export function findChromium(): string | undefined {
	const { CHROMIUM_PATH, PATH = '' } = process.env;
	const folders = PATH.split(delimiter);
	const paths = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)));
	return [...(CHROMIUM_PATH ? [CHROMIUM_PATH] : []), ...paths].find((path) => existsSync(path));
}

/**
 * Finds Chromium, or installs it where that is possible: as root on Debian.
 * @throws with what to do when there is none and it cannot be installed
 */
export async function ensureChromium(progress: Progress, log: string): Promise<string> {
	const found = findChromium();
	if (found !== undefined) return found;
	if (process.getuid?.() !== 0 || !(await isDebian())) {
		throw new Error(
			'There is no Chromium on this machine. Install it (on Debian: apt-get install chromium), or name its program in CHROMIUM_PATH.',
		);
	}
	await progress.step('Installing Chromium from the packages of Debian', async () => {
		await aptGet(['update'], log);
		await aptGet(['install', '-y', '--no-install-recommends', 'chromium', 'fonts-liberation'], log);
	});
	const installed = findChromium();
	if (installed === undefined) throw new Error(`Chromium was not installed: see ${log}.`);
	return installed;
}

async function isDebian(): Promise<boolean> {
	const release = await readFile('/etc/os-release', 'utf8').catch(() => '');
	return /^ID(_LIKE)?=.*debian/m.test(release) && existsSync('/usr/bin/apt-get');
}

async function aptGet(args: string[], log: string): Promise<void> {
	const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
	await runCommand({ command: '/usr/bin/apt-get', args, cwd: '/', env, stdout: log });
}

export interface WindowOptions {
	/** Folder of the browser's profile: its cache makes the next window open faster. */
	profile: string;
	width?: number;
	height?: number;
	/** Pixels of the picture for one of the page; 1 unless given. */
	scale?: number;
	dark?: boolean;
}

/**
 * Opens a headless Chromium.
 * @throws with a clear message when there is none
 */
export async function openChromium(options: WindowOptions): Promise<BrowserContext> {
	const executablePath = findChromium();
	if (executablePath === undefined) throw new Error('There is no Chromium on this machine.');
	// A static import would be compiled to a require that tsx resolves, and the library cannot be loaded that way.
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
