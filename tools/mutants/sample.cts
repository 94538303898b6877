import { relative, sep } from 'node:path';
import { parseArgs } from 'node:util';
import type { Mutant } from '@stryker-mutator/api/core' with { 'resolution-mode': 'import' };
import { log, runTool, step } from '../tool.cts';
import { listTrackedFiles, runCommand } from './commands.cts';
import { createCopy, type Copy } from './copy.cts';

/** Where a change that no test notices would cost most. */
const ROOMS = [
	'nodes/shared/api/',
	'nodes/EncryptedContainers/resources/drm/',
	'nodes/EncryptedContainers/resources/container/',
	'nodes/EncryptedContainers/execution/',
	'service/src/containers/',
	'service/src/open/',
	'service/src/database/',
	'service/src/api/',
];

const COPIES = 2;

/** How long the first tests that a change meets take together, about. */
const FIRST_RUN_SECONDS = 10;

interface TestFile {
	file: string;
	seconds: number;
	reached: Set<string>;
}

/** Changes the code in many small ways, one at a time, and tells which changes no test notices. */
async function main(): Promise<number> {
	const { values } = parseArgs({
		options: {
			seed: { type: 'string', default: '1' },
			/** With `count`, a part of the sample: parts can run on different days. */
			from: { type: 'string', default: '0' },
			count: { type: 'string', default: '400' },
			minutes: { type: 'string', default: '300' },
			/** How long the tests of a change take together at first, about. What they don't notice is tried once more with all tests. */
			seconds: { type: 'string', default: '60' },
			rooms: { type: 'string', multiple: true, default: ROOMS },
		},
	});
	const tracked = await listTrackedFiles();
	const isMutated = (file: string) => values.rooms.some((room) => file.startsWith(room));
	const files = tracked.filter((file) => /\.m?ts$/.test(file) && isMutated(file));
	const copies: Copy[] = [];
	for (let n = 0; n < COPIES; n += 1) {
		const create = async () => await createCopy(String(n), files);
		copies.push(await step(`Building copy ${n + 1} of the project`, create));
	}
	const tests = await step('Running each test file once', async () => await measureTests(copies));
	const shuffled = shuffle(copies[0].mutants, Number(values.seed));
	const from = Number(values.from);
	const sample = shuffled.slice(from, from + Number(values.count));
	const end = Date.now() + Number(values.minutes) * 60_000;
	const limitTo = (seconds: number) => async (copy: Copy, mutant: Mutant) =>
		await isNoticedBy(copy, mutant, limitTests(tests, mutant, seconds));
	const first = await tryMutants(copies, sample, end, limitTo(Number(values.seconds)));
	log(`${first.survivors.length} of them once more, with all tests that reach them`);
	const again = await tryMutants(copies, first.survivors, end, limitTo(Infinity));
	const notTriedAgain = first.survivors.slice(again.tried);
	return report({ ...first, survivors: [...again.survivors, ...notTriedAgain] }, values.seed);
}

/** How long each test file takes, and what it reaches. Those that fail in a copy, which check the project itself, are left out. */
async function measureTests(copies: Copy[]): Promise<TestFile[]> {
	const { folder } = copies[0];
	const list = ['jest', '--selectProjects', 'unit', 'engine', 'service', '--listTests'];
	const output = await runCommand(folder, 'npx', list);
	const paths = output.split('\n').filter((path) => path.startsWith(folder));
	const queue = paths.map((path) => relative(folder, path).split(sep).join('/')).values();
	const tests: TestFile[] = [];
	await atTheSameTime(copies, async (copy) => {
		for (const file of queue) {
			await copy.activate('');
			const { passed, seconds } = await copy.test([{ file, seconds: 200 }]);
			if (passed) tests.push({ file, seconds, reached: await copy.readReached() });
			else log(`  Left out, since it fails in a copy: ${file}`);
		}
	});
	return tests.sort((one, other) => one.reached.size - other.reached.size);
}

async function tryMutants(
	copies: Copy[],
	sample: Mutant[],
	end: number,
	isNoticed: (copy: Copy, mutant: Mutant) => Promise<boolean>,
) {
	const queue = sample.entries();
	const survivors: Mutant[] = [];
	let tried = 0;
	await atTheSameTime(copies, async (copy) => {
		for (const [, mutant] of queue) {
			if (Date.now() > end) return;
			const passed = !(await isNoticed(copy, mutant));
			tried += 1;
			if (passed) {
				survivors.push(mutant);
				log(describe(mutant));
			}
			log(`  ${tried} tried, ${survivors.length} not noticed`);
		}
	});
	log(`${tried} changes tried, ${tried - survivors.length} noticed`);
	return { tried, survivors };
}

/** The tests that reach the fewest changes come first: they are about this one. One of them always runs. */
function limitTests(tests: TestFile[], mutant: Mutant, seconds: number): TestFile[] {
	const reaching = tests.filter(({ reached }) => reached.has(mutant.id));
	let left = seconds;
	return reaching.filter((test, position) => {
		left -= test.seconds;
		return position === 0 || left >= 0;
	});
}

/** Each run of jest takes twice as long as the one before. */
async function isNoticedBy(copy: Copy, mutant: Mutant, tests: TestFile[]): Promise<boolean> {
	for (const group of groupTests(tests)) {
		await copy.activate(mutant.id);
		const outcome = await copy.test(group);
		if (outcome.passed) continue;
		if (!outcome.ranOutOfTime) return true;
		if (await passesUnchanged(copy, group)) return true;
	}
	return false;
}

/** A machine that is busy lets tests run out of time too. Then the change has not been noticed. */
async function passesUnchanged(copy: Copy, group: TestFile[]): Promise<boolean> {
	await copy.activate('');
	const { passed } = await copy.test(group);
	return passed;
}

function groupTests(tests: TestFile[]): TestFile[][] {
	const groups: TestFile[][] = [];
	let room = 0;
	let seconds = FIRST_RUN_SECONDS;
	for (const test of tests) {
		if (room <= 0) {
			groups.push([]);
			room = seconds;
			seconds *= 2;
		}
		groups[groups.length - 1].push(test);
		room -= test.seconds;
	}
	return groups;
}

function report({ tried, survivors }: { tried: number; survivors: Mutant[] }, seed: string) {
	const percent = tried === 0 ? 0 : (100 * (tried - survivors.length)) / tried;
	log(`Seed ${seed}: ${percent.toFixed(1)} % of ${tried} changes noticed. Not noticed:`);
	for (const mutant of survivors) log(describe(mutant));
	return percent >= 85 ? 0 : 1;
}

function describe({ id, fileName, location, mutatorName, replacement }: Mutant): string {
	const { line, column } = location.start;
	const text = (replacement ?? '').replace(/\s+/g, ' ').slice(0, 160);
	// Babel counts lines from 1, and columns from 0.
	return `${fileName}:${line}:${column + 1} ${mutatorName} (${id}): ${text}`;
}

async function atTheSameTime(copies: Copy[], work: (copy: Copy) => Promise<void>): Promise<void> {
	await Promise.all(copies.map(work));
}

/** The same order for the same seed: a shuffle by Fisher and Yates, with a random generator of one line. */
function shuffle<T>(values: T[], seed: number): T[] {
	const shuffled = [...values];
	let state = seed;
	for (let last = shuffled.length - 1; last > 0; last -= 1) {
		state = (state * 48_271) % 2_147_483_647;
		const other = state % (last + 1);
		const value = shuffled[last];
		shuffled[last] = shuffled[other];
		shuffled[other] = value;
	}
	return shuffled;
}

runTool(main);
