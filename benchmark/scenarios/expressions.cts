import { join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import { getMedianSeconds, measureRounds } from '../measurements.cts';
import { formatSeconds, getRatio, type ScenarioResult } from '../report.cts';
import { writeContacts } from '../testFiles.cts';
import { buildCsvWorkflow, createHttpRequestNode, createOwnNode } from '../workflows.cts';
import type { ScenarioContext } from './scenario.cts';

const ITEMS = 1000;
/** The most that an expression in an option or in the container may take of one in any other field. */
const MAX_RATIO = 1.4;
const COLUMNS = ['first_name', 'last_name', 'company', 'phone_number'];
/** How often n8n evaluates an expression in a list of fields; the node does it once (evaluations.test.cts). */
const BY_N8N = 4;

/** Measures what expressions cost, by where they are. */
export async function expressions(context: ScenarioContext): Promise<ScenarioResult> {
	const { environment, settings, progress } = context;
	const { n8n, sandbox } = environment;
	const csv = join(n8n.files, 'expressions.csv');
	await writeContacts(csv, ITEMS);
	const [{ uuid }] = await sandbox.addContainers([{}]);
	const nodes = createNodes(sandbox, uuid);
	const workflows = {
		baseline: buildCsvWorkflow(csv),
		...Object.fromEntries(
			Object.entries(nodes).map(([name, node]) => [name, buildCsvWorkflow(csv, node)]),
		),
	} as Record<keyof typeof nodes | 'baseline', ReturnType<typeof buildCsvWorkflow>>;
	await n8n.importWorkflows(Object.values(workflows));
	const run = (name: keyof typeof workflows) => async () => {
		const sample = await environment.measure(workflows[name].id);
		// The time of the processor depends less on what else the machine does.
		return { ...sample, seconds: sample.processorSeconds ?? sample.seconds };
	};
	const cases = await measureRounds(
		settings.rounds,
		{
			baseline: run('baseline'),
			fixed: run('fixed'),
			field: run('field'),
			option: run('option'),
			fixedContainer: run('fixedContainer'),
			container: run('container'),
			fixedList: run('fixedList'),
			list: run('list'),
			http: run('http'),
		},
		(name, round) => progress.log(`Expressions, round ${round}: ${name}`),
	);
	type Name = keyof typeof cases;
	const start = getMedianSeconds(cases.baseline);
	const seconds = (name: Name) => getMedianSeconds(cases[name]) - start;
	const relative = (name: Name, base: Name) => getRatio(seconds(name), seconds(base));
	const floor = seconds('fixedList') + ((seconds('list') - seconds('fixedList')) * BY_N8N) / 5;
	const toRow = (title: string, name: Name, base: Name) => [
		title,
		formatSeconds(seconds(name)),
		cases[name].samples.map((sample) => (sample.seconds - start).toFixed(2)).join(', '),
		relative(name, base)?.toFixed(2) ?? '',
	];
	const http = seconds('http');
	return {
		title: `Expressions in ${ITEMS.toLocaleString('en')} items`,
		note: `Processor time of n8n, without its start and the CSV file. n8n evaluates each expression of a declarative node twice before the node runs, and ${BY_N8N} times in a list of fields; the node evaluates it once more. The last column compares with one expression in a field, with a fixed container, and with the HTTP Request node.`,
		header: ['', 'Processor time (median)', 'All rounds', 'Relative'],
		rows: [
			toRow('Encode without expressions', 'fixed', 'field'),
			toRow('Encode, one expression in a field', 'field', 'field'),
			toRow('Encode, one expression in Options', 'option', 'field'),
			toRow('Get, a fixed container', 'fixedContainer', 'fixedContainer'),
			toRow('Get, the container by expression', 'container', 'fixedContainer'),
			toRow('Create or Update, four fixed fields', 'fixedList', 'http'),
			toRow('Create or Update, four expressions', 'list', 'http'),
			[
				"The same without the node's own evaluation: n8n's floor",
				formatSeconds(floor),
				'',
				getRatio(floor, http)?.toFixed(2) ?? '',
			],
			toRow('HTTP Request node, four expressions', 'http', 'http'),
		],
		expectations: [
			{
				title: 'Time with an expression in Options, relative to one in a field',
				value: relative('option', 'field'),
				max: MAX_RATIO,
			},
			{
				title: 'Time with the container by expression, relative to a fixed one',
				value: relative('container', 'fixedContainer'),
				max: MAX_RATIO,
			},
		],
	};
}

function createNodes({ url, user }: { url: string; user: { id: string } }, uuid: string) {
	const userId = user.id;
	const encode = (own: INodeParameters) =>
		createOwnNode({
			resource: 'container',
			operation: 'encode',
			fileSource: 'text',
			textContent: 'x',
			name: 'Benchmark',
			recipients: 'anna@example.com',
			options: { userId },
			...own,
		});
	const get = (value: string) =>
		createOwnNode({
			resource: 'container',
			operation: 'get',
			containerId: { __rl: true, mode: 'id', value },
		});
	const upsert = (toValue: (column: string) => string) =>
		createOwnNode({
			resource: 'contact',
			operation: 'upsert',
			email: 'anna@example.com',
			fieldsUi: { fields: COLUMNS.map((name) => ({ name, value: toValue(name) })) },
			options: { userId },
		});
	return {
		fixed: encode({}),
		field: encode({ recipients: '={{ $json.email }}' }),
		option: encode({ options: { userId: `={{ "${userId}" }}` } }),
		fixedContainer: get(uuid),
		container: get(`={{ "${uuid}" }}`),
		fixedList: upsert((column) => column),
		list: upsert((column) => `={{ $json.${column} }}`),
		http: createHttpRequestNode('own', {
			method: 'PATCH',
			url: `${url}/users/${userId}/contacts/anna%40example.com`,
			sendBody: true,
			bodyParameters: {
				parameters: COLUMNS.map((name) => ({ name, value: `={{ $json.${name} }}` })),
			},
		}),
	};
}
