import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { FileSource } from '../../service/src/viewing/openDocument.mts' with {
	'resolution-mode': 'import',
};
import type { Viewing } from '../../service/src/viewing/viewing.mts' with {
	'resolution-mode': 'import',
};

const MARK = ['anna@example.com', '28 November 2026, 14:05 CET', '3f2a9c1e'];
const RECIPIENTS = 50;
const DOCUMENTS = 10;
const TURN_MS = 5000;

/** The arguments with which Node.js runs one of the programs in this file. The module of the pages and a PDF follow. */
export const getViewingProgram = (name: keyof typeof PROGRAMS) =>
	['--require', require.resolve('tsx/cjs'), __filename].concat(name);

const PROGRAMS = { pages, crowd };

type Program = (viewing: Viewing, source: FileSource) => Promise<object>;

const getProcessorSeconds = () => {
	const { user, system } = process.cpuUsage();
	return (user + system) / 1e6;
};

/** The first page of a document, in a process that has shown nothing before, and twenty more. */
async function pages(viewing: Viewing, source: FileSource) {
	const view = { key: 'file', client: 'anna', source };
	const idle = process.memoryUsage.rss();
	const start = performance.now();
	await viewing.render(view, { page: 1, size: 'fit', mark: MARK });
	const firstSeconds = (performance.now() - start) / 1000;
	const before = getProcessorSeconds();
	for (let page = 2; page <= 21; page += 1) {
		await viewing.render(view, { page, size: 'fit', mark: MARK });
	}
	const pageSeconds = (getProcessorSeconds() - before) / 20;
	return { firstSeconds, pageSeconds, idle, peak: process.resourceUsage().maxRSS * 1024 };
}

/** Fifty people turn a page every five seconds for a minute, in ten documents. */
async function crowd(viewing: Viewing, source: FileSource) {
	const lag = monitorEventLoopDelay({ resolution: 5 });
	lag.enable();
	const waits: number[] = [];
	let refused = 0;
	const read = async (person: number) => {
		const view = { key: `file ${person % DOCUMENTS}`, client: `person ${person}`, source };
		await delay((TURN_MS * person) / RECIPIENTS);
		for (let page = 1; page <= 12; page += 1) {
			const start = performance.now();
			await viewing.render(view, { page, size: 'fit', mark: MARK }).catch(() => (refused += 1));
			const wait = performance.now() - start;
			waits.push(wait / 1000);
			await delay(Math.max(TURN_MS - wait, 0));
		}
	};
	await Promise.all(Array.from({ length: RECIPIENTS }, (_, person) => read(person)));
	waits.sort((a, b) => a - b);
	const waitSeconds = waits[Math.floor(0.95 * waits.length)];
	const lagSeconds = lag.percentile(95) / 1e9;
	return { waitSeconds, lagSeconds, refused, peak: process.resourceUsage().maxRSS * 1024 };
}

async function main([name, module, path]: string[]): Promise<void> {
	const { createViewing } = await import(pathToFileURL(module).href);
	const content = readFileSync(path);
	const read = async (offset: number, length: number) => content.subarray(offset, offset + length);
	const viewing: Viewing = createViewing();
	const program: Program = PROGRAMS[name as keyof typeof PROGRAMS];
	const source = { name: 'file.pdf', type: 'application/pdf', size: content.length, read };
	process.stdout.write(JSON.stringify(await program(viewing, source)));
	await viewing.close();
}

if (require.main === module) void main(process.argv.slice(2));
