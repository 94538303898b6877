import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import type { ReceivedPart, Sandbox } from '../sandbox/index.cts';
import { prepareDemoN8n } from './demoN8n.cts';
import {
	copyExampleFile,
	exampleFile,
	exampleWorkflow,
	startDemoService,
	withFile,
	type DemoService,
} from './demoService.cts';
import { executeInEngine } from './engine/engine.cts';
import { consoleProgress, type Progress } from './progress.cts';
import type { Execution } from './realN8n/execution.cts';
import type { WorkflowJson } from './realN8n/workflow.cts';
import { runTool } from './runTool.cts';

/**
 * Shows the main job on this machine: the example workflow encrypts a PDF, and the demo compares what the
 * service received with the file. Any difference is an error. The workflow runs in n8n's execution engine
 * from node_modules or, with --n8n, in a complete n8n, which is installed once.
 */
async function main() {
	const { values } = parseArgs({ options: { n8n: { type: 'boolean' } } });
	const progress = consoleProgress();
	const service = await startDemoService(progress);
	const { sandbox } = service;
	const execution = await (values.n8n ? runInN8n : runInEngine)(service, progress);
	if (execution.error) throw new Error(`The workflow failed: ${describeError(execution)}`);
	const [envelope] = execution.json('Encrypt the Invoice');
	const [container] = execution.json('Get the Container');
	print('The envelope that the next node receives:', formatJson(envelope));
	await compare(sandbox, envelope, container);
	await sandbox.stop();
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

async function compare(sandbox: Sandbox, envelope: unknown, container: unknown): Promise<void> {
	const content = await readFile(exampleFile);
	const expected = {
		name: basename(exampleFile),
		type: 'application/pdf',
		size: content.length,
		sha256: createHash('sha256').update(content).digest('hex'),
	};
	const { manifest, part } = getUpload(sandbox);
	const received = { name: part.filename, type: part.type, size: part.size, sha256: part.sha256 };
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

function print(...lines: string[]): void {
	process.stdout.write(`\n${lines.join('\n')}\n`);
}

runTool(main);
