import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { attempt } from './errors.mts';

/** Writes a file that others see whole or not at all. Of several processes that create a new one at the same time, the first one wins. */
export function writeWhole(file: string, content: string, { mode = 0o644, isNew = false } = {}) {
	const part = `${file}.${randomUUID()}`;
	fs.writeFileSync(part, content, { mode, flush: true });
	if (isNew) attempt(() => fs.linkSync(part, file));
	// Not every file system has links.
	if (!isNew || !fs.existsSync(file)) fs.renameSync(part, file);
	else fs.rmSync(part);
}
