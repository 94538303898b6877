import { getMaxRequests, getMedianSeconds, getMemoryGrowth, type Case } from './measurements.cts';

/** A promised limit for a figure. */
export interface Expectation {
	title: string;
	/** Undefined when it can't be measured, such as memory on other systems than Linux. */
	value: number | undefined;
	max: number;
	unit?: 'MB';
}

export interface ScenarioResult {
	title: string;
	/** How it was measured. */
	note: string;
	header: string[];
	rows: string[][];
	expectations: Expectation[];
}

const MEGABYTE = 1e6;

/** The columns of `toRow`. */
export const CASE_HEADER = [
	'',
	'Time (median)',
	'Time, all rounds',
	'Memory over baseline (median)',
	'Requests',
];

export function toRow(title: string, measured: Case, baseline: Case): string[] {
	const growth = getMemoryGrowth(measured, baseline);
	return [
		title,
		formatSeconds(getMedianSeconds(measured)),
		measured.samples.map((sample) => sample.seconds.toFixed(2)).join(', '),
		growth === undefined ? '' : formatMegabytes(growth),
		String(getMaxRequests(measured) ?? ''),
	];
}

/** @returns undefined when one of the figures is missing */
export function getRatio(one: number | undefined, other: number | undefined): number | undefined {
	return one === undefined || other === undefined || other <= 0 ? undefined : one / other;
}

export function formatMegabytes(bytes: number): string {
	return `${Math.round(bytes / MEGABYTE)} MB`;
}

export function formatSeconds(value: number): string {
	return `${value.toFixed(2)} s`;
}

/** Formats a size for a title: 5 MB, 1,000 MB. */
export function formatSize(bytes: number): string {
	return `${(bytes / MEGABYTE).toLocaleString('en', { maximumFractionDigits: 1 })} MB`;
}

/** @returns undefined when the value was not measured */
export function isMet({ value, max }: Expectation): boolean | undefined {
	return value === undefined ? undefined : value <= max;
}

/** Returns the report in Markdown: the machine, a table for each scenario, and the expectations. */
export async function createReport(machine: string, results: ScenarioResult[]): Promise<string> {
	// tsx can load an ES module such as markdown-table only with import().
	const { markdownTable } = await import('markdown-table');
	const toTable = (table: string[][]) =>
		markdownTable(table, { align: ['l', ...table[0].slice(1).map(() => 'r')] });
	const verdicts = results.flatMap(({ expectations }) => expectations.map(toVerdict));
	return [
		`Measured on ${machine}.`,
		...results.flatMap(({ title, note, header, rows }) => [
			`### ${title}`,
			note,
			toTable([header, ...rows]),
		]),
		'### Expectations',
		toTable([['Expectation', 'Measured', ''], ...verdicts]),
		'',
	].join('\n\n');
}

function toVerdict(expectation: Expectation): string[] {
	const { title, value, max, unit } = expectation;
	const format = (figure: number) =>
		unit === 'MB' ? formatMegabytes(figure) : figure.toFixed(max < 1.01 && max > 1 ? 4 : 2);
	const met = isMet(expectation);
	return [
		`${title}: at most ${unit === 'MB' ? formatMegabytes(max) : max}`,
		value === undefined ? 'not measured' : format(value),
		met === undefined ? '' : met ? 'PASS' : 'MISS',
	];
}
