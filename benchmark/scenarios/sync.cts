import { measureWorkflows } from '../measure.cts';
import { CASE_HEADER, formatNumber, toRow, type ScenarioResult } from '../report.cts';
import type { ScenarioContext } from '../run.cts';
import { createContacts, writeContacts } from '../data.cts';
import * as build from '../workflows.cts';

/** How many contacts differ from the table, are new, and are missing from it. */
const CHANGED = 20;
const CREATED = 10;
const MISSING = 10;

/** Entries of a page. */
const PAGE = 100;

/** The HTTP Request node gets so many times fewer contacts: it sends all of them, and needs memory for each. */
const HTTP_SHARE = 10;

const MAX_TIME = 0.75;
const MAX_MEMORY = 0.6;

/** Makes the service's contacts match a table that hardly differs. */
export async function sync(context: ScenarioContext): Promise<ScenarioResult> {
	const { environment, settings } = context;
	const { n8n, service, prepare } = environment;
	const [ownCount, httpCount] = [settings.synced, Math.ceil(settings.synced / HTTP_SHARE)];
	const ownCsv = await writeContacts(n8n.files, 'own', ownCount);
	const httpCsv = await writeContacts(n8n.files, 'http', httpCount);
	const workflows = {
		ownBaseline: build.buildCsvWorkflow(ownCsv),
		own: build.buildCsvWorkflow(ownCsv, build.createSyncNode({ deleteMissing: true })),
		httpBaseline: build.buildCsvWorkflow(httpCsv),
		http: build.buildCsvWorkflow(httpCsv, build.createHttpUpdateNode(service)),
	};
	const before = async (name: keyof typeof workflows) =>
		await prepare({ contacts: createStored(name.startsWith('own') ? ownCount : httpCount) });
	const cases = await measureWorkflows(context, 'Contact sync', workflows, { before });
	await prepare();
	const { own, http, ownBaseline, httpBaseline } = cases;
	const toRatio = (ownFigure: number, httpFigure: number) =>
		ownFigure / ownCount / (httpFigure / httpCount);
	const ownBytes = own.peakBytes - ownBaseline.peakBytes;
	const httpBytes = http.peakBytes - httpBaseline.peakBytes;
	const changes = CHANGED + CREATED + MISSING;
	const relative = 'of a sync, relative to the HTTP Request node';
	return {
		title: 'Contact sync',
		note: `A table of which ${CHANGED} contacts differ, ${CREATED} are new and ${MISSING} are missing. This node reads the list and sends the ${changes} changes. The HTTP Request node can't compare: it sends each row, deletes nothing, and gets a tenth of the contacts, because it needs memory for each request. The ratios are for the same number of contacts.`,
		header: CASE_HEADER,
		rows: [
			toRow(`This node, ${formatNumber(ownCount)} contacts`, own, ownBaseline),
			toRow(`HTTP Request node, ${formatNumber(httpCount)} contacts`, http, httpBaseline),
		],
		expectations: [
			[`Time ${relative}`, toRatio(own.seconds, http.seconds), MAX_TIME],
			[`Memory ${relative}`, toRatio(ownBytes, httpBytes), MAX_MEMORY],
			[
				`Requests of a sync of ${formatNumber(ownCount)} contacts`,
				own.requests,
				1 + Math.ceil(ownCount / PAGE) + changes,
			],
		],
	};
}

/** What the service holds before: the table of yesterday. */
function createStored(count: number) {
	const kept = createContacts(count).slice(CREATED);
	const stored = kept.map(({ email, ...fields }, index) => ({
		email,
		fields: index < CHANGED ? { ...fields, company: 'Old' } : fields,
	}));
	const missing = Array.from({ length: MISSING }, (_, index) => ({
		email: `missing-${index}@example.com`,
		fields: { first_name: 'Missing' },
	}));
	return [...stored, ...missing];
}
