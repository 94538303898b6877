/**
 * What n8n-core needs before its first import: decorators' metadata, and settings that keep it
 * away from the developer's own n8n. Import this file before anything of n8n.
 */
import 'reflect-metadata';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The folder that n8n-core uses as its user folder. It is removed with the test file or the process. */
export const userFolder = mkdtempSync(join(tmpdir(), 'encrypted-containers-engine-'));

Object.assign(process.env, {
	N8N_USER_FOLDER: userFolder,
	N8N_ENCRYPTION_KEY: 'a-key-for-tests-only',
	N8N_EXPRESSION_ENGINE: 'legacy',
	// Tests read the logger: see test/support/log.cts.
	N8N_LOG_LEVEL: 'silent',
});

const removeUserFolder = () => rmSync(userFolder, { recursive: true, force: true, maxRetries: 5 });
if (typeof afterAll === 'function') afterAll(removeUserFolder);
else process.once('exit', removeUserFolder);
