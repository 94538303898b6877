import { findProgram } from '../programs.cts';

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

export interface WindowOptions {
	/** Folder of the browser's profile. Its cache makes the next window open faster. */
	profile: string;
	width?: number;
	height?: number;
	/** Device pixels per CSS pixel; 1 by default. */
	scale?: number;
	dark?: boolean;
}

/** Opens a headless Chromium: that of CHROMIUM_PATH, or the machine's. */
export async function openChromium(options: WindowOptions) {
	const { CHROMIUM_PATH } = process.env;
	const names = CHROMIUM_PATH === undefined ? NAMES : [CHROMIUM_PATH];
	// tsx can't load the library with a static import, which it compiles to require().
	const { chromium } = await import('playwright-core');
	return await chromium.launchPersistentContext(options.profile, {
		executablePath: findProgram(names, ['chromium', 'fonts-liberation']),
		args: FLAGS,
		viewport: { width: options.width ?? 1280, height: options.height ?? 800 },
		deviceScaleFactor: options.scale ?? 1,
		colorScheme: options.dark ? 'dark' : 'light',
		locale: 'en-GB',
		timezoneId: 'UTC',
	});
}
