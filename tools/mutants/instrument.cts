import { readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Mutant } from '@stryker-mutator/api/core' with { 'resolution-mode': 'import' };

/** Files that a copy of the project keeps beside its code, to switch a mutant on and to note which ones a test reaches. */
export const ACTIVE_FILE = 'active-mutant';
export const REACHED_FILE = 'reached-mutants';

/**
 * What each instrumented file runs first, in a test, in n8n's engine or in the service. Stryker's own way, an environment
 * variable, doesn't reach the processes that tests start. A mutant is noted before it runs: a process can be killed.
 */
function createPrelude(copy: string): string {
	const active = JSON.stringify(join(copy, ACTIVE_FILE));
	const reached = JSON.stringify(join(copy, REACHED_FILE));
	return `// @ts-nocheck
globalThis.__stryker__ ??= (() => {
	const fs = process.getBuiltinModule('node:fs');
	const activeMutant = fs.readFileSync(${active}, 'utf8');
	const note = (target, id, count) => {
		if (activeMutant === '' && !(id in target)) fs.appendFileSync(${reached}, id + '\\n');
		target[id] = count;
		return true;
	};
	return { activeMutant, mutantCoverage: { static: new Proxy({}, { set: note }), perTest: {} } };
})();
`;
}

const silent = () => undefined;
const logger = {
	isTraceEnabled: () => false,
	isDebugEnabled: () => false,
	isInfoEnabled: () => false,
	isWarnEnabled: () => false,
	isErrorEnabled: () => false,
	isFatalEnabled: () => false,
	trace: silent,
	debug: silent,
	info: silent,
	warn: silent,
	error: silent,
	fatal: silent,
};

const options = { ignorers: [], plugins: null, excludedMutations: [] };

/** Puts all mutants of the files into a copy of the project, each behind a switch. They have the same IDs in each copy. */
export async function instrument(copy: string, files: string[]): Promise<Mutant[]> {
	const { Instrumenter } = await import('@stryker-mutator/instrumenter');
	const sources = [];
	for (const file of files) {
		const name = join(copy, file);
		sources.push({ name, mutate: true, content: await readFile(name, 'utf8') });
	}
	const result = await new Instrumenter(logger).instrument(sources, options);
	const prelude = createPrelude(copy);
	for (const { name, content } of result.files) await writeFile(name, `${prelude}${content}`);
	return result.mutants.map((mutant) => ({ ...mutant, fileName: relative(copy, mutant.fileName) }));
}
