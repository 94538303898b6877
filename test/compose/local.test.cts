import { X509Certificate } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { createVisitor, startMailServer, trusting } from '../../service/test/support/recipient.cts';
import { getFreePort, inheritedEnvironment, waitFor } from '../../tools/processes.cts';
import { createRunFolder, packPackage, projectRoot, unpackPackage } from '../../tools/project.cts';
import { getN8nVersion, installN8n, type InstalledN8n } from '../../tools/realN8n/installN8n.cts';
import { connectServer } from '../../tools/realN8n/server.cts';
import { buildService } from '../../tools/service.cts';
import { copyTranslated, createComposeFolder, readComposition } from './support/composition.cts';

const SERVICE = join(projectRoot, 'service');
const ADA = 'ada@example.com';
const OWNER = { email: 'owner@example.com', password: 'Password-of-a-test-1' };
/** A folder with the command `n8n`, as in n8n's image. */
function createBin(folder: string, { node, program }: InstalledN8n): string {
	mkdirSync(folder);
	const script = `#!/bin/sh\nexec "${node}" "${program}" "$@"\n`;
	writeFileSync(join(folder, 'n8n'), script, { mode: 0o755 });
	return [folder, dirname(node), process.env.PATH].join(delimiter);
}

async function compose(folder: string) {
	const mails = await startMailServer();
	const ports = {
		service: await getFreePort(),
		n8n: await getFreePort(),
		broker: await getFreePort(),
	};
	const n8n = await installN8n(getN8nVersion('2'));
	const PATH = createBin(join(folder, 'bin'), n8n);
	const home = join(folder, 'home');
	mkdirSync(home);
	const prepareFolder = join(folder, 'prepare');
	/** n8n keeps its data in the folder `.n8n` of another one. */
	const places = { '/home/node/.n8n': join(home, '.n8n'), '/keys': join(folder, 'keys') };
	const replacements = {
		...places,
		'/package': join(folder, 'package'),
		'/prepare/': `${prepareFolder}/`,
		'/app/service/': `${SERVICE}/`,
		'service:8443': `localhost:${ports.service}`,
		'localhost:8443': `localhost:${ports.service}`,
		'mails:1025': `127.0.0.1:${mails.port}`,
	};
	copyTranslated(['compose/prepare.mjs', 'compose/workflow.json'], prepareFolder, replacements);
	// Nothing asks a server of n8n's makers.
	const quiet = ['N8N_DIAGNOSTICS_ENABLED', 'N8N_VERSION_NOTIFICATIONS_ENABLED'];
	const composition = readComposition({
		file: 'compose.yaml',
		folder,
		replacements,
		stands: {
			'encrypted-containers-prepare': { command: ['node', '/prepare/prepare.mjs'] },
			'encrypted-containers-service': {
				command: ['node', '/app/service/dist/main.mjs'],
				env: {
					NODE_ENV: 'production',
					DATA_DIR: join(folder, 'data'),
					PORT: String(ports.service),
				},
			},
			'docker.n8n.io/n8nio/n8n': {
				command: [join(folder, 'bin/n8n'), 'start'],
				env: {
					...inheritedEnvironment(),
					...Object.fromEntries([...quiet, 'N8N_TEMPLATES_ENABLED'].map((name) => [name, 'false'])),
					PATH,
					HOME: home,
					N8N_USER_FOLDER: home,
					N8N_PORT: String(ports.n8n),
					N8N_RUNNERS_BROKER_PORT: String(ports.broker),
				},
			},
		},
	});
	return { composition, mails, ports };
}

describe('what compose.yaml starts', () => {
	const folder = createComposeFolder();
	let started: Awaited<ReturnType<typeof compose>>;
	let startedAt: number;
	beforeAll(async () => {
		const run = await createRunFolder('compose');
		await buildService(run);
		await unpackPackage(await packPackage(run), join(folder, 'package'));
		started = await compose(folder);
		startedAt = Date.now();
		await started.composition.up('n8n');
	}, 900_000);
	afterAll(async () => {
		await started?.composition.down();
		await started?.mails.stop();
	});

	const signIn = async () => {
		const url = `http://localhost:${started.ports.n8n}`;
		const isOk = async (path: string) =>
			await fetch(url + path).then(
				({ ok }) => ok,
				() => false,
			);
		// The editor's API is ready a moment later than the rest.
		const isReady = async () =>
			(await isOk('/healthz/readiness')) && (await isOk('/rest/settings'));
		await waitFor(isReady, 240_000, `n8n isn't ready:\n${started.composition.readLog('n8n')}`);
		return await connectServer({ url, owner: OWNER });
	};

	it('encrypts the first container, which Ada opens with the code that is mailed', async () => {
		const server = await signIn();
		const execution = await server.runWorkflow('encryptATextForAda', 'Start');
		expect(execution.error).toBeUndefined();
		const seconds = Math.round((Date.now() - startedAt) / 1000);
		process.stderr.write(`The first container is encrypted after ${seconds} s.\n`);

		const [output] = execution.json('Encrypt Files');
		const { link: url } = output.settings as { link: string };
		expect(url).toMatch(new RegExp(`^https://localhost:${started.ports.service}/c/`));
		const dispatcher = trusting(readFileSync(join(folder, 'authority/ca.pem'), 'utf8'));
		const visitor = createVisitor({ url, mails: '', dispatcher });
		await visitor.post('code', { email: ADA });
		const { mails } = started.mails;
		await waitFor(() => mails.length > 0, 60_000, 'No code was mailed.');
		expect((await visitor.signIn(ADA, mails[0].code)).status).toBe(303);
		expect((await visitor.getFile(0)).bytes.toString()).toBe('Hello Ada');
	});

	it('gives n8n no private key, the service a certificate for its name, and keeps the API key to itself', () => {
		expect(readdirSync(join(folder, 'authority'))).toEqual(['ca.pem']);
		const certificate = new X509Certificate(readFileSync(join(folder, 'data/tls.pem')));
		expect(certificate.checkHost('service')).toBe('service');
		expect(readdirSync(join(folder, 'home/.n8n'))).not.toContain('import');
		const key = readFileSync(join(folder, 'keys/api-key'), 'utf8');
		for (const name of ['prepare', 'service', 'n8n-import', 'n8n']) {
			expect(started.composition.readLog(name)).not.toContain(key);
		}
	});

	it('starts again with the same key and containers, and keeps what was changed in n8n', async () => {
		const key = readFileSync(join(folder, 'keys/api-key'), 'utf8');
		await started.composition.down();
		await started.composition.up('n8n');
		const server = await signIn();
		expect(readFileSync(join(folder, 'keys/api-key'), 'utf8')).toBe(key);
		const execution = await server.runWorkflow('encryptATextForAda', 'Start');
		expect(execution.error).toBeUndefined();
	});
});
