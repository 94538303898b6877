import { buildWorkflow, START } from '../../tools/realN8n/workflow.cts';
import { step } from '../../tools/tool.cts';
import { copyRow, countContainers, restoreContainers, saveContainers } from '../database.cts';
import { measureWorkflows } from '../measure.cts';
import { CASE_HEADER, formatNumber, toRow, type ScenarioResult } from '../report.cts';
import type { ScenarioContext } from '../run.cts';
import * as build from '../workflows.cts';

/** How many containers name the leaver. */
const NAMED = 50;
const FEW = 100;
/** How much longer it takes among many containers. */
const MAX_TIME = 1.5;
const LEAVER = 'leaver@example.com';
const READER = 'reader@example.com';

/** Removes a person from the same number of containers, among few and among many. */
export async function leaver(context: ScenarioContext): Promise<ScenarioResult> {
	const { environment, settings } = context;
	const { service, client, prepare } = environment;
	const addContainers = async (count: number) => {
		await prepare();
		await client.addContainer({ rules: { recipients: [READER] } });
		copyRow(service.data, 'containers', count - NAMED - 1);
		const rules = { recipients: [LEAVER, READER] };
		for (let added = 0; added < NAMED; added += 1) await client.addContainer({ rules });
		saveContainers(service.data);
	};
	const remove = { resource: 'drm', operation: 'removeEverywhere', email: LEAVER, dryRun: false };
	const measure = async (count: number) => {
		await step(
			`Creating ${formatNumber(count)} containers`,
			async () => await addContainers(count),
		);
		const own = buildWorkflow([START, build.createOwnNode(remove)]);
		const before = async () => restoreContainers(service.data);
		const check = async (name: string) => {
			const left = countContainers(service.data, LEAVER);
			if (left !== (name === 'idle' ? NAMED : 0)) throw new Error(`${left} are as before.`);
		};
		const workflows = { idle: build.buildIdleWorkflow(), own };
		const title = `A leaver among ${formatNumber(count)} containers`;
		return await measureWorkflows(context, title, workflows, { before, check });
	};
	const few = await measure(FEW);
	const many = await measure(settings.among);
	await prepare();
	const toTitle = (count: number) => `Removed from ${NAMED} of ${formatNumber(count)} containers`;
	return {
		title: 'A leaver among many containers',
		note: `The service finds the ${NAMED} containers by recipient. The node reads the rules of these, and changes them.`,
		header: CASE_HEADER,
		rows: [
			toRow(toTitle(FEW), few.own, few.idle),
			toRow(toTitle(settings.among), many.own, many.idle),
		],
		expectations: [
			[
				`Time to remove a leaver from ${NAMED} of ${formatNumber(settings.among)} containers, relative to ${formatNumber(FEW)}`,
				many.own.seconds / few.own.seconds,
				MAX_TIME,
			],
			['Requests among many containers, relative to few', many.own.requests / few.own.requests, 1],
		],
	};
}
