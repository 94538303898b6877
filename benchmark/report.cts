import type { Case } from './measure.cts';

/** A promised limit for a figure, which is NaN where it can't be measured, such as memory on other systems than Linux. */
export type Expectation = [title: string, value: number, max: number, unit?: 'MB'];

export interface ScenarioResult {
	title: string;
	/** How it was measured. */
	note: string;
	header: string[];
	rows: string[][];
	expectations: Expectation[];
}

/** The columns of `toRow`. */
export const CASE_HEADER = ['', 'Time', 'All rounds', 'Processor time', 'Memory', 'Requests'];

/** A row with medians; processor time and memory beyond those of the baseline. */
export function toRow(title: string, measured: Case, baseline: Case): string[] {
	const { seconds, rounds, requests, processorSeconds, peakBytes } = measured;
	return [
		title,
		formatSeconds(seconds),
		rounds.map((round) => round.toFixed(2)).join(', '),
		formatSeconds(processorSeconds - baseline.processorSeconds),
		formatMegabytes(peakBytes - baseline.peakBytes),
		Number.isNaN(requests) ? '' : String(requests),
	];
}

function formatMegabytes(bytes: number): string {
	return Number.isNaN(bytes) ? '' : `${Math.round(bytes / 1e6)} MB`;
}

export function formatSeconds(value: number): string {
	return Number.isNaN(value) ? '' : `${value.toFixed(2)} s`;
}

/** Formats a size for a title: 5 MB, 1,000 MB. */
export function formatSize(bytes: number): string {
	return `${(bytes / 1e6).toLocaleString('en', { maximumFractionDigits: 1 })} MB`;
}

export function formatNumber(count: number): string {
	return count.toLocaleString('en');
}

/** Returns the report in Markdown: the machine, a table for each scenario, and the expectations. */
export async function createReport(machine: string, results: ScenarioResult[]): Promise<string> {
	// tsx can load an ES module such as markdown-table only with import().
	const { markdownTable } = await import('markdown-table');
	const toTable = (table: string[][]) =>
		markdownTable(table, { align: ['l', ...table[0].slice(1).map(() => 'r')] });
	const tables = results.map(({ title, note, header, rows }) =>
		[`### ${title}`, note, toTable([header, ...rows])].join('\n\n'),
	);
	const verdicts = results.flatMap(({ expectations }) => expectations.map(toVerdict));
	const expectations = toTable([['Expectation', 'Measured', ''], ...verdicts]);
	return `Measured on ${machine}.\n\n${tables.join('\n\n')}\n\n### Expectations\n\n${expectations}\n`;
}

function toVerdict([title, value, max, unit]: Expectation): string[] {
	const digits = max < 1.01 && max > 1 ? 4 : 2;
	const format = (figure: number) =>
		unit === 'MB' ? formatMegabytes(figure) : String(Number(figure.toFixed(digits)));
	const verdict = value <= max ? 'PASS' : 'MISS';
	const [measured, met] = Number.isNaN(value) ? ['not measured', ''] : [format(value), verdict];
	return [`${title}: at most ${format(max)}`, measured, met];
}
