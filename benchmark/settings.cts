/** What a run of the benchmark measures, and how large. */
export interface BenchmarkSettings {
	/** Which parts are run; all of them unless BENCH_PARTS names some. */
	parts: PartName[];
	/** How often each case is measured. */
	rounds: number;
	/** Bytes of the large file, and of the small one that its memory is compared with. */
	largeBytes: number;
	smallBytes: number;
	/** Numbers of contacts that are updated. */
	items: number[];
	/** Files that are encoded one container each, and the bytes of each. */
	files: number;
	fileBytes: number;
	/** Contacts that are synchronised under a limit, and that limit in requests a minute. */
	limitedContacts: number;
	requestsPerMinute: number;
	/** Whether the package is built first; `--no-build` takes what is in dist. */
	build: boolean;
	/** Whether the table is written to results.md: `--save`. */
	save: boolean;
}

export const PART_NAMES = ['upload', 'contacts', 'files', 'limit'] as const;
export type PartName = (typeof PART_NAMES)[number];

export const HELP = `Compares the node with the HTTP Request node and with curl, in the real n8n.

  npm run bench [-- --save] [-- --no-build]

  --save                 also writes the table to benchmark/results.md
  --no-build             measures what is in dist
  BENCH_PARTS            some of ${PART_NAMES.join(',')}; all unless given
  BENCH_ROUNDS           how often each case is measured: 3
  BENCH_BYTES            size of the large file: 1GB; the small one has a tenth of it
  BENCH_ITEMS            numbers of contact updates: 1000,10000
  BENCH_FILES            files that are encoded one container each: 100
  BENCH_FILE_BYTES       size of each of them: 5MB
  BENCH_LIMIT            requests a minute that the last part is limited to: 100; 0 skips it
  BENCH_LIMITED_CONTACTS contacts that it synchronises: 300
`;

/**
 * Reads what is asked for.
 *
 * @param env the environment's variables
 * @param args the command line without the program
 * @returns the settings; undefined when help is asked for
 * @throws Error naming what cannot be understood
 */
export function readSettings(
	env: NodeJS.ProcessEnv,
	args: string[],
): BenchmarkSettings | undefined {
	if (args.includes('--help')) return undefined;
	const unknown = args.find((arg) => arg !== '--save' && arg !== '--no-build');
	if (unknown !== undefined) throw new Error(`There is no option ${unknown}.\n\n${HELP}`);
	const largeBytes = bytes('BENCH_BYTES', env.BENCH_BYTES ?? '1GB');
	const requestsPerMinute = count('BENCH_LIMIT', env.BENCH_LIMIT ?? '100');
	const parts = (env.BENCH_PARTS ?? PART_NAMES.join(',')).split(',').map(partName);
	return {
		parts: parts.filter((part) => part !== 'limit' || requestsPerMinute > 0),
		rounds: Math.max(1, count('BENCH_ROUNDS', env.BENCH_ROUNDS ?? '3')),
		largeBytes,
		smallBytes: Math.ceil(largeBytes / 10),
		items: (env.BENCH_ITEMS ?? '1000,10000').split(',').map((text) => count('BENCH_ITEMS', text)),
		files: count('BENCH_FILES', env.BENCH_FILES ?? '100'),
		fileBytes: bytes('BENCH_FILE_BYTES', env.BENCH_FILE_BYTES ?? '5MB'),
		limitedContacts: count('BENCH_LIMITED_CONTACTS', env.BENCH_LIMITED_CONTACTS ?? '300'),
		requestsPerMinute,
		build: !args.includes('--no-build'),
		save: args.includes('--save'),
	};
}

function partName(text: string): PartName {
	const name = PART_NAMES.find((known) => known === text.trim());
	if (name === undefined) throw new Error(`BENCH_PARTS: there is no part "${text}".\n\n${HELP}`);
	return name;
}

function count(name: string, text: string): number {
	if (!/^\d+$/.test(text.trim())) throw new Error(`${name}: "${text}" is no whole number.`);
	return Number(text);
}

/** Decimal units, as disks and networks are measured: 1 MB is 1,000,000 bytes. */
function bytes(name: string, text: string): number {
	const match = /^(\d+(?:\.\d+)?)\s*(B|kB|MB|GB)?$/i.exec(text.trim());
	if (match === null) throw new Error(`${name}: "${text}" is no size such as 200MB.`);
	const factors: Record<string, number> = { b: 1, kb: 1e3, mb: 1e6, gb: 1e9 };
	return Math.round(Number(match[1]) * factors[(match[2] ?? 'B').toLowerCase()]);
}
