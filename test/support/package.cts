import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { loadNodePackage, type LoadedPackage } from '../../tools/engine/package.cts';
import { surroundingNodeTypes } from './surroundingNodeTypes.cts';

/** The root of the repository, which contains the package under test. */
export const repositoryRoot = join(__dirname, '..', '..');

type ErrorListener = (error: unknown) => void;

const errorListeners = new WeakMap<object, ErrorListener>();

/** Calls `listener` with each error that the node under test throws in this workflow object. */
export function onNodeError(workflow: object, listener: ErrorListener): void {
	errorListeners.set(workflow, listener);
}

async function load(directory: string): Promise<LoadedPackage> {
	if (!existsSync(join(directory, 'dist'))) {
		throw new Error(`Nothing was built in ${directory}: run "npm run build" first`);
	}
	return await loadNodePackage(directory, surroundingNodeTypes, (error, workflow) =>
		errorListeners.get(workflow)?.(error),
	);
}

const packages = new Map<string, Promise<LoadedPackage>>();

/**
 * Loads the built package of a directory, once for each directory. Throws when nothing was built.
 */
export async function loadPackage(directory = repositoryRoot): Promise<LoadedPackage> {
	const loaded = packages.get(directory) ?? load(directory);
	packages.set(directory, loaded);
	return await loaded;
}
