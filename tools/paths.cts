import { join, resolve } from 'node:path';

/** The root of the project. */
export const projectRoot = resolve(__dirname, '..');

/** Where everything lies that is downloaded or made at run time; ignored by git. */
export const cacheFolder = join(projectRoot, '.cache');
