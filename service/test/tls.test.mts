import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
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
import { mainFile } from './support/service.mts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** All but setInterval. */
const OTHER_TIMERS = [
	...(['Date', 'hrtime', 'nextTick', 'performance', 'queueMicrotask'] as const),
	...(['setImmediate', 'clearImmediate', 'setTimeout', 'clearTimeout'] as const),
];
const FILES = ['ca.key', 'ca.pem', 'tls.key', 'tls.pem'];

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
const create = async (...hosts: string[]) => await ensureCertificate({ folder, hosts });
const daysOf = (pem: string) =>
	Math.round((Date.parse(new X509Certificate(pem).validTo) - Date.now()) / DAY_MS);
const passDays = (days: number) => {
	const now = Date.now() + days * DAY_MS;
	jest.spyOn(Date, 'now').mockImplementation(() => now);
};

describe('the certificate', () => {
	it('and its authority belong together, and only their owner reads the keys', async () => {
		const { cert, ca } = await create();
		expect(readdirSync(folder).sort()).toEqual(FILES);
		const modes = ['ca.key', 'tls.key'].map((name) => statSync(join(folder, name)).mode & 0o777);
		expect(modes).toEqual([0o600, 0o600]);
		const [leaf, authority] = [cert, ca].map((pem) => new X509Certificate(pem));
		expect(leaf.checkIssued(authority) && leaf.verify(authority.publicKey)).toBe(true);
		expect([authority.ca, leaf.ca]).toEqual([true, false]);
		expect([daysOf(ca), daysOf(cert)]).toEqual([3650, 90]);
		// Without the names of the keys, Python 3.13 refuses certificates.
		const [own, issuer] = [cert, ca].map((pem) => {
			const certificate = new x509.X509Certificate(pem);
			const by = certificate.getExtension(x509.AuthorityKeyIdentifierExtension)?.keyId;
			return { key: certificate.getExtension(x509.SubjectKeyIdentifierExtension)?.keyId, by };
		});
		expect([own.key, issuer.key]).toEqual([1, 2].map(() => expect.stringMatching(/^[\da-f]{40}$/)));
		expect([own.by, issuer.by]).toEqual([issuer.key, issuer.key]);
	});

	it('names this machine and the given hosts', async () => {
		const { cert } = await create('files.example.com', '192.0.2.7', '[2001:db8::1]', 'localhost');
		expect(new X509Certificate(cert).subjectAltName?.split(', ')).toEqual([
			...['DNS:localhost', 'IP Address:127.0.0.1', 'IP Address:0:0:0:0:0:0:0:1'],
			...['DNS:files.example.com', 'IP Address:192.0.2.7', 'IP Address:2001:DB8:0:0:0:0:0:1'],
		]);
	});

	it.each<[number, string[], isNew: { cert: boolean; ca: boolean }]>([
		[59, [], { cert: false, ca: false }],
		[61, [], { cert: true, ca: false }],
		[0, ['192.0.2.7'], { cert: true, ca: false }],
		[3640, [], { cert: true, ca: true }],
	])('is renewed when it is needed: after %s days, for %j', async (days, hosts, isNew) => {
		const first = await create();
		passDays(days);
		const second = await create(...hosts);
		expect({ cert: second.cert !== first.cert, ca: second.ca !== first.ca }).toEqual(isNew);
		// Who trusts the old authority also trusts what the new one signs: its key stays.
		const key = new X509Certificate(first.ca).publicKey;
		expect(new X509Certificate(second.cert).verify(key)).toBe(true);
	});

	it.each(FILES)('is repaired where %s is missing, or half of it', async (name) => {
		for (const spoil of [() => rmSync(join(folder, name)), () => cut(name)]) {
			await create();
			spoil();
			await expectAccepted(await create());
		}
	});
	const cut = (name: string) => {
		if (name.endsWith('.pem')) writeFileSync(join(folder, name), read(name).slice(0, 100));
	};

	it('is one for many that start at the same time', async () => {
		const url = pathToFileURL(join(dirname(mainFile), 'tls.mjs')).href;
		const start = `const { ensureCertificate } = await import(${JSON.stringify(url)});
			const made = await ensureCertificate({ folder: ${JSON.stringify(folder)}, hosts: [] });
			process.stdout.write(JSON.stringify(made));`;
		const run = async () =>
			await promisify(execFile)(process.execPath, ['--input-type=module', '-e', start]);
		const outputs = await Promise.all(Array.from({ length: 8 }, run));
		const made = outputs.map(({ stdout }) => JSON.parse(stdout) as Record<'key' | 'cert', string>);
		expect(readdirSync(folder).sort()).toEqual(FILES);
		expect(new Set(made.map(({ key }) => key)).size).toBe(1);
		for (const one of made) await expectAccepted({ ...one, ca: read('ca.pem') });
	});

	it('is changed in a running server, which its timer does not keep running', async () => {
		passDays(-61);
		const first = await create();
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
		const timer = keepRenewed(server, { folder, hosts: [] }, fail);
		expect(timer.hasRef()).toBe(false);
		jest.advanceTimersByTime(DAY_MS);
		await changed;
		const served = await serve(server, first.ca);
		expect([served, served === first.cert]).toEqual([read('tls.pem'), false]);
	});

	it('that can not be renewed is reported', async () => {
		writeFileSync(join(folder, 'ca.key'), 'not a key');
		jest.useFakeTimers({ doNotFake: OTHER_TIMERS });
		const failure = new Promise((resolve) => {
			keepRenewed({ setSecureContext: fail }, { folder, hosts: [] }, resolve);
		});
		jest.advanceTimersByTime(DAY_MS);
		await expect(failure).resolves.toHaveProperty('message');
	});
});

function fail(): never {
	throw new Error('Called');
}

/** Expects that a client that trusts the authority accepts the certificate. */
async function expectAccepted({ key, cert, ca }: { key: string; cert: string; ca: string }) {
	expect(await serve(createServer({ key, cert }), ca)).toBe(cert);
}

async function serve(server: Server, ca: string): Promise<string> {
	server.on('request', (_request, response) => response.end());
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	try {
		return await new Promise((resolve, reject) => {
			get({ host: '127.0.0.1', port, ca, agent: false }, (response) => {
				const { raw } = (response.socket as TLSSocket).getPeerCertificate();
				response.resume().on('end', () => resolve(new X509Certificate(raw).toString()));
			}).on('error', reject);
		});
	} finally {
		server.close();
	}
}
