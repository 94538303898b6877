import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { IAllExecuteFunctions, INode } from 'n8n-workflow';
import { measureRounds, type Sample } from '../measure.cts';
import { formatNumber, formatSeconds, type ScenarioResult } from '../report.cts';
import type { ScenarioContext } from '../run.cts';

const ENTRIES = 100_000;
const FILES = 5_000;
const MAX_SECONDS = 0.2;
const MAX_RATIO = 3;
const CHUNK = 64 * 1024;

const titles = {
	parse: `JSON.parse of a list of ${formatNumber(ENTRIES)} containers, and nothing else`,
	list: `List of ${formatNumber(ENTRIES)} containers in one page`,
	pages: `List of ${formatNumber(ENTRIES)} containers in ten pages`,
	poll: `Comparison of ${formatNumber(ENTRIES)} contacts with the last poll`,
	recipients: `Change of ${formatNumber(ENTRIES)} recipients`,
	files: `Form of ${formatNumber(FILES)} files`,
};

/** Measures for how long the node's own work on many records, recipients or files keeps n8n from anything else. */
export async function blocking(context: ScenarioContext): Promise<ScenarioResult> {
	const work = await createWork();
	const run = (task: () => unknown) => async () => await measureLongestStep(task);
	const cases = await measureRounds(context, 'Blocking', {
		parse: run(work.parse),
		list: run(async () => await work.list(1)),
		pages: run(async () => await work.list(10)),
		poll: run(work.poll),
		recipients: run(work.recipients),
		files: run(work.files),
	});
	const rows = Object.entries(cases).map(([name, { seconds, rounds }]) => ({
		title: titles[name as keyof typeof titles],
		seconds,
		rounds: rounds.map((round) => round.toFixed(2)).join(', '),
		ratio: seconds / cases.parse.seconds,
	}));
	return {
		title: 'How long n8n waits for the node',
		note: `The longest delay of the event loop during the node's own work, in Node.js ${process.version}. Every node that reads a list needs JSON.parse, which can't be interrupted.`,
		header: ['', 'Longest delay (median)', 'All rounds', 'Relative to JSON.parse'],
		rows: rows.map(({ title, seconds, rounds, ratio }) => [
			...[title, formatSeconds(seconds), rounds, ratio.toFixed(1)],
		]),
		expectations: rows.slice(1).flatMap(({ title, seconds, ratio }) => [
			{ title: `Longest delay: ${title}, in seconds`, value: seconds, max: MAX_SECONDS },
			{ title: `Longest delay: ${title}, relative to JSON.parse`, value: ratio, max: MAX_RATIO },
		]),
	};
}

async function measureLongestStep(task: () => unknown): Promise<Sample> {
	const delays = monitorEventLoopDelay({ resolution: 1 });
	await wait(100);
	delays.enable();
	await wait(10);
	await task();
	await wait(10);
	delays.disable();
	return { seconds: delays.max / 1e9 };
}

async function createWork() {
	// tsx can load a module of nodes/ only with import().
	const [{ Session }, { Pace }, lists, diff, { parseAddresses }, ruleChanges, contradiction] =
		await Promise.all([
			import('../../nodes/shared/client/session.ts'),
			import('../../nodes/shared/client/pace.ts'),
			import('../../nodes/shared/api/lists.ts'),
			import('../../nodes/EncryptedContainersTrigger/diff.ts'),
			import('../../nodes/shared/parameters/lists.ts'),
			import('../../nodes/EncryptedContainers/resources/drm/ruleChanges.ts'),
			import('../../nodes/EncryptedContainers/resources/drm/contradiction.ts'),
		]);
	const { MultipartForm } =
		await import('../../nodes/EncryptedContainers/resources/container/encode/multipartForm.ts');
	const { contactChanged } =
		await import('../../nodes/EncryptedContainersTrigger/events/contactChanged.ts');
	const { getKey } = await import('../../nodes/EncryptedContainersTrigger/fetch.ts');
	const { isSameRule } = await import('../../nodes/shared/api/ruleValues.ts');
	const { takeBreak } = await import('../../nodes/shared/client/delay.ts');
	const containers = Array.from({ length: ENTRIES }, (_value, index) => createContainer(index));
	const text = JSON.stringify(containers);
	const addresses = containers.map((_container, index) => `person-${index}@example.com`);
	const rules = { dynamic: true, recipients: addresses };
	const listed = new Map(addresses.map((id) => [getKey(contactChanged, id), id]));
	const keys = [...listed.keys()];
	const toContent = (key: string, index: number) => {
		const content = `hash-${index % 1000 === 0 ? 'new' : index}`;
		return [key, { content, toItem: () => ({ id: listed.get(key) }) }] as const;
	};
	const reading = { listed, contents: new Map(keys.map(toContent)), unread: [] };
	const known = new Map(keys.map((key, index) => [key, `hash-${index}`]));
	const state = { known };
	const files = Array.from({ length: FILES }, (_value, index) => ({
		name: `file-${index}.txt`,
		type: 'text/plain',
		content: { text: 'confidential' },
	}));

	return {
		parse: () => JSON.parse(text) as unknown,

		async list(pageCount: number) {
			const pages = createPages(containers, pageCount);
			const context = {
				getNode: () => ({ name: 'Measured', parameters: {} }) as INode,
				helpers: { httpRequestWithAuthentication: async () => respond(pages.shift()) },
			} as unknown as IAllExecuteFunctions;
			const connection = {
				baseUrl: 'https://share.example.com/api/v1',
				apiKey: 'benchmark-key-0123456789',
			};
			const session = new Session(
				connection as ConstructorParameters<typeof Session>[0],
				new Pace(1, new AbortController().signal),
			);
			const client = session.createClient({ context, maxRetries: 0, responseTimeout: 60_000 });
			const records = await client.redact(
				await lists.fetchList(client, lists.CONTAINER_LIST, 'user'),
			);
			if (records.length !== ENTRIES) throw new Error(`${records.length} records`);
		},

		poll: async () => await diff.compare(contactChanged, state, reading, false),

		async recipients() {
			const add = parseAddresses(addresses.join(', '), 'Recipients: Add');
			await takeBreak();
			const merged = ruleChanges.mergeRules(
				rules,
				{},
				{ add, remove: addresses.slice(0, 1) },
				'the container',
			);
			await takeBreak();
			isSameRule(merged, rules);
			await takeBreak();
			contradiction.findContradiction(merged, rules);
		},

		async files() {
			const names = { manifest: 'manifest.json', file: 'file' };
			const form = new MultipartForm({} as never, { container: {} }, files, names, true);
			await form.prepare();
			for (const [, part] of form) for await (const chunk of part.stream()) void chunk;
		},
	};
}

function createContainer(index: number) {
	return {
		uuid: `5f0c2a4e-8d1b-4c7a-9e36-${String(index).padStart(12, '0')}`,
		name: `Invoice 2026-${index}`,
		created_date: '2026-11-21T10:00:00.000Z',
		size: index * 17,
		owner: 'anna@example.com',
		dynamic: true,
	};
}

/** The bodies of a list in pages, with links to the next one. */
function createPages(entries: unknown[], pageCount: number): Buffer[] {
	const size = Math.ceil(entries.length / pageCount);
	return Array.from({ length: pageCount }, (_value, page) => {
		const next = page + 1 < pageCount ? { next: `/api/v1/containers?page=${page + 2}` } : {};
		const data = entries.slice(page * size, (page + 1) * size);
		return Buffer.from(JSON.stringify({ data, ...next }));
	});
}

function respond(body: Buffer = Buffer.from('[]')) {
	const chunks = Array.from({ length: Math.ceil(body.length / CHUNK) }, (_value, index) =>
		body.subarray(index * CHUNK, (index + 1) * CHUNK),
	);
	return {
		statusCode: 200,
		headers: { 'content-type': 'application/json' },
		body: Readable.from(chunks),
	};
}
