import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { ReceivedPart, Sandbox } from '../sandbox/index.cts';
import { exampleFile, exampleWorkflow, startDemoEnvironment } from './demoEnvironment.cts';
import { consoleProgress } from './progress.cts';
import type { Execution } from './realN8n/execution.cts';
import type { WorkflowJson } from './realN8n/workflow.cts';
import { runTool } from './runTool.cts';

/**
 * Shows the main job on this machine: the example workflow encrypts a PDF in the real n8n, and the demo
 * compares what the service received with the file. Any difference is an error.
 */
async function main() {
	const progress = consoleProgress();
	const isExample = (name: string) => name === exampleWorkflow;
	const { n8n, sandbox, workflows, stop } = await startDemoEnvironment(isExample, progress);
	try {
		const { id, name } = workflows.get(exampleWorkflow) as WorkflowJson;
		const title = `Running the workflow "${name}" in n8n`;
		const execution = await progress.step(title, async () => await n8n.execute(id));
		if (execution.error) throw new Error(`The workflow failed: ${describeError(execution)}`);
		const [envelope] = execution.json('Encrypt the Invoice');
		const [container] = execution.json('Get the Container');
		print('The envelope that the next node receives:', formatJson(envelope));
		await compare(sandbox, envelope, container);
	} finally {
		await stop();
	}
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
