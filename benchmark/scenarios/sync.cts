import { join } from 'node:path';
import {
	getMaxRequests,
	getMedianSeconds,
	getMemoryGrowth,
	measureRounds,
} from '../measurements.cts';
import { CASE_HEADER, getRatio, toRow, type ScenarioResult } from '../report.cts';
import { createContacts, writeContacts } from '../testFiles.cts';
import { buildCsvWorkflow, createOwnNode } from '../workflows.cts';
import { createHttpUpdateNode, formatNumber } from './contacts.cts';
import type { ScenarioContext } from './scenario.cts';

/** How many contacts differ from the table, are new, and are missing from it. */
const CHANGED = 20;
const CREATED = 10;
const MISSING = 10;

/** The HTTP Request node gets so many times fewer contacts: it sends all of them, and needs memory for each. */
const HTTP_SHARE = 10;

const MAX_TIME = 0.75;
const MAX_MEMORY = 0.6;
const PER_CONTACTS = 1000;

/** Makes the service's contacts match a table that hardly differs. */
export async function sync(context: ScenarioContext): Promise<ScenarioResult> {
	const { environment, settings, progress } = context;
	const { n8n, sandbox } = environment;
	const counts = { own: settings.synced, http: Math.ceil(settings.synced / HTTP_SHARE) };
	const files = {
		own: join(n8n.files, `table-${counts.own}.csv`),
		http: join(n8n.files, `table-${counts.http}.csv`),
	};
	await writeContacts(files.own, counts.own);
	await writeContacts(files.http, counts.http);
	const workflows = {
		ownBaseline: buildCsvWorkflow(files.own),
		own: buildCsvWorkflow(
			files.own,
			createOwnNode({
				resource: 'contact',
				operation: 'sync',
				email: '={{ $json.email }}',
				dataToSend: 'autoMapInputData',
				deleteMissing: true,
			}),
		),
		httpBaseline: buildCsvWorkflow(files.http),
		http: buildCsvWorkflow(files.http, createHttpUpdateNode(sandbox)),
	};
	await n8n.importWorkflows(Object.values(workflows));
	const run = (name: keyof typeof workflows, count: number) => async () => {
		await sandbox.reset();
		await sandbox.settings({ record: 'counts' });
		await sandbox.addContacts(createStored(count));
		return await environment.measure(workflows[name].id);
	};
	const { own, http, ownBaseline, httpBaseline } = await measureRounds(
		settings.rounds,
		{
			ownBaseline: run('ownBaseline', counts.own),
			own: run('own', counts.own),
			httpBaseline: run('httpBaseline', counts.http),
			http: run('http', counts.http),
		},
		(name, round) => progress.log(`Contact sync, round ${round}: ${name}`),
	);
	await sandbox.reset();
	const perContacts = (value: number | undefined, count: number) =>
		value === undefined ? undefined : (value / count) * PER_CONTACTS;
	return {
		title: 'Contact sync',
		note: `A table of which ${CHANGED} contacts differ, ${CREATED} are new and ${MISSING} are missing. This node reads the list and sends the ${CHANGED + CREATED + MISSING} changes. The HTTP Request node can't compare: it sends each row, deletes nothing, and gets a tenth of the contacts, because it needs memory for each request. The ratios are for ${formatNumber(PER_CONTACTS)} contacts.`,
		header: CASE_HEADER,
		rows: [
			toRow(`This node, ${formatNumber(counts.own)} contacts`, own, ownBaseline),
			toRow(`HTTP Request node, ${formatNumber(counts.http)} contacts`, http, httpBaseline),
		],
		expectations: [
			{
				title: 'Time of a sync, relative to the HTTP Request node',
				value: getRatio(
					perContacts(getMedianSeconds(own), counts.own),
					perContacts(getMedianSeconds(http), counts.http),
				),
				max: MAX_TIME,
			},
			{
				title: 'Memory of a sync, relative to the HTTP Request node',
				value: getRatio(
					perContacts(getMemoryGrowth(own, ownBaseline), counts.own),
					perContacts(getMemoryGrowth(http, httpBaseline), counts.http),
				),
				max: MAX_MEMORY,
			},
			{
				title: `Requests of a sync of ${formatNumber(counts.own)} contacts`,
				value: getMaxRequests(own),
				max: 2 + CHANGED + CREATED + MISSING,
			},
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
