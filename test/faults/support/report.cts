import { getErrorItems, type FaultRun, type Outcome } from './matrix.cts';

interface Row {
	cases: number;
	requests: number;
	retries: number;
	succeeded: number;
	failed: number;
	lost: number;
	duplicates: number;
}

const emptyRow = (): Row => ({
	cases: 0,
	requests: 0,
	retries: 0,
	succeeded: 0,
	failed: 0,
	lost: 0,
	duplicates: 0,
});

/** Counts the results of all executions by fault, as a table. */
export class Report {
	private readonly rows = new Map<string, Row>();

	/** Counts one execution. */
	add({ fault, operation }: FaultRun, { result, arranged, requests, effects, targets }: Outcome) {
		const row = this.rows.get(fault.name) ?? emptyRow();
		this.rows.set(fault.name, row);
		row.cases += 1;
		row.requests += requests.length;
		const items = result.items.length + result.errorItems.length;
		const errors = getErrorItems(result).length;
		const inputs = operation.combined === true ? 1 : arranged.items.length;
		row.succeeded += items - errors;
		row.failed += errors + (result.error === undefined ? 0 : 1);
		row.retries += Math.max(0, targets.length - (operation.shared || operation.combined ? 1 : 2));
		if (result.error === undefined && operation.use !== 'list' && items < inputs) row.lost += 1;
		if (operation.creates === true && effects?.some((count) => count > 1)) row.duplicates += 1;
	}

	/** The sum of all rows. */
	total(): Row {
		const total = emptyRow();
		for (const row of this.rows.values()) {
			for (const key of Object.keys(total) as Array<keyof Row>) total[key] += row[key];
		}
		return total;
	}

	/** The table: one line for each fault and one for the total. */
	toString(): string {
		const keys = Object.keys(emptyRow()) as Array<keyof Row>;
		const line = (name: string, row: Row) =>
			[name.padEnd(46), ...keys.map((key) => String(row[key]).padStart(10))].join('');
		return [
			['fault'.padEnd(46), ...keys.map((key) => key.padStart(10))].join(''),
			...[...this.rows].map(([name, row]) => line(name, row)),
			line('all', this.total()),
		].join('\n');
	}
}
