import { setTimeout as delay } from 'node:timers/promises';
import { buildWorkflow, START } from '../../tools/realN8n/workflow.cts';
import { step } from '../../tools/tool.cts';
import { countContainers, restoreContainers, saveContainers } from '../database.cts';
import { measureWorkflows } from '../measure.cts';
import { CASE_HEADER, formatNumber, toRow, type ScenarioResult } from '../report.cts';
import type { ScenarioContext } from '../run.cts';
import * as build from '../workflows.cts';
import { createLoadClient } from './loadClient.cts';

/** How much slower than the HTTP Request node, which neither compares nor says what it changed. */
const MAX_TIME = 1;
const AT_ONCE = 8;
/** Between two openings. */
const PAUSE_MS = 200;
const LEAVER = 'leaver@example.com';
const READER = 'reader@example.com';

/** Checks and mends the rules of many containers, and removes a person from more, while recipients open them. */
export async function access(context: ScenarioContext): Promise<ScenarioResult> {
	const { environment, settings } = context;
	const { service, client, prepare } = environment;
	await prepare();
	const visitors = createLoadClient(service);
	const rules = { recipients: [LEAVER, READER], downloadable: true };
	const ids: string[] = [];
	const addContainers = async (count: number) =>
		await step(`Creating ${formatNumber(count)} containers`, async () => {
			const add = async () => {
				while (ids.length < count) {
					const index = ids.push('') - 1;
					ids[index] = await client.addContainer({ rules });
				}
			};
			await Promise.all(Array.from({ length: AT_ONCE }, add));
			saveContainers(service.data);
		});
	let opened = 0;
	let refused = 0;
	/** Runs workflows while somebody opens one container after the other. */
	const measure = async (
		title: string,
		own: object,
		change: string,
		done: string,
		count: number,
	) => {
		await addContainers(count);
		const workflows = {
			idle: build.buildIdleWorkflow(),
			own: buildWorkflow([START, build.createOwnNode({ resource: 'drm', ...own, dryRun: false })]),
			http: buildWorkflow([START, ...build.createHttpRulesNodes(service, change)]),
		};
		const check = async (name: keyof typeof workflows) => {
			const left = name === 'idle' ? 0 : countContainers(service.data, done);
			if (left > 0) throw new Error(`${title}: ${left} of ${count} containers are as before.`);
		};
		const before = async () => restoreContainers(service.data);
		let isRunning = true;
		const open = async () => {
			for (; isRunning; await delay(PAUSE_MS)) {
				const id = ids[opened % count];
				const statuses = await visitors.open(id, READER, '127.0.0.1');
				opened += 1;
				if (String(statuses) !== '200,303,200,200') refused += 1;
			}
		};
		const opening = open();
		const cases = await measureWorkflows(context, title, workflows, { before, check }).finally(
			() => (isRunning = false),
		);
		await opening;
		return cases;
	};
	const [checked, left] = settings.containers;
	const checkTitle = `${formatNumber(checked)} containers checked and mended`;
	const leaverTitle = `A leaver removed from ${formatNumber(left)} containers`;
	const policy = { policy: 'fields', policyFields: { forbidDownload: true }, onViolation: 'fix' };
	const checks = await measure(
		checkTitle,
		{ operation: 'check', containers: 'all', ...policy },
		'{ downloadable: false }',
		'"downloadable":true',
		checked,
	);
	const removals = await measure(
		leaverTitle,
		{ operation: 'removeEverywhere', email: LEAVER },
		`{ recipients: $json.recipients.filter((entry) => entry !== '${LEAVER}') }`,
		LEAVER,
		left,
	);
	await prepare();
	const all = { [checkTitle]: checks, [leaverTitle]: removals };
	return {
		title: 'Access to many containers',
		note: `The HTTP Request node reads the list and the rules of each container, and changes them; it doesn't compare them. Meanwhile, somebody opens one container after the other: ${formatNumber(opened)} openings.`,
		header: CASE_HEADER,
		rows: Object.entries(all).flatMap(([title, { own, http, idle }]) => [
			toRow(`This node, ${title}`, own, idle),
			toRow(`HTTP Request node, ${title}`, http, idle),
		]),
		expectations: [
			...Object.entries(all).map(([title, { own, http }]): [string, number, number] => [
				`Time, relative to the HTTP Request node: ${title}`,
				own.seconds / http.seconds,
				MAX_TIME,
			]),
			['Openings that were refused meanwhile', refused, 0],
		],
	};
}
