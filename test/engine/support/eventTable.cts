interface Row {
	event: string;
	scenario: string;
	expected: string;
	emitted: string;
}

const shown = (polls: unknown[][]) =>
	polls
		.map((names) => {
			if (names.length === 0) return '-';
			return names.length > 3 ? `${names.length} events` : names.join(' ');
		})
		.join('; ');

/** Collects the expected and emitted items of each poll, and prints them as a table after the tests. */
export function eventTable(title: string): {
	add(event: string, scenario: string, expected: unknown[][], emitted: unknown[][]): void;
} {
	const rows: Row[] = [];
	afterAll(() => {
		const header: Row = {
			event: 'Event',
			scenario: 'Scenario',
			expected: 'Expected, by poll',
			emitted: 'Emitted, by poll',
		};
		const keys = Object.keys(header) as Array<keyof Row>;
		const widths = keys.map((key) => Math.max(...[header, ...rows].map((row) => row[key].length)));
		const line = (row: Row) =>
			`| ${keys.map((key, column) => row[key].padEnd(widths[column])).join(' | ')} |`;
		const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
		const lines = [title, line(header), rule, ...rows.map(line)];
		process.stdout.write(`\n${lines.join('\n')}\n`);
	});
	return {
		add(event, scenario, expected, emitted) {
			rows.push({ event, scenario, expected: shown(expected), emitted: shown(emitted) });
		},
	};
}
