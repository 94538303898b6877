import { join, resolve } from 'node:path';

export const projectRoot = resolve(__dirname, '..');

/**
 * For everything that is downloaded or created at run time. Git and all other tools ignore the folder
 * because of its name. n8n's lint, whose configuration must not change, would otherwise read all of it.
 */
export const cacheFolder = join(projectRoot, '.cache', 'node_modules');
