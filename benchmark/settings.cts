import { parseArgs } from 'node:util';

export interface BenchmarkSettings {
	scenarios: ScenarioName[];
	/** How often each case is measured. */
	rounds: number;
	/** Size of the large file, and of the small file that its memory is compared with. */
	largeBytes: number;
	smallBytes: number;
	/** Numbers of contacts to update. */
	items: number[];
	/** Number of contacts to compare with a table. */
	synced: number;
	/** Number and size of the files that are encoded into one container each. */
	files: number;
	fileBytes: number;
	/** Number of contacts to synchronize under a rate limit, and this limit per minute. */
	limitedContacts: number;
	requestsPerMinute: number;
	/** Whether to save the report to results.md. */
	save: boolean;
}

const SCENARIO_NAMES = [
	'upload',
	'contacts',
	'sync',
	'files',
	'expressions',
	'responsiveness',
	'blocking',
	'bombs',
	'limit',
] as const;
export type ScenarioName = (typeof SCENARIO_NAMES)[number];

export const HELP = `Compares the node with the HTTP Request node and with curl, in the real n8n.

  npm run bench [-- --save]

  --save                 also saves the report to benchmark/results.md
  BENCH_PARTS            some of ${SCENARIO_NAMES.join(',')}; default: all
  BENCH_ROUNDS           how often each case is measured; default: 3
  BENCH_BYTES            size of the large file; default: 1GB. The small file has a tenth of it
  BENCH_ITEMS            numbers of contact updates; default: 2000,10000
  BENCH_SYNC             number of contacts to compare with a table; default: 100000
  BENCH_FILES            number of files that are encoded into one container each; default: 100
  BENCH_FILE_BYTES       size of each of these files; default: 5MB
  BENCH_LIMIT            requests per minute in the last part; default: 100. 0 skips it
  BENCH_LIMITED_CONTACTS number of contacts to synchronize in it; default: 300
`;

/**
 * Parses the environment variables and the command line.
 * @returns undefined when the user asks for help
 * @throws with the name of an invalid option or variable
 */
export function parseSettings(
	env: NodeJS.ProcessEnv,
	args: string[],
): BenchmarkSettings | undefined {
	const options = {
		help: { type: 'boolean' },
		save: { type: 'boolean' },
	} as const;
	const { values } = parseArgs({ args, options });
	if (values.help) return undefined;
	const largeBytes = parseBytes('BENCH_BYTES', env.BENCH_BYTES ?? '1GB');
	const requestsPerMinute = parseCount('BENCH_LIMIT', env.BENCH_LIMIT ?? '100');
	const names = (env.BENCH_PARTS ?? SCENARIO_NAMES.join(',')).split(',').map(parseScenarioName);
	const items = (env.BENCH_ITEMS ?? '2000,10000').split(',');
	return {
		scenarios: names.filter((name) => name !== 'limit' || requestsPerMinute > 0),
		rounds: Math.max(1, parseCount('BENCH_ROUNDS', env.BENCH_ROUNDS ?? '3')),
		largeBytes,
		smallBytes: Math.ceil(largeBytes / 10),
		items: items.map((text) => parseCount('BENCH_ITEMS', text)),
		synced: parseCount('BENCH_SYNC', env.BENCH_SYNC ?? '100000'),
		files: parseCount('BENCH_FILES', env.BENCH_FILES ?? '100'),
		fileBytes: parseBytes('BENCH_FILE_BYTES', env.BENCH_FILE_BYTES ?? '5MB'),
		limitedContacts: parseCount('BENCH_LIMITED_CONTACTS', env.BENCH_LIMITED_CONTACTS ?? '300'),
		requestsPerMinute,
		save: values.save ?? false,
	};
}

function parseScenarioName(text: string): ScenarioName {
	const name = SCENARIO_NAMES.find((known) => known === text.trim());
	if (name === undefined) throw new Error(`BENCH_PARTS: there is no part "${text}".\n\n${HELP}`);
	return name;
}

function parseCount(name: string, text: string): number {
	if (!/^\d+$/.test(text.trim())) throw new Error(`${name}: "${text}" is not an integer.`);
	return Number(text);
}

/** In decimal units: 1 MB is 1,000,000 bytes. */
function parseBytes(name: string, text: string): number {
	const match = /^(\d+(?:\.\d+)?)\s*(B|kB|MB|GB)?$/i.exec(text.trim());
	if (match === null) throw new Error(`${name}: "${text}" is not a size such as 200MB.`);
	const factors: Record<string, number> = { b: 1, kb: 1e3, mb: 1e6, gb: 1e9 };
	return Math.round(Number(match[1]) * factors[(match[2] ?? 'B').toLowerCase()]);
}
