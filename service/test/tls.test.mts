import { execFile } from 'node:child_process';
import { createPublicKey, X509Certificate } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, get, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import * as x509 from '@peculiar/x509';
import { ensureCertificate, keepRenewed } from '../src/tls.mts';
import { mainFile } from './support/paths.mts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** All but setInterval. */
const OTHER_TIMERS = [
	...(['Date', 'hrtime', 'nextTick', 'performance', 'queueMicrotask'] as const),
	...(['setImmediate', 'clearImmediate', 'setTimeout', 'clearTimeout'] as const),
];

let folder: string;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'tls-'));
});
afterEach(() => {
	jest.useRealTimers();
	jest.restoreAllMocks();
	rmSync(folder, { recursive: true });
});

const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const daysOf = (pem: string) =>
	(Date.parse(new X509Certificate(pem).validTo) - Date.now()) / DAY_MS;
const passDays = (days: number) => {
	const now = Date.now() + days * DAY_MS;
	jest.spyOn(Date, 'now').mockImplementation(() => now);
};

describe('ensureCertificate', () => {
	it('creates four files that belong together', async () => {
		const { key, cert, ca } = await ensureCertificate({ folder, hosts: [] });
		expect(readdirSync(folder).sort()).toEqual(['ca.key', 'ca.pem', 'tls.key', 'tls.pem']);
		expect({ key, cert, ca }).toEqual({
			key: read('tls.key'),
			cert: read('tls.pem'),
			ca: read('ca.pem'),
		});
		for (const name of ['ca.key', 'tls.key']) {
			expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
		}
		const [leaf, authority] = [cert, ca].map((pem) => new X509Certificate(pem));
		expect(leaf.checkIssued(authority)).toBe(true);
		expect(leaf.verify(authority.publicKey)).toBe(true);
		expect([authority.ca, leaf.ca]).toEqual([true, false]);
		expect(leaf.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
		expect([Math.round(daysOf(ca)), Math.round(daysOf(cert))]).toEqual([3650, 90]);
	});

	it('names the keys, without which Python 3.13 refuses certificates', async () => {
		const { cert, ca } = await ensureCertificate({ folder, hosts: [] });
		const [leaf, authority] = [cert, ca].map((pem) => {
			const certificate = new x509.X509Certificate(pem);
			const own = certificate.getExtension(x509.SubjectKeyIdentifierExtension)?.keyId;
			return { own, by: certificate.getExtension(x509.AuthorityKeyIdentifierExtension)?.keyId };
		});
		expect(authority.own).toMatch(/^[\da-f]{40}$/);
		expect(leaf.own).toMatch(/^[\da-f]{40}$/);
		expect([authority.by, leaf.by]).toEqual([authority.own, authority.own]);
	});

	it('names this machine and the given hosts', async () => {
		const hosts = ['files.example.com', '192.0.2.7', '[2001:db8::1]', 'localhost'];
		const { cert } = await ensureCertificate({ folder, hosts });
		expect(new X509Certificate(cert).subjectAltName?.split(', ')).toEqual([
			...['DNS:localhost', 'IP Address:127.0.0.1', 'IP Address:0:0:0:0:0:0:0:1'],
			...['DNS:files.example.com', 'IP Address:192.0.2.7', 'IP Address:2001:DB8:0:0:0:0:0:1'],
		]);
	});

	it('keeps what is there', async () => {
		const first = await ensureCertificate({ folder, hosts: ['files.example.com'] });
		passDays(59);
		const second = await ensureCertificate({ folder, hosts: ['files.example.com'] });
		expect(second).toEqual(first);
	});

	it('renews the certificate in its last 30 days', async () => {
		const first = await ensureCertificate({ folder, hosts: [] });
		passDays(61);
		const second = await ensureCertificate({ folder, hosts: [] });
		expect(second.ca).toBe(first.ca);
		expect(second.cert).not.toBe(first.cert);
		expect(Math.round(daysOf(second.cert))).toBe(90);
	});

	it('renews the certificate for another host', async () => {
		const first = await ensureCertificate({ folder, hosts: [] });
		const second = await ensureCertificate({ folder, hosts: ['192.0.2.7'] });
		expect(second.ca).toBe(first.ca);
		expect(new X509Certificate(second.cert).checkIP('192.0.2.7')).toBe('192.0.2.7');
	});

	it('renews the authority before it ends', async () => {
		const first = await ensureCertificate({ folder, hosts: [] });
		passDays(3640);
		const second = await ensureCertificate({ folder, hosts: [] });
		expect(second.ca).not.toBe(first.ca);
		const key = createPublicKey(first.ca);
		expect(new X509Certificate(second.cert).verify(key)).toBe(true);
	});

	it.each(['ca.pem', 'tls.pem', 'ca.key', 'tls.key'])(
		'repairs a folder without %s',
		async (name) => {
			await ensureCertificate({ folder, hosts: [] });
			rmSync(join(folder, name));
			const { key, cert, ca } = await ensureCertificate({ folder, hosts: [] });
			await expect(connect({ key, cert, ca })).resolves.toBe(true);
		},
	);

	it.each(['ca.pem', 'tls.pem'])('replaces a half %s', async (name) => {
		await ensureCertificate({ folder, hosts: [] });
		writeFileSync(join(folder, name), read(name).slice(0, 100));
		const { key, cert, ca } = await ensureCertificate({ folder, hosts: [] });
		await expect(connect({ key, cert, ca })).resolves.toBe(true);
	});

	it('fails with a key that is none', async () => {
		writeFileSync(join(folder, 'ca.key'), 'not a key');
		await expect(ensureCertificate({ folder, hosts: [] })).rejects.toThrow();
		expect(read('ca.key')).toBe('not a key');
	});

	it('lets many start at the same time', async () => {
		const url = pathToFileURL(join(dirname(mainFile), 'tls.mjs')).href;
		const start = `const { ensureCertificate } = await import(${JSON.stringify(url)});
			const made = await ensureCertificate({ folder: ${JSON.stringify(folder)}, hosts: [] });
			process.stdout.write(JSON.stringify(made));`;
		const run = async () =>
			await promisify(execFile)(process.execPath, ['--input-type=module', '-e', start]);
		const outputs = await Promise.all(Array.from({ length: 8 }, run));
		const certificates = outputs.map(
			({ stdout }) => JSON.parse(stdout) as Record<'key' | 'cert', string>,
		);
		expect(readdirSync(folder).sort()).toEqual(['ca.key', 'ca.pem', 'tls.key', 'tls.pem']);
		expect(new Set(certificates.map(({ key }) => key)).size).toBe(1);
		const ca = read('ca.pem');
		for (const { key, cert } of certificates) {
			await expect(connect({ key, cert, ca })).resolves.toBe(true);
		}
	});
});

describe('keepRenewed', () => {
	it('changes the certificate of a running server', async () => {
		passDays(-61);
		const first = await ensureCertificate({ folder, hosts: [] });
		jest.restoreAllMocks();
		const server = createServer(first);
		const changed = new Promise<void>((resolve) => {
			const setSecureContext = server.setSecureContext.bind(server);
			server.setSecureContext = (options) => {
				setSecureContext(options);
				resolve();
			};
		});
		jest.useFakeTimers({ doNotFake: OTHER_TIMERS });
		keepRenewed(server, { folder, hosts: [] }, fail);
		jest.advanceTimersByTime(DAY_MS);
		await changed;
		const served = await serve(server, first.ca);
		expect(served.toString()).toBe(read('tls.pem'));
		expect(served.toString()).not.toBe(first.cert);
	});

	it('reports a failure', async () => {
		writeFileSync(join(folder, 'ca.key'), 'not a key');
		jest.useFakeTimers({ doNotFake: OTHER_TIMERS });
		const failure = new Promise((resolve) => {
			keepRenewed({ setSecureContext: fail }, { folder, hosts: [] }, resolve);
		});
		jest.advanceTimersByTime(DAY_MS);
		await expect(failure).resolves.toHaveProperty('message');
	});

	it("doesn't keep the process running", () => {
		const timer = keepRenewed({ setSecureContext: fail }, { folder, hosts: [] }, fail);
		expect(timer.hasRef()).toBe(false);
		clearInterval(timer);
	});
});

function fail(): never {
	throw new Error('Called');
}

/** Whether a client that trusts the authority accepts the certificate. */
async function connect({ key, cert, ca }: { key: string; cert: string; ca: string }) {
	const served = await serve(createServer({ key, cert }), ca);
	return served.toString() === cert;
}

async function serve(server: Server, ca: string): Promise<X509Certificate> {
	server.on('request', (_request, response) => response.end());
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	try {
		return await new Promise((resolve, reject) => {
			get({ host: '127.0.0.1', port, ca, agent: false }, (response) => {
				const { raw } = (response.socket as TLSSocket).getPeerCertificate();
				response.resume().on('end', () => resolve(new X509Certificate(raw)));
			}).on('error', reject);
		});
	} finally {
		server.close();
	}
}
