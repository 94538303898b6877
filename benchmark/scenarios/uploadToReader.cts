import { execFile } from 'node:child_process';
import { devNull } from 'node:os';
import { promisify } from 'node:util';
import { CREDENTIAL_TYPE, type WorkflowJson } from '../../tools/realN8n/workflow.cts';
import { measureWorkflows, type Case, type Sample } from '../measure.cts';
import { toRow, type ScenarioResult } from '../report.cts';
import type { ScenarioContext } from '../run.cts';
import {
	createHttpEncodeNode,
	ownEncodeNode,
	READING_CREDENTIAL,
	type prepareFile,
} from '../workflows.cts';
import { startReadingServer } from './serviceServers.cts';

const MAX_TIME_OF_HTTP = 0.4;
const MAX_TIME_OF_CURL = 1.5;

export type UploadedFile = Awaited<ReturnType<typeof prepareFile>>;
type ReadingServer = Awaited<ReturnType<typeof startReadingServer>>;

/** Uploads a file to a server that only reads, so that the time is that of who sends. */
export async function uploadToReader(
	context: ScenarioContext,
	file: UploadedFile,
	baseline: Case,
): Promise<Pick<ScenarioResult, 'rows' | 'expectations'>> {
	const { service, importCredentials } = context.environment;
	const server = await startReadingServer(service.data);
	const { [CREDENTIAL_TYPE]: reading } = READING_CREDENTIAL;
	const data = { baseUrl: server.baseUrl, apiKey: 'none' };
	await importCredentials([{ ...reading, type: CREDENTIAL_TYPE, data }]);
	const cases = await measureReader(context, file, server).finally(server.stop);
	const { own, http, curl } = cases;
	return {
		rows: [
			toRow('This node, to a server that only reads', own, baseline),
			toRow('HTTP Request node, to it', http, baseline),
			toRow('curl, to it (if it is installed)', curl, baseline),
		],
		expectations: [
			[
				'Time to a server that only reads, relative to the HTTP Request node',
				own.seconds / http.seconds,
				MAX_TIME_OF_HTTP,
			],
			[
				'Time to a server that only reads, relative to curl',
				own.seconds / curl.seconds,
				MAX_TIME_OF_CURL,
			],
		],
	};
}

async function measureReader(context: ScenarioContext, file: UploadedFile, server: ReadingServer) {
	const { caPath } = context.environment.service;
	const { buildUpload, size } = file;
	const workflows: Record<'own' | 'http' | 'curl', WorkflowJson | (() => Promise<Sample>)> = {
		own: buildUpload({ ...ownEncodeNode, credentials: READING_CREDENTIAL }),
		http: buildUpload(createHttpEncodeNode(server)),
		curl: async () => await runCurl(file, { caPath, url: server.baseUrl }),
	};
	const check = async () => {
		const received = await server.readSize();
		if (received > size) return;
		throw new Error(`The server received ${received} bytes, and the file alone has ${size}.`);
	};
	return await measureWorkflows(context, 'Upload to a server that only reads', workflows, {
		check,
	});
}

/** @returns NaN as its time where curl isn't installed */
async function runCurl(
	{ path, manifest }: UploadedFile,
	{ caPath, url }: { caPath: string; url: string },
): Promise<Sample> {
	const args = [
		...['--silent', '--show-error', '--fail', '--http1.1', '--cacert', caPath],
		...['--form', `manifest.json=@${manifest};type=application/json`],
		...['--form', `file=@${path};type=application/octet-stream`],
		...['--output', devNull, '--write-out', '%{time_total}', url],
	];
	const isMissing = (error: NodeJS.ErrnoException) => error.code === 'ENOENT';
	const { stdout } = await promisify(execFile)('curl', args).catch((error) => {
		if (isMissing(error)) return { stdout: 'NaN' };
		throw error;
	});
	return { seconds: Number(stdout), requests: 1 };
}
