import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSandbox, type Sandbox } from '../../../sandbox/index.cts';
import { npm } from '../../../tools/install.cts';
import { readOptions } from '../../../tools/probe.cts';
import { repositoryRoot } from '../../support/package.cts';

const KEY = 'a-key-that-nobody-may-see';

let folder: string;
let tarball: string;
let sandbox: Sandbox;
beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'probe-'));
	sandbox = await startSandbox({ apiKey: KEY });
	await npm(
		repositoryRoot,
		['pack', '--ignore-scripts', '--pack-destination', folder],
		join(folder, 'log'),
	);
	const [packed] = (await readdir(folder)).filter((file) => file.endsWith('.tgz'));
	tarball = join(folder, packed);
	await writeFile(join(folder, 'key'), `${KEY}\n`);
}, 120_000);
beforeEach(() => sandbox.reset());
afterAll(async () => {
	await sandbox.stop();
	await rm(folder, { recursive: true });
});

function run(args: string[], onOutput?: (output: string, interrupt: () => void) => void) {
	return new Promise<{ code: number | null; output: string }>((resolve) => {
		const tool = join(repositoryRoot, 'tools', 'probe.cts');
		const env = {
			...process.env,
			PACKED_PACKAGE: tarball,
			PROBE_API_KEY: '',
			NODE_EXTRA_CA_CERTS: sandbox.caPath,
		};
		const tsx = require.resolve('tsx/cjs');
		const child = spawn(process.execPath, ['--require', tsx, tool, ...args], { env });
		let output = '';
		for (const stream of [child.stdout, child.stderr]) {
			stream.setEncoding('utf8').on('data', (text: string) => {
				output += text;
				onOutput?.(output, () => child.kill('SIGINT'));
			});
		}
		child.on('close', (code) => resolve({ code, output }));
	});
}

const service = () => ['--base-url', sandbox.url];
const key = () => ['--key-file', join(folder, 'key')];

const isEmpty = () => {
	const { state, user } = sandbox;
	return state.containersOf(user.id).length + state.contactsOf(user.id).size === 0;
};

it('prints the table', async () => {
	const { code, output } = await run([...service(), ...key()]);

	expect(output).toContain('| Open point | This service | What the node makes of it |');
	expect(output).not.toContain(KEY);
	expect(code).toBe(0);
	expect(isEmpty()).toBe(true);
}, 120_000);

/** Windows delivers no signal to another process; there, Ctrl+C still arrives as SIGINT. */
const withSignals = process.platform === 'win32' ? it.skip : it;

withSignals(
	'deletes what it created on Ctrl+C',
	async () => {
		sandbox.settings.latency = 100;
		let isInterrupted = false;
		const { code, output } = await run([...service(), ...key()], (text, interrupt) => {
			if (isInterrupted || !text.includes('contact |')) return;
			isInterrupted = true;
			expect(isEmpty()).toBe(false);
			interrupt();
		});

		expect(output).toContain('Stopping');
		expect(code).toBe(130);
		expect(isEmpty()).toBe(true);
		expect(sandbox.requests.some(({ method }) => method === 'POST')).toBe(true);
	},
	120_000,
);

it.each<[string, () => string[], string]>([
	['no base URL', key, '--base-url is missing'],
	['plain HTTP', () => ['--base-url', 'http://a.example', ...key()], 'https'],
	['no key', service, 'PROBE_API_KEY must contain the API key'],
])('refuses %s', async (_what, args, message) => {
	const reading = readOptions(args(), {});

	await expect(reading).rejects.toThrow(message);
	await expect(reading).rejects.not.toThrow(KEY);
});
