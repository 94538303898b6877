import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { ReceivedPart, Sandbox } from '../sandbox/index.cts';
import { consoleProgress } from './progress.cts';
import type { Execution } from './realN8n/execution.cts';
import { runTool } from './runTool.cts';
import { exampleFile, exampleWorkflow, setUpStage } from './stage.cts';

/**
 * Shows the main job on this machine: the example workflow encrypts a real PDF in the real n8n, and
 * what the service received is compared with the file. Any difference is a failure.
 */
async function main() {
	const progress = consoleProgress();
	const stage = await setUpStage((name) => name === exampleWorkflow, progress);
	try {
		const { id, name } = workflowNamed(stage.workflows, exampleWorkflow);
		const execution = await progress.step(`Running the workflow "${name}" in n8n`, async () => {
			return await stage.n8n.execute(id);
		});
		if (execution.error) throw new Error(`The workflow failed: ${describe(execution)}`);
		const envelope = execution.json('Encrypt the Invoice')[0];
		const container = execution.json('Get the Container')[0];
		print('The envelope that the next node receives:', indented(envelope));
		await compare(stage.sandbox, envelope, container);
	} finally {
		await stage.close();
	}
}

function workflowNamed<T>(workflows: Map<string, T>, name: string): T {
	const workflow = workflows.get(name);
	if (!workflow) throw new Error(`There is no example "${name}".`);
	return workflow;
}

async function compare(sandbox: Sandbox, envelope: unknown, container: unknown): Promise<void> {
	const content = await readFile(exampleFile);
	const expected = {
		name: basename(exampleFile),
		type: 'application/pdf',
		size: content.length,
		sha256: createHash('sha256').update(content).digest('hex'),
	};
	const { manifest, part } = receivedUpload(sandbox);
	const received = { name: part.filename, type: part.type, size: part.size, sha256: part.sha256 };
	print('The manifest with the rules, as the service received it:', indented(manifest));
	print('The file, as the service received it:', table(received));
	print('The file on disk:', table(expected));
	if (JSON.stringify(received) !== JSON.stringify(expected)) {
		throw new Error('The service did not receive the file as it is.');
	}
	const sent = uuidOf(envelope);
	const found = uuidOf(container);
	if (sent === undefined || sent !== found) {
		throw new Error(`The container read back is another one: "${sent}" and "${found}".`);
	}
	print(
		`The same name, type, size and SHA-256: the file arrived byte for byte.`,
		`Container ${sent} was read back from the service.`,
	);
}

function receivedUpload(sandbox: Sandbox): { manifest: unknown; part: ReceivedPart } {
	const uploads = sandbox.requests.filter(({ parts }) => parts !== undefined);
	const files = uploads.flatMap(({ parts = [] }) => parts.filter(({ name }) => name === 'file'));
	if (uploads.length !== 1 || files.length !== 1) {
		throw new Error(`Expected one upload of one file, not ${uploads.length} of ${files.length}.`);
	}
	return { manifest: uploads[0].body, part: files[0] };
}

function uuidOf(answer: unknown): string | undefined {
	const { container, uuid } = (answer ?? {}) as { container?: { uuid?: string }; uuid?: string };
	return container?.uuid ?? uuid;
}

function describe({ error }: Execution): string {
	return [error?.message, error?.description].filter(Boolean).join(' - ');
}

function indented(value: unknown): string {
	return JSON.stringify(value, null, 2).replace(/^/gm, '  ');
}

function table(values: Record<string, unknown>): string {
	return Object.entries(values)
		.map(([name, value]) => `  ${name.padEnd(7)} ${String(value)}`)
		.join('\n');
}

function print(...lines: string[]): void {
	process.stdout.write(`\n${lines.join('\n')}\n`);
}

runTool(main);
