import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { prepareDemoN8n, startDemoService, type DemoService } from './demoService.cts';
import { storeBinary } from './engine/binary.cts';
import { executeWorkflow } from './engine/execute.cts';
import { loadNodePackage } from './engine/package.cts';
import { trustCertificateAuthority } from './engine/trust.cts';
import {
	exampleFile,
	exampleWorkflow,
	FILE_NODE,
	readExamples,
	withCredentials,
	withFile,
} from './examples.cts';
import { unpackPackage } from './project.cts';
import { log, runTool, step } from './tool.cts';
import {
	buildWorkflow,
	CREDENTIAL_TYPE,
	NODE_TYPE,
	toExecution,
	type Execution,
	type WorkflowJson,
} from './realN8n/workflow.cts';

const CREDENTIAL = { id: 'demoCredential', name: 'Encrypted Containers API' };
const MIME_TYPE = 'application/pdf';

/**
 * Shows the main job on this machine, with the service. First, the example workflow encrypts a PDF, and the demo
 * compares what the service received with the file. Then access ends, and the rules before and after stand side by
 * side. Any difference from what should be there is an error. The workflow runs in n8n's execution engine from
 * node_modules or, with --n8n, in a complete n8n, which is installed once.
 */
async function main() {
	const { values } = parseArgs({ options: { n8n: { type: 'boolean' } } });
	const demo = await startDemoService();
	const example = (await readExamples()).get(exampleWorkflow) as WorkflowJson;
	const workflow = withRevocation(withCredentials(example, { [CREDENTIAL_TYPE]: CREDENTIAL }));
	const place = values.n8n ? 'n8n' : "n8n's execution engine";
	const execution = await step(`Running the workflow "${workflow.name}" in ${place}`, async () => {
		return await (values.n8n ? runInN8n : runInEngine)(demo, workflow);
	});
	const { error } = execution;
	if (error) throw new Error(`The workflow failed: ${error.message} - ${error.description}`);
	await showEncryption(demo, execution);
	showRevocation(execution);
	await demo.service.stop();
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
async function runInEngine(demo: DemoService, workflow: WorkflowJson) {
	const { folder, tarball, service, ca } = demo;
	const packageFolder = join(folder, 'package');
	await unpackPackage(tarball, packageFolder);
	trustCertificateAuthority(ca);
	const details = { fileName: basename(exampleFile), mimeType: MIME_TYPE };
	const data = await storeBinary(createReadStream(exampleFile), details);
	const reader = workflow.nodes.find(({ type }) => type === FILE_NODE)?.name ?? '';
	const pinData = { [reader]: [{ json: {}, binary: { data } }] };
	const credential = { baseUrl: service.baseUrl, apiKey: service.apiKey };
	const loaded = await loadNodePackage(packageFolder);
	const started = { ...withFile(workflow, exampleFile), pinData };
	return toExecution(await executeWorkflow(loaded, started, credential));
}

async function runInN8n(demo: DemoService, workflow: WorkflowJson): Promise<Execution> {
	const { baseUrl, apiKey } = demo.service;
	const { n8n, file } = await prepareDemoN8n(demo);
	const data = { baseUrl, apiKey };
	await n8n.importCredentials([{ ...CREDENTIAL, type: CREDENTIAL_TYPE, data }]);
	await n8n.importWorkflows([withFile(workflow, file)]);
	return await n8n.execute(workflow.id);
}

/** @throws when the service received something else than the file */
async function showEncryption({ client }: DemoService, execution: Execution): Promise<void> {
	const [envelope] = execution.json('Encrypt the Invoice');
	const [fetched] = execution.json('Get the Container');
	const content = await readFile(exampleFile);
	const sha256 = createHash('sha256').update(content).digest('hex');
	const file = { name: basename(exampleFile), type: MIME_TYPE, size: content.length, sha256 };
	const received = (await client.getContainers()).flatMap(({ files }) => files);
	print('1. A file and its rules go to the service');
	print('The envelope that the next node receives:', formatJson(envelope));
	print('The file, as the service received it:', ...received.map(formatJson));
	print('The file on disk:', formatJson(file));
	if (formatJson(received) !== formatJson([file])) {
		throw new Error('The service received something else than this file.');
	}
	const { uuid: id } = envelope.container as { uuid: string };
	if (id !== fetched.uuid) throw new Error(`Got container "${fetched.uuid}" instead of "${id}".`);
	print(
		'The name, type, size and SHA-256 are the same: the file arrived byte for byte.',
		`The service also returned container ${id}.`,
	);
}

/** @throws when the rules of the service don't show that only the access window ended */
function showRevocation(execution: Execution): void {
	const [before, after] = ['Rules Before', 'Rules After'].map((node) => execution.json(node)[0]);
	const rows = Object.keys({ ...before, ...after })
		.filter((name) => name !== 'containerId')
		.map((name) => [name, JSON.stringify(before[name]), JSON.stringify(after[name])]);
	print('2. Access ends: DRM > Revoke Access in the same workflow');
	print(
		'The rules of the container, as the service returned them to DRM > Get:',
		...rows.map(([name, ...values]) => `  ${name}: ${[...new Set(values)].join(' -> ')}`),
	);
	const [{ end: old = '' }, { end = '' }] = [before, after].map(
		({ time }) => time as { end?: string },
	);
	const today = new Date().toISOString().slice(0, 10);
	const [{ changed }] = execution.json('Revoke Access');
	if (changed !== true || old < today || end === '' || end >= today) {
		throw new Error('The rules of the service do not show that access ended.');
	}
	const others = rows.filter(([name, one, other]) => name !== 'time' && one !== other);
	if (others.length > 0) throw new Error(`Other rules changed, too: ${others.join()}.`);
	print(`The last day is now ${end}, which is over in every time zone. Only the dates changed.`);
}

const formatJson = (value: unknown) => JSON.stringify(value, null, 2).replace(/^/gm, '  ');

const print = (...lines: string[]) => log(`\n${lines.join('\n')}`);

runTool(main);
