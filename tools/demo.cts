import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Sandbox } from '../sandbox/index.cts';
import { prepareDemoN8n, startDemoService, type DemoService } from './demoService.cts';
import { executeWorkflow } from './engine/execute.cts';
import { baseNodes, loadNodePackage } from './engine/package.cts';
import { trustCertificateAuthority } from './engine/trust.cts';
import {
	copyExampleFile,
	exampleFile,
	exampleWorkflow,
	readExamples,
	withCredentials,
	withFile,
} from './examples.cts';
import { unpackPackage } from './project.cts';
import { consoleProgress, type Progress, runTool } from './tool.cts';
import {
	buildWorkflow,
	CREDENTIAL_TYPE,
	NODE_TYPE,
	toExecution,
	type Execution,
	type WorkflowJson,
} from './realN8n/workflow.cts';

const CREDENTIAL = { id: 'sandboxCredential', name: 'Encrypted Containers API' };

/**
 * Shows the main job on this machine, against a mock of the service. First, the example workflow encrypts a PDF, and
 * the demo compares what the service received with the file. Then access ends, and the service's rules before and
 * after stand side by side. Any difference from what should be there is an error. The workflow runs in n8n's
 * execution engine from node_modules or, with --n8n, in a complete n8n, which is installed once.
 */
async function main() {
	const { values } = parseArgs({ options: { n8n: { type: 'boolean' } } });
	const progress = consoleProgress();
	const service = await startDemoService(progress);
	const { sandbox } = service;
	const example = (await readExamples()).get(exampleWorkflow) as WorkflowJson;
	const workflow = withRevocation(withCredentials(example, { [CREDENTIAL_TYPE]: CREDENTIAL }));
	const execution = await (values.n8n ? runInN8n : runInEngine)(service, workflow, progress);
	const { error } = execution;
	if (error) {
		const reasons = [error.message, error.description].filter(Boolean);
		throw new Error(`The workflow failed: ${reasons.join(' - ')}`);
	}
	await showEncryption(sandbox, execution);
	showRevocation(sandbox, execution);
	await sandbox.stop();
	print(
		'The service is a mock: it stores the file and the rules. It shows what the nodes send and what they',
		'make of the answers. Only a real service shows that it encrypts, and that it refuses a recipient.',
	);
}

/** Returns the workflow with a second act: the rules of the container before and after its access ends. */
function withRevocation(workflow: WorkflowJson): WorkflowJson {
	const encode = workflow.nodes.find(({ parameters }) => parameters.operation === 'encode');
	const last = workflow.nodes.at(-1);
	if (!encode || !last) throw new Error(`The workflow "${workflow.name}" encrypts nothing.`);
	const value = `={{ $('${encode.name}').first().json.container.uuid }}`;
	const containerId = { __rl: true, mode: 'id', value };
	const act = { 'Rules Before': 'get', 'Revoke Access': 'revoke', 'Rules After': 'get' };
	const added = buildWorkflow(
		Object.entries(act).map(([name, operation]) => ({
			name,
			type: NODE_TYPE,
			credentials: encode.credentials,
			parameters: { resource: 'drm', operation, containerId },
		})),
	);
	const toAct = { node: 'Rules Before', type: 'main' as const, index: 0 };
	const connections = { ...workflow.connections, ...added.connections };
	connections[last.name] = { main: [[toAct]] };
	return { ...workflow, nodes: [...workflow.nodes, ...added.nodes], connections };
}

/** Runs a workflow in n8n's own execution engine (n8n-core), in this process, without the rest of n8n. */
async function runInEngine(
	{ folder, tarball, sandbox }: DemoService,
	workflow: WorkflowJson,
	progress: Progress,
): Promise<Execution> {
	const title = `Running the workflow "${workflow.name}" in n8n's execution engine`;
	return await progress.step(title, async () => {
		const path = await copyExampleFile(join(folder, 'files'));
		process.env.N8N_RESTRICT_FILE_ACCESS_TO = join(folder, 'files');
		const packageFolder = join(folder, 'package');
		await unpackPackage(tarball, packageFolder);
		trustCertificateAuthority(sandbox.ca);
		const loaded = await loadNodePackage(packageFolder, baseNodes);
		const credential = { baseUrl: sandbox.url, apiKey: sandbox.apiKey };
		return toExecution(await executeWorkflow(loaded, withFile(workflow, path), credential));
	});
}

async function runInN8n(
	service: DemoService,
	workflow: WorkflowJson,
	progress: Progress,
): Promise<Execution> {
	const { url: baseUrl, apiKey } = service.sandbox;
	const { n8n, file } = await prepareDemoN8n(service, progress);
	await progress.step('Importing the credential and the workflow into n8n', async () => {
		const data = { baseUrl, apiKey };
		await n8n.importCredentials([{ ...CREDENTIAL, type: CREDENTIAL_TYPE, data }]);
		await n8n.importWorkflows([withFile(workflow, file)]);
	});
	const title = `Running the workflow "${workflow.name}" in n8n`;
	return await progress.step(title, async () => await n8n.execute(workflow.id));
}

async function showEncryption(sandbox: Sandbox, execution: Execution): Promise<void> {
	const [envelope] = execution.json('Encrypt the Invoice');
	const [fetched] = execution.json('Get the Container');
	const content = await readFile(exampleFile);
	const expected = {
		name: basename(exampleFile),
		type: 'application/pdf',
		size: content.length,
		sha256: createHash('sha256').update(content).digest('hex'),
	};
	const uploads = sandbox.requests.filter(({ parts }) => parts !== undefined);
	const files = uploads
		.flatMap(({ parts = [] }) => parts.filter(({ name }) => name === 'file'))
		.map(({ filename, type, size, sha256 }) => ({ name: filename, type, size, sha256 }));
	print('1. A file and its rules go to the service');
	print('The envelope that the next node receives:', formatJson(envelope));
	print(
		'The manifest with the rules, as the service received it:',
		...uploads.map(({ body }) => formatJson(body)),
	);
	print('The file, as the service received it:', ...files.map(formatTable));
	print('The file on disk:', formatTable(expected));
	if (JSON.stringify(files) !== JSON.stringify([expected])) {
		throw new Error('The service received something else than this file.');
	}
	const [encodedId, fetchedId] = [envelope, fetched].map(getUuid);
	if (encodedId === undefined || encodedId !== fetchedId) {
		throw new Error(`Got container "${fetchedId}" from the service instead of "${encodedId}".`);
	}
	print(
		'The name, type, size and SHA-256 are the same: the file arrived byte for byte.',
		`The service also returned container ${encodedId}.`,
	);
}

/** @throws when the service got another change than one, or its rules don't show that only the access window ended */
function showRevocation(sandbox: Sandbox, execution: Execution): void {
	const [before] = execution.json('Rules Before').map((rules) => flatten(rules));
	const [after] = execution.json('Rules After').map((rules) => flatten(rules));
	const [revoked] = execution.json('Revoke Access');
	const changes = sandbox.requests.filter(({ method }) => method === 'PATCH');
	const rows = Object.keys({ ...before, ...after })
		.filter((name) => name !== 'containerId')
		.map((name) => [name, before[name] ?? '-', after[name] ?? '-']);
	print('2. Access ends: DRM > Revoke Access in the same workflow');
	print('What the service received:', ...changes.map(({ body }) => formatJson(body)));
	print(
		'The rules of the container, as the service returned them to DRM > Get:',
		...formatRows([['', 'before', 'after'], ...rows]),
	);
	const end = after['time.end'];
	const changed = rows.filter(([, old, now]) => old !== now).map(([name]) => name);
	const today = new Date().toISOString().slice(0, 10);
	const isOver = end !== undefined && end < today && before['time.end'] >= today;
	if (changes.length !== 1 || revoked.changed !== true || !isOver) {
		throw new Error('The rules of the service do not show that access ended.');
	}
	if (changed.some((name) => !name.startsWith('time.'))) {
		throw new Error(`Other rules changed, too: ${changed.join(', ')}.`);
	}
	print(`The last day is now ${end}, which is over in every time zone. Only the dates changed.`);
}

function getUuid(response: unknown): string | undefined {
	const { container, uuid } = (response ?? {}) as { container?: { uuid?: string }; uuid?: string };
	return container?.uuid ?? uuid;
}

const formatJson = (value: unknown) => JSON.stringify(value, null, 2).replace(/^/gm, '  ');
const formatTable = (values: object) =>
	formatRows(Object.entries(values).map(([name, value]) => [name, String(value)])).join('\n');

/** The rules, one text each, such as `time.end` and `geo.allow`. */
function flatten(value: object, prefix = ''): Record<string, string> {
	const entries = Object.entries(value).map(([name, one]): Record<string, string> => {
		if (Array.isArray(one)) return { [prefix + name]: one.map(toText).join(', ') };
		return isObject(one) ? flatten(one, `${prefix}${name}.`) : { [prefix + name]: String(one) };
	});
	return Object.assign({}, ...entries) as Record<string, string>;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const toText = (value: unknown) =>
	isObject(value) ? Object.values(value).join(' ') : String(value);

/** Returns a line for each row, with the columns one below the other. */
function formatRows(rows: string[][]): string[] {
	const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
	return rows.map((row) =>
		`  ${row.map((text, column) => text.padEnd(widths[column])).join('  ')}`.trimEnd(),
	);
}

function print(...lines: string[]): void {
	process.stdout.write(`\n${lines.join('\n')}\n`);
}

runTool(main);
