import { FINDINGS } from './findings.cts';
import { readOpenPoints } from './openPoints.cts';
import type { Redactor } from './redactor.cts';
import { Seen } from './seen.cts';
import type { Owned, Step } from './walk.cts';

/** The table of all open points, as Markdown, with nothing in it that identifies the service. */
export async function createReport(
	steps: Step[],
	owned: Owned,
	redactor: Redactor,
): Promise<string> {
	// tsx can load an ES module such as markdown-table only with import().
	const { markdownTable } = await import('markdown-table');
	const seen = new Seen(steps);
	const rows = readOpenPoints().map(({ id, node }) => {
		const finding = FINDINGS[id]?.(seen, owned) ?? { service: 'No check for this point yet' };
		const cells = [id, finding.service, finding.node ?? `By the contract: ${node}`];
		return cells.map((cell) => redactor.text(cell).replace(/\s+/g, ' ').replace(/\|/g, '\\|'));
	});
	const table = [['Open point', 'This service', 'What the node makes of it'], ...rows];
	return markdownTable(table, { alignDelimiters: false });
}
