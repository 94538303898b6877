import { growthOf, mostRequestsOf, secondsOf, type Case } from './samples.cts';

/** A promise about a figure, and what the figure is. */
export interface Expectation {
	text: string;
	/** Undefined where it could not be measured: memory, elsewhere than on Linux. */
	value: number | undefined;
	most: number;
	unit?: 'MB';
}

/** What one part of the benchmark found. */
export interface PartResult {
	title: string;
	/** How it was measured, in one or two sentences. */
	note: string;
	header: string[];
	rows: string[][];
	expectations: Expectation[];
}

const MEGABYTE = 1e6;

/** The columns of `rowOf`. */
export const CASE_HEADER = [
	'',
	'Time (median)',
	'Time, all rounds',
	'Memory over idle (median)',
	'Requests',
];

/** A row about one case: median and all times, memory over the idle case, requests. */
export function rowOf(name: string, one: Case, idle: Case | undefined): string[] {
	const growth = idle === undefined ? undefined : growthOf(one, idle);
	return [
		name,
		seconds(secondsOf(one)),
		one.samples.map((sample) => sample.seconds.toFixed(2)).join(', '),
		growth === undefined ? '' : megabytes(growth),
		String(mostRequestsOf(one) ?? ''),
	];
}

/** How large one figure is of another; undefined where one is. */
export function ratio(one: number | undefined, other: number | undefined): number | undefined {
	return one === undefined || other === undefined || other <= 0 ? undefined : one / other;
}

export function megabytes(bytes: number): string {
	return `${Math.round(bytes / MEGABYTE)} MB`;
}

export function seconds(value: number): string {
	return `${value.toFixed(2)} s`;
}

/** A size as a person writes it: 5 MB, 1,000 MB. */
export function size(bytes: number): string {
	return `${(bytes / MEGABYTE).toLocaleString('en', { maximumFractionDigits: 1 })} MB`;
}

export function isMet({ value, most }: Expectation): boolean | undefined {
	return value === undefined ? undefined : value <= most;
}

/** The whole report in Markdown: the machine, a table for each part, and what was expected. */
export function markdown(machine: string, results: PartResult[]): string {
	const verdicts = results.flatMap(({ expectations }) => expectations.map(verdictRow));
	return [
		`Measured on ${machine}.`,
		...results.flatMap(({ title, note, header, rows }) => [
			`### ${title}`,
			note,
			table([header, ...rows]),
		]),
		'### Expectations',
		table([['Expectation', 'Measured', ''], ...verdicts]),
		'',
	].join('\n\n');
}

function verdictRow(expectation: Expectation): string[] {
	const { text, value, most, unit } = expectation;
	const show = (figure: number) =>
		unit === 'MB' ? megabytes(figure) : figure.toFixed(most < 1.01 && most > 1 ? 4 : 2);
	const met = isMet(expectation);
	return [
		`${text}: at most ${unit === 'MB' ? megabytes(most) : most}`,
		value === undefined ? 'not measured' : show(value),
		met === undefined ? '' : met ? 'PASS' : 'MISS',
	];
}

/** A Markdown table whose columns also line up as plain text; figures stand to the right. */
function table([header, ...rows]: string[][]): string {
	const all = [header, ...rows];
	const widths = header.map((_, column) => Math.max(...all.map((row) => row[column].length), 3));
	const line = (cells: string[]) =>
		`| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join(' | ')} |`;
	const rule = widths.map((width, column) =>
		column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
	);
	return [line(header), line(rule), ...rows.map(line)].join('\n');
}
