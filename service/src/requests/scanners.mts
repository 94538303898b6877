import { SettingError } from '../errors.mts';
import { createClamdScan } from './clamd.mts';
import type { OpenScan } from './scan.mts';
import { createCommandScan } from './scanCommand.mts';

interface Scanners {
	scanCommand?: string;
	clamdUrl?: string;
}

/** @returns nothing where files aren't scanned. @throws SettingError */
export function chooseScanner({ scanCommand, clamdUrl }: Scanners): OpenScan | undefined {
	if (scanCommand && clamdUrl) throw new SettingError('Set SCAN_COMMAND or CLAMD_URL, not both.');
	if (scanCommand) return createCommandScan(scanCommand);
	return clamdUrl ? createClamdScan(clamdUrl) : undefined;
}

/** Such as tcp://127.0.0.1:3310 or unix:///run/clamav/clamd.ctl. */
export function isClamdUrl(text: string): boolean {
	const { protocol, hostname, pathname } = new URL(text);
	return protocol === 'unix:' ? pathname.length > 1 : protocol === 'tcp:' && hostname !== '';
}
