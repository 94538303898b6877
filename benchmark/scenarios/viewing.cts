import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRunFolder, projectRoot } from '../../tools/project.cts';
import { getMedian } from '../measure.cts';
import { formatSize, type ScenarioResult } from '../report.cts';
import type { ScenarioContext } from '../run.cts';
import { getViewingProgram } from './viewingProgram.cts';

const DOTS_PER_INCH = '110';

/** Measures pages as pictures: how soon the first one is there, what each takes, and what many people take. */
export async function viewing({
	settings: { rounds },
}: Pick<ScenarioContext, 'settings'>): Promise<ScenarioResult> {
	const folder = await createRunFolder('bench-viewing');
	const path = join(folder, 'pages.pdf');
	await writeFile(path, await createDocument());
	const first: number[] = [];
	const ours: number[] = [];
	const theirs: number[] = [];
	const peaks: number[] = [];
	for (let round = 0; round < rounds; round += 1) {
		const measured = run('pages', path);
		first.push(measured.firstSeconds);
		ours.push(measured.pageSeconds);
		peaks.push(measured.peak);
		theirs.push(measurePdftocairo(path, folder));
	}
	const crowd = run('crowd', path);
	const ratio = getMedian(ours) / getMedian(theirs);
	return {
		title: 'Pages as pictures',
		note: 'A PDF of 300 pages of text, each with a mark. The first page is that of a process that has shown none before. The processor time is the mean of twenty pages; pdftocairo draws the same ones at the same size, all in one process. Fifty people turn a page every five seconds, in ten documents; the answers of others wait as long as the main thread does.',
		header: ['', 'Median', 'All rounds'],
		rows: [
			toRow('First page of 300', first),
			toRow('Processor time of a page', ours),
			toRow('Processor time of a page, pdftocairo (if it is installed)', theirs),
			toRow('Memory, one document', peaks, formatSize),
			toRow('Fifty people: a page (p95)', [crowd.waitSeconds]),
			toRow('Fifty people: answers of others wait (p95)', [crowd.lagSeconds]),
			toRow('Fifty people: memory', [crowd.peak], formatSize),
		],
		expectations: [
			['Seconds until the first page', getMedian(first), 0.4],
			['Processor time of a page, relative to pdftocairo', ratio, 1],
			['Fifty people: seconds until a page (p95)', crowd.waitSeconds, 3],
			['Fifty people: seconds that others wait (p95)', crowd.lagSeconds, 0.1],
			['Fifty people: pages that were refused', crowd.refused, 0],
			['Fifty people: memory', crowd.peak, 700e6, 'MB'],
		],
	};
}

const formatMilliseconds = (seconds: number) =>
	Number.isNaN(seconds) ? '' : `${(seconds * 1000).toFixed(0)} ms`;

const toRow = (title: string, values: number[], format = formatMilliseconds): string[] => [
	title,
	format(getMedian(values)),
	values.map(format).join(', '),
];

/** 300 pages of text. */
export async function createDocument(): Promise<Buffer> {
	const { createPdf, toTextContent } = await import('../../service/test/support/pdf.mts');
	const line = 'The quick brown fox jumps over the lazy dog, and reads what it has to read there.';
	const lines = Array.from({ length: 45 }, () => line);
	const pages = Array.from({ length: 300 }, (_, page) => ({
		content: toTextContent(`Page ${page + 1}`, ...lines),
	}));
	return createPdf(pages);
}

function run(program: 'pages' | 'crowd', path: string): Record<string, number> {
	const module = join(projectRoot, 'service', 'dist', 'viewing', 'viewing.mjs');
	const args = [...getViewingProgram(program), module, path];
	return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}

/** @returns the seconds for a page; NaN where it isn't installed */
function measurePdftocairo(path: string, folder: string): number {
	const options = `-png -r ${DOTS_PER_INCH} -f 2 -l 21`;
	const script = `command -v pdftocairo || exit 0; pdftocairo ${options} "$0" "$1" && times`;
	const args = ['-c', script, path, join(folder, 'page')];
	const printed = execFileSync('sh', args, { encoding: 'utf8' });
	const times = [...printed.matchAll(/(\d+)m([\d.]+)s/g)];
	const seconds = times.map(([, minutes, rest]) => Number(minutes) * 60 + Number(rest));
	// The first two are those of the shell itself.
	return (seconds[2] + seconds[3]) / 20;
}
