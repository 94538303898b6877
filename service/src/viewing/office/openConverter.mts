import type { Converter } from './converter.mts';
import { createGotenberg } from './gotenberg.mts';
import { createSoffice } from './soffice.mts';

/** Where distributions put it. */
const SOFFICE = '/usr/bin/soffice';

/** @param setting `soffice`, its path, or the URL of Gotenberg. @returns nothing for anything else */
export function openConverter(setting: string): Converter | undefined {
	if (setting === 'soffice') return createSoffice(SOFFICE);
	if (setting.startsWith('/')) return createSoffice(setting);
	const { protocol, username, password, search } = new URL(setting);
	const isPlain = [username, password, search].every((part) => part === '');
	return isPlain && /^https?:$/.test(protocol) ? createGotenberg(setting) : undefined;
}
