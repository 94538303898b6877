import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createRunFolder } from '../tools/project.cts';
import { prepareN8n } from '../tools/realN8n/n8n.cts';
import { CREDENTIAL_TYPE } from '../tools/realN8n/workflow.cts';
import { buildService, startService } from '../tools/service.cts';
import { connectService } from '../tools/serviceClient.cts';
import { step } from '../tools/tool.cts';
import { useCommandLine } from './commandLine.cts';
import { copyRow, replaceContacts } from './database.cts';
import type { Sample } from './measure.cts';
import { BEARER_CREDENTIAL, MEASURED_NODE, OWN_CREDENTIAL } from './workflows.cts';

export type BenchmarkEnvironment = Awaited<ReturnType<typeof startBenchmarkEnvironment>>;

interface Records {
	contacts?: Array<{ email: string; fields: object }>;
	containers?: number;
}

const N8N_SETTINGS = {
	// Executions that n8n saves would only fill the disk.
	EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'none',
	EXECUTIONS_DATA_SAVE_ON_ERROR: 'none',
	EXECUTIONS_DATA_SAVE_MANUAL_EXECUTIONS: 'false',
	// The server then says how long its event loop was blocked.
	N8N_METRICS: 'true',
};

/** Starts a real n8n with the packed package, and the service in its own process. */
export async function startBenchmarkEnvironment(tarball: string) {
	const folder = await createRunFolder('bench');
	await buildService(folder);
	// Its log has a line for each request.
	const settings = {
		...{ REQUESTS_PER_MINUTE: '1000000000', LOG_LEVEL: 'info' },
		...{ CODES_PER_IP: '1000000', CODES_PER_ADDRESS: '1000000' },
	};
	const service = await startService(folder, settings);
	const { baseUrl, apiKey, userId, caPath, data, mails } = service;
	const client = connectService({ ...service, ca: readFileSync(caPath, 'utf8') });
	const log = join(folder, 'service.log');
	let logged = 0;
	/** How many requests the service has answered since the last measurement, by status. */
	const countRequests = () => {
		const counts = { total: 0, done: 0 };
		const lines = readFileSync(log)
			.subarray(logged)
			.toString()
			.matchAll(/"status":(\d)/g);
		for (const [, kind] of lines) {
			counts.total += 1;
			if (kind === '2') counts.done += 1;
		}
		return counts;
	};
	const forgetRequests = () => void (logged = readFileSync(log).length);
	const n8n = await prepareN8n({ tarball, caPath, env: N8N_SETTINGS });
	const commandLine = useCommandLine(n8n);
	await step('Importing the credentials into n8n', async () => {
		const { [CREDENTIAL_TYPE]: own } = OWN_CREDENTIAL;
		await commandLine.importCredentials([
			{ ...own, type: CREDENTIAL_TYPE, data: { baseUrl, apiKey } },
			{ ...BEARER_CREDENTIAL.httpBearerAuth, type: 'httpBearerAuth', data: { token: apiKey } },
		]);
	});
	return {
		n8n,
		importWorkflows: commandLine.importWorkflows,
		importCredentials: commandLine.importCredentials,
		service: { baseUrl, apiKey, userId, caPath, data, mails, countRequests, forgetRequests },
		client,
		/** Deletes everything, and stores these contacts, and so many containers. */
		prepare: async ({ contacts = [], containers = 0 }: Records = {}) => {
			replaceContacts(data, userId, contacts);
			if (containers > 0) await client.addContainer({ name: 'Offer' });
			if (containers > 1) copyRow(data, 'containers', containers - 1);
		},
		/**
		 * Runs an imported workflow in its own n8n process.
		 * @returns the time of the nodes whose names begin with MEASURED_NODE (0 if there is none) and what the process needed
		 * @throws when the workflow fails
		 */
		async measure(workflowId: string): Promise<Sample> {
			forgetRequests();
			const { used, ...execution } = await commandLine.execute(workflowId);
			await rm(join(n8n.folder, '.n8n', 'storage'), { recursive: true, force: true });
			if (execution.error) throw new Error(`A workflow failed: ${execution.error.message}`);
			const runs = Object.entries(execution.runData)
				.filter(([name]) => name.startsWith(MEASURED_NODE))
				.map(([, [{ executionTime }]]) => executionTime);
			return {
				seconds: runs.reduce((sum, ms) => sum + ms, 0) / 1000,
				peakBytes: used.peak,
				processorSeconds: used.processorSeconds,
				requests: countRequests().total,
			};
		},
		async stop() {
			await n8n.stop();
			await client.close();
			await service.stop();
		},
	};
}
