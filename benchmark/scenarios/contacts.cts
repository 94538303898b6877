import { measureWorkflows } from '../measure.cts';
import {
	CASE_HEADER,
	formatNumber,
	toRow,
	type Expectation,
	type ScenarioResult,
} from '../report.cts';
import type { ScenarioContext } from '../run.cts';
import { writeContacts } from '../data.cts';
import * as build from '../workflows.cts';

/** The most of the HTTP Request node's time, processor time and memory, for thousands of contacts and for fewer. */
const MANY = 10_000;
const MAX_RATIO = { many: 0.65, fewer: 0.8 };
/** The most of its own time with one more expression. */
const MAX_MORE = 1.15;
const MAX_REQUESTS = 1.001;

/** Updates many contacts with one request each. */
export async function contacts(context: ScenarioContext): Promise<ScenarioResult> {
	const { n8n, service } = context.environment;
	const rows: string[][] = [];
	const expectations: Expectation[] = [];
	for (const count of context.settings.items) {
		const csv = await writeContacts(n8n.files, `contacts-${count}`, count);
		const userId = `={{ $json.email ? '${service.userId}' : '' }}`;
		const workflows = {
			idle: build.buildIdleWorkflow(),
			baseline: build.buildCsvWorkflow(csv),
			own: build.buildCsvWorkflow(csv, build.createOwnUpdateNode()),
			more: build.buildCsvWorkflow(csv, build.createOwnUpdateNode({ userId })),
			http: build.buildCsvWorkflow(csv, build.createHttpUpdateNode(service)),
		};
		const check = async (name: keyof typeof workflows) => {
			if (name === 'idle' || name === 'baseline') return;
			const { done } = service.countRequests();
			if (done < count) throw new Error(`The service did ${done} of ${count} updates.`);
		};
		const title = `${formatNumber(count)} contacts`;
		const cases = await measureWorkflows(context, title, workflows, { check });
		const { own, more, http, baseline, idle } = cases;
		// The processor time is without the CSV file, the memory with it.
		const start = { ...baseline, peakBytes: idle.peakBytes };
		rows.push(
			toRow(`This node, ${title}`, own, start),
			toRow(`This node with one more expression in Options, ${title}`, more, start),
			toRow(`HTTP Request node, ${title}`, http, start),
		);
		const subject = `of ${title}, relative to the HTTP Request node`;
		const max = count >= MANY ? MAX_RATIO.many : MAX_RATIO.fewer;
		const toRatio = (figure: 'processorSeconds' | 'peakBytes') =>
			(own[figure] - start[figure]) / (http[figure] - start[figure]);
		expectations.push(
			[`Time ${subject}`, own.seconds / http.seconds, max],
			[`Processor time ${subject}`, toRatio('processorSeconds'), max],
			[`Memory ${subject}`, toRatio('peakBytes'), max],
			[`Time of ${title} with one more expression`, more.seconds / own.seconds, MAX_MORE],
			[`Requests per contact, ${title}`, own.requests / count, MAX_REQUESTS],
		);
	}
	return {
		title: 'Contact updates',
		note: "Each row of a CSV file is one PATCH with four expressions. Both nodes use this package's credential and their default settings: this node sends five requests at a time, the HTTP Request node all at once (its Batching option only adds pauses). The processor time is that of n8n without its start and the CSV file, the memory that over an idle n8n.",
		header: CASE_HEADER,
		rows,
		expectations,
	};
}
