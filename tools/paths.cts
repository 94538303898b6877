import { join, resolve } from 'node:path';

/** The root of the project. */
export const projectRoot = resolve(__dirname, '..');

/**
 * Where everything lies that is downloaded or made at run time; ignored by git, and by its name by every tool that
 * walks through the project: n8n's lint, whose configuration must stay as it is, would otherwise read all of it.
 */
export const cacheFolder = join(projectRoot, '.cache', 'node_modules');
