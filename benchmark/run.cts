import { execFileSync } from 'node:child_process';
import os from 'node:os';
import { parseArgs } from 'node:util';
import { createRunFolder, packPackage } from '../tools/project.cts';
import type { InstalledN8n } from '../tools/realN8n/installN8n.cts';
import { runTool } from '../tools/tool.cts';
import { startBenchmarkEnvironment, type BenchmarkEnvironment } from './environment.cts';
import { createReport, type ScenarioResult } from './report.cts';
import { access } from './scenarios/access.cts';
import { contacts } from './scenarios/contacts.cts';
import { delivery } from './scenarios/delivery.cts';
import { download } from './scenarios/download.cts';
import { instant } from './scenarios/instant.cts';
import { leaver } from './scenarios/leaver.cts';
import { load } from './scenarios/load.cts';
import { metrics } from './scenarios/metrics.cts';
import { responsiveness } from './scenarios/responsiveness.cts';
import { service } from './scenarios/service.cts';
import { sync } from './scenarios/sync.cts';
import { upload } from './scenarios/upload.cts';
import { viewing } from './scenarios/viewing.cts';

/** The service is measured without n8n, and first, because how fast it starts depends on a quiet machine. */
const SCENARIOS = {
	service,
	delivery,
	viewing,
	load,
	metrics,
	upload,
	download,
	contacts,
	sync,
	access,
	leaver,
	instant,
	responsiveness,
};

const HELP = `Compares the node with the HTTP Request node, in the real n8n (large uploads also with curl), and the service with programs that do less.

  npm run bench [-- --soak]

  --soak                 the part load ends with an hour of everything at once, and what is missed is an error
  BENCH_PARTS            some of ${Object.keys(SCENARIOS)}; default: all
  BENCH_ROUNDS           how often each case is measured; default: 3
  BENCH_BYTES            size of the large file; default: 1GB. The small file has a tenth of it
  BENCH_ITEMS            numbers of contact updates; default: 2000,10000
  BENCH_SYNC             number of contacts to compare with a table; default: 100000
  BENCH_CONTAINERS       number of containers to check, and to remove a person from; default: 1000,5000
  BENCH_AMONG            number of containers among which a person is found and removed; default: 100000
  BENCH_LISTED           number of containers, and of events, that the service lists; default: 1000000
  BENCH_SOAK             minutes of --soak; default: 60
`;

export interface ScenarioContext {
	environment: BenchmarkEnvironment;
	settings: ReturnType<typeof readSettings>;
}

/** Measures one thing and compares it with what is expected. */
type Scenario = (context: ScenarioContext) => Promise<ScenarioResult>;

/** Measures the selected scenarios and prints the report. A missed expectation is an error only with --soak. */
async function main(): Promise<number> {
	const { values } = parseArgs({
		options: { help: { type: 'boolean' }, soak: { type: 'boolean' } },
	});
	if (values.help) {
		process.stdout.write(HELP);
		return 0;
	}
	const settings = readSettings();
	if (values.soak) [settings.soakMinutes] = readNumbers('BENCH_SOAK', '60');
	let environment: BenchmarkEnvironment | undefined;
	try {
		const results: ScenarioResult[] = [];
		for (const scenario of settings.scenarios) {
			if (scenario === service) results.push(await service({ settings }));
			else if (scenario === delivery) results.push(await delivery({ settings }));
			else if (scenario === viewing) results.push(await viewing({ settings }));
			else if (scenario === load) results.push(await load({ settings }));
			else if (scenario === metrics) results.push(await metrics({ settings }));
			else {
				environment ??= await startBenchmarkEnvironment(
					await packPackage(await createRunFolder('bench-package')),
				);
				results.push(await scenario({ environment, settings }));
			}
		}
		const report = await createReport(describeMachine(environment?.n8n.installed), results);
		process.stdout.write(`\n${report}\n`);
		return settings.soakMinutes > 0 && report.includes('MISS') ? 1 : 0;
	} finally {
		await environment?.stop();
	}
}

function readSettings() {
	const names = process.env.BENCH_PARTS?.split(',') ?? Object.keys(SCENARIOS);
	const scenarios = names.map((name): Scenario => {
		if (Object.hasOwn(SCENARIOS, name)) return SCENARIOS[name as keyof typeof SCENARIOS];
		throw new Error(`BENCH_PARTS: there is no part "${name}".\n\n${HELP}`);
	});
	const [rounds] = readNumbers('BENCH_ROUNDS', '3');
	const [largeBytes] = readNumbers('BENCH_BYTES', '1GB');
	const [synced] = readNumbers('BENCH_SYNC', '100000');
	const [listed] = readNumbers('BENCH_LISTED', '1000000');
	const [among] = readNumbers('BENCH_AMONG', '100000');
	const containers = readNumbers('BENCH_CONTAINERS', '1000,5000');
	const items = readNumbers('BENCH_ITEMS', '2000,10000');
	const counts = { items, synced, containers, among, listed };
	return { scenarios, rounds, largeBytes, ...counts, soakMinutes: 0 };
}

/** In decimal units: 1 MB is 1,000,000 bytes. */
function readNumbers(name: string, preset: string): number[] {
	return (process.env[name] ?? preset).split(',').map((text) => {
		const [, digits, unit = ''] = /^(\d+(?:\.\d+)?)\s*(|kB|MB|GB)$/i.exec(text.trim()) ?? [];
		const factors: Record<string, number> = { kb: 1e3, mb: 1e6, gb: 1e9 };
		if (Number(digits) > 0) return Math.round(Number(digits) * (factors[unit.toLowerCase()] ?? 1));
		throw new Error(`${name}: "${text}" is neither a number nor a size such as 200MB.`);
	});
}

/** Describes the machine and the versions in one line. */
function describeMachine(installed?: InstalledN8n): string {
	const [cpu] = os.cpus();
	const cores = `${os.cpus().length} cores (${cpu?.model.trim() || os.arch()})`;
	const memory = `${Math.round(os.totalmem() / 2 ** 30)} GiB of memory`;
	const node = installed?.node ?? process.execPath;
	const nodejs = `Node.js ${execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()}`;
	const n8n = installed && `n8n ${installed.version.manifests.app.dependencies.n8n} on ${nodejs}`;
	return [cores, memory, os.type(), n8n ?? nodejs, new Date().toISOString().slice(0, 10)].join(
		', ',
	);
}

runTool(main);
