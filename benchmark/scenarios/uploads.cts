import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startProcess } from '../../tools/processes.cts';
import { writeRandomFile } from '../../tools/randomFile.cts';
import type { BenchmarkEnvironment } from '../environment.cts';
import { measureWorkflows, NOTHING, type Sample } from '../measure.cts';
import { CASE_HEADER, formatSize, toRow, type ScenarioResult } from '../report.cts';
import type { ScenarioContext } from '../run.cts';
import {
	buildFileWorkflow,
	createHttpEncodeNode,
	getEncodeUrl,
	ownEncodeNode,
	writeManifest,
	writeRandomFiles,
} from '../workflows.cts';

const MAX_GROWTH = 64e6;
/** The peaks of the same workflow differ by about this much from run to run. */
const NOISE = 16e6;

/** Uploads one large file with this node, the HTTP Request node and curl. */
export async function upload(context: ScenarioContext): Promise<ScenarioResult> {
	const { environment, settings, progress } = context;
	const { n8n, sandbox, measure } = environment;
	const { largeBytes, smallBytes } = settings;
	const [large, small] = [join(n8n.files, 'large.bin'), join(n8n.files, 'small.bin')];
	const manifest = join(n8n.files, 'manifest.json');
	await progress.step(`Creating a file of ${formatSize(largeBytes)}`, async () => {
		await writeRandomFile(large, largeBytes);
		await writeRandomFile(small, smallBytes);
		await writeManifest(manifest);
	});
	const ownSmall = buildFileWorkflow(small, manifest, ownEncodeNode);
	await n8n.importWorkflows([ownSmall]);
	await progress.step('Warming up', async () => await measure(ownSmall.id));
	const workflows = {
		baseline: buildFileWorkflow(large, manifest),
		own: buildFileWorkflow(large, manifest, ownEncodeNode),
		http: buildFileWorkflow(large, manifest, createHttpEncodeNode(sandbox, 'bearer')),
		httpOwn: buildFileWorkflow(large, manifest, createHttpEncodeNode(sandbox, 'own')),
		baselineSmall: buildFileWorkflow(small, manifest),
		ownSmall,
	};
	const check = async (name: keyof typeof workflows) => {
		if (name.startsWith('baseline')) return;
		const requests = await sandbox.requests();
		const received = requests.flatMap(({ parts = [] }) =>
			parts.filter((one) => one.name === 'file'),
		);
		const sizes = received.map(({ size }) => size).join(', ');
		if (sizes === String(name === 'ownSmall' ? smallBytes : largeBytes)) return;
		throw new Error(`The service received ${sizes} bytes.`);
	};
	const curl = async () => await uploadWithCurl(environment, manifest, large);
	const cases = await measureWorkflows(context, 'Upload', workflows, { check }, { curl });
	const { own, baseline, baselineSmall, http } = cases;
	const growth = own.peakBytes - baseline.peakBytes;
	const growthSmall = cases.ownSmall.peakBytes - baselineSmall.peakBytes;
	return {
		title: `One file of ${formatSize(largeBytes)}`,
		note: "The file comes from n8n's file store. The HTTP Request node uses its default settings, first with n8n's Bearer Auth credential, then with this package's credential, which turns redirects off. curl reads the file itself; its memory is that of its whole process. The peaks of the same workflow differ from run to run, so 16 MB of difference are allowed.",
		header: CASE_HEADER,
		rows: [
			toRow('This node', own, baseline),
			toRow(`This node, ${formatSize(smallBytes)}`, cases.ownSmall, baselineSmall),
			toRow('HTTP Request node, Bearer Auth', http, baseline),
			toRow("HTTP Request node, this package's credential", cases.httpOwn, baseline),
			toRow('curl', cases.curl, NOTHING),
		],
		expectations: [
			{
				title: `Memory growth for ${formatSize(largeBytes)}`,
				...{ value: growth, max: MAX_GROWTH, unit: 'MB' },
			},
			{
				title: `Memory growth beyond the growth for ${formatSize(smallBytes)}`,
				...{ value: growth - growthSmall, max: NOISE, unit: 'MB' },
			},
			{
				title: 'Time of the upload, relative to the HTTP Request node with Bearer Auth',
				...{ value: own.seconds / http.seconds, max: 0.5 },
			},
			{
				title: 'Time of the upload, relative to curl',
				...{ value: own.seconds / cases.curl.seconds, max: 2 },
			},
		],
	};
}

/**
 * Uploads a file with curl as in the API's documentation: the manifest with its media type, and the file.
 * @throws when curl fails or the service returns an error status
 */
async function uploadWithCurl(
	{ sandbox, folder }: BenchmarkEnvironment,
	manifest: string,
	file: string,
): Promise<Sample> {
	const stdout = join(folder, `curl-${Date.now()}.log`);
	const running = startProcess({
		command: 'curl',
		args: [
			...['--silent', '--show-error', '--http1.1', '--cacert', sandbox.caPath],
			...['--header', `Authorization: Bearer ${sandbox.apiKey}`],
			...['--form', `manifest.json=@${manifest};type=application/json`],
			...['--form', `file=@${file};type=application/octet-stream`],
			...['--output', '/dev/null', '--write-out', '%{http_code} %{time_total}\n'],
			getEncodeUrl(sandbox),
		],
		cwd: folder,
		env: { PATH: process.env.PATH, HOME: folder },
		stdout,
	});
	const { code, peakMemory } = await running.ended;
	const printed = (await readFile(stdout, 'utf8')).trim();
	const [status, time] = printed.split('\n').at(-1)?.split(' ') ?? [];
	if (code !== 0 || !/^2\d\d$/.test(status)) throw new Error(`curl failed (${code}): ${printed}`);
	return { seconds: Number(time), peakBytes: peakMemory, requests: 1 };
}

/** Encodes many files into one container each. */
export async function files(context: ScenarioContext): Promise<ScenarioResult> {
	const { environment, settings, progress } = context;
	const { n8n, sandbox, measure } = environment;
	const { files: count, fileBytes } = settings;
	const manifest = join(n8n.files, 'manifest.json');
	const selector = join(n8n.files, 'many', '*.bin');
	await progress.step(`Creating ${count} files of ${formatSize(fileBytes)}`, async () => {
		await writeRandomFiles(join(n8n.files, 'many'), count, fileBytes);
		await writeManifest(manifest);
	});
	const workflows = {
		baseline: buildFileWorkflow(selector, manifest),
		own: buildFileWorkflow(selector, manifest, ownEncodeNode),
		http: buildFileWorkflow(selector, manifest, createHttpEncodeNode(sandbox, 'bearer')),
		httpOwn: buildFileWorkflow(selector, manifest, createHttpEncodeNode(sandbox, 'own')),
	};
	await n8n.importWorkflows([workflows.own]);
	await progress.step('Warming up', async () => await measure(workflows.own.id));
	const check = async (name: keyof typeof workflows) => {
		const { encodeFiles = 0 } = (await sandbox.counts()).operations;
		if (name === 'baseline' || encodeFiles === count) return;
		throw new Error(`The service created ${encodeFiles} containers instead of ${count}.`);
	};
	const cases = await measureWorkflows(context, 'Files', workflows, { check });
	const { own, http, httpOwn, baseline } = cases;
	const subject = `of ${count} files, relative to the HTTP Request node with Bearer Auth`;
	const memory = (own.peakBytes - baseline.peakBytes) / (http.peakBytes - baseline.peakBytes);
	return {
		title: `${count} files of ${formatSize(fileBytes)}, one container each`,
		note: 'Both nodes use their default settings: this node sends five requests at a time, the HTTP Request node all at once.',
		header: CASE_HEADER,
		rows: [
			toRow('This node', own, baseline),
			toRow('HTTP Request node, Bearer Auth', http, baseline),
			toRow("HTTP Request node, this package's credential", httpOwn, baseline),
		],
		expectations: [
			{ title: `Time ${subject}`, value: own.seconds / http.seconds, max: 1 },
			{ title: `Memory ${subject}`, value: memory, max: 1 },
		],
	};
}
