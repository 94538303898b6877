import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Converter } from '../../src/viewing/office/converter.mts';
import { createSoffice } from '../../src/viewing/office/soffice.mts';
import { createFolder } from './service.mts';

/** Whether a program ends well on this machine. */
export function isAllowed(program: string, args: string[]): boolean {
	try {
		execFileSync(program, args, { stdio: 'ignore' });
		return true;
	} catch {
		return false;
	}
}

/** A program in the place of LibreOffice: what it prints becomes the PDF. */
export function createFake(script: string): Converter {
	const folder = join(createFolder(), 'bin');
	mkdirSync(folder);
	const program = join(folder, 'soffice');
	writeFileSync(program, `#!/bin/sh\n{ ${script}\n} > out/document.pdf 2>&1\n`);
	chmodSync(program, 0o755);
	return createSoffice(program);
}

export async function convert(
	converter: Converter,
	content: Uint8Array | string,
	{ ending = 'docx', signal = AbortSignal.timeout(120_000) } = {},
): Promise<Buffer> {
	async function* pieces() {
		yield Buffer.from(content);
	}
	return Buffer.from(await converter.convert({ ending, content: pieces() }, signal));
}

/** Whether bubblewrap is there, and may isolate what it runs. */
export const mayIsolate = () =>
	isAllowed('bwrap', ['--unshare-all', '--ro-bind', '/', '/', 'true']);
