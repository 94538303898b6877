import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCertificate } from '../../../sandbox/certificate.cts';
import { startSandbox, type Sandbox } from '../../../sandbox/index.cts';
import { getFreePort, startProcess, waitUntilReady } from '../../../tools/processes.cts';
import { trustCertificateAuthority } from '../../support/trust.cts';
import { startPlainFront, startTlsFront, type Front } from './front.cts';
import type { Proxy } from './proxies.cts';
import { isListening } from './startStack.cts';

export interface RunningProxy {
	/** The base URL of the sandbox, through the proxy. */
	baseUrl: string;
	sandbox: Sandbox;
	stop(): Promise<void>;
}

/** Starts the sandbox service and a proxy in front of it that the node trusts. */
export async function startProxy(proxy: Proxy): Promise<RunningProxy> {
	const sandbox = await startSandbox();
	const folder = await mkdtemp(join(tmpdir(), 'interop-'));
	// As root, some proxies work as another user.
	await chmod(folder, 0o777);
	const certificate = await createCertificate();
	const { ca, key, cert } = certificate;
	for (const [name, content] of Object.entries({ cert, key, both: cert + key })) {
		await writeFile(join(folder, `${name}.pem`), content);
	}
	const fronts: Front[] = [];
	let service = sandbox.port;
	let port = await getFreePort();
	if (!proxy.hasTls) {
		fronts.push(await startPlainFront(service, { ca: sandbox.ca, key, cert }));
		service = fronts[0].port;
	}
	const file = join(folder, 'configuration');
	await writeFile(file, proxy.configure({ port, service, folder }));
	const work = join(folder, 'work');
	await mkdir(work);
	const running = startProcess({
		...proxy.start(file, work, port),
		cwd: folder,
		env: process.env,
		stdout: join(folder, 'log'),
	});
	await waitUntilReady(running, async () => await isListening(port));
	if (!proxy.hasTls) {
		fronts.push(await startTlsFront(port, certificate));
		port = fronts[1].port;
	}
	const untrust = trustCertificateAuthority(ca);
	return {
		baseUrl: `https://localhost:${port}/api/v1`,
		sandbox,
		async stop() {
			untrust();
			for (const front of fronts) front.stop();
			await running.stop();
			await sandbox.stop();
			await rm(folder, { recursive: true, force: true });
		},
	};
}
