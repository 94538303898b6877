import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import type { ReceivedPart, Sandbox } from '../sandbox/index.cts';
import {
	copyExampleFile,
	exampleFile,
	exampleWorkflow,
	prepareDemoN8n,
	startDemoService,
	withFile,
	withRevocation,
	type DemoService,
	executeInEngine,
} from './demoService.cts';
import { consoleProgress, type Progress, runTool } from './tool.cts';
import type { Execution, WorkflowJson } from './realN8n/workflow.cts';

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
	const { sandbox, workflows } = service;
	const example = workflows.get(exampleWorkflow) as WorkflowJson;
	workflows.set(exampleWorkflow, withRevocation(example));
	const execution = await (values.n8n ? runInN8n : runInEngine)(service, progress);
	if (execution.error) throw new Error(`The workflow failed: ${describeError(execution)}`);
	await showEncryption(sandbox, execution);
	showRevocation(sandbox, execution);
	await sandbox.stop();
	print(
		'The service is a mock: it stores the file and the rules. It shows what the nodes send and what they',
		'make of the answers. Only a real service shows that it encrypts, and that it refuses a recipient.',
	);
}

async function runInEngine(service: DemoService, progress: Progress): Promise<Execution> {
	const { tarball, sandbox, credential, workflows } = service;
	const folder = join(service.folder, 'engine');
	const path = await copyExampleFile(join(folder, 'files'));
	const workflow = withFile(workflows.get(exampleWorkflow) as WorkflowJson, path);
	const title = `Running the workflow "${workflow.name}" in n8n's execution engine`;
	const options = {
		tarball,
		folder,
		caPath: sandbox.caPath,
		workflow,
		credential: credential.data,
	};
	return await progress.step(title, async () => await executeInEngine(options));
}

async function runInN8n(service: DemoService, progress: Progress): Promise<Execution> {
	const { id, name } = service.workflows.get(exampleWorkflow) as WorkflowJson;
	const n8n = await prepareDemoN8n(service, [exampleWorkflow], progress);
	const title = `Running the workflow "${name}" in n8n`;
	return await progress.step(title, async () => await n8n.execute(id));
}

async function showEncryption(sandbox: Sandbox, execution: Execution): Promise<void> {
	const [envelope] = execution.json('Encrypt the Invoice');
	const [container] = execution.json('Get the Container');
	const content = await readFile(exampleFile);
	const expected = {
		name: basename(exampleFile),
		type: 'application/pdf',
		size: content.length,
		sha256: createHash('sha256').update(content).digest('hex'),
	};
	const { manifest, part } = getUpload(sandbox);
	const received = { name: part.filename, type: part.type, size: part.size, sha256: part.sha256 };
	print('1. A file and its rules go to the service');
	print('The envelope that the next node receives:', formatJson(envelope));
	print('The manifest with the rules, as the service received it:', formatJson(manifest));
	print('The file, as the service received it:', formatTable(received));
	print('The file on disk:', formatTable(expected));
	if (JSON.stringify(received) !== JSON.stringify(expected)) {
		throw new Error('The service received a different file.');
	}
	const encodedId = getUuid(envelope);
	const fetchedId = getUuid(container);
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
	const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
		(name) => name !== 'containerId',
	);
	const rows = names.map((name) => [name, before[name] ?? '-', after[name] ?? '-']);
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

function getUpload(sandbox: Sandbox): { manifest: unknown; part: ReceivedPart } {
	const uploads = sandbox.requests.filter(({ parts }) => parts !== undefined);
	const files = uploads.flatMap(({ parts = [] }) => parts.filter(({ name }) => name === 'file'));
	if (uploads.length !== 1 || files.length !== 1) {
		throw new Error(
			`Expected one upload with one file, got ${uploads.length} with ${files.length}.`,
		);
	}
	return { manifest: uploads[0].body, part: files[0] };
}

function getUuid(response: unknown): string | undefined {
	const { container, uuid } = (response ?? {}) as { container?: { uuid?: string }; uuid?: string };
	return container?.uuid ?? uuid;
}

function describeError({ error }: Execution): string {
	return [error?.message, error?.description].filter(Boolean).join(' - ');
}

function formatJson(value: unknown): string {
	return JSON.stringify(value, null, 2).replace(/^/gm, '  ');
}

function formatTable(values: Record<string, unknown>): string {
	return Object.entries(values)
		.map(([name, value]) => `  ${name.padEnd(7)} ${String(value)}`)
		.join('\n');
}

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
