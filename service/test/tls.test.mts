import { execFile, execFileSync } from 'node:child_process';
import { createPrivateKey, createPublicKey, webcrypto, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { isIP, type AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { connect as tlsConnect, createServer } from 'node:tls';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import * as x509 from '@peculiar/x509';
import { signServer, type Signed } from '../src/certificates.mts';
import { SettingError } from '../src/errors.mts';
import { ensureCertificate, keepRenewed } from '../src/tls.mts';
import { createFolder, mainFile } from './support/service.mts';

const DAY_MS = 24 * 60 * 60 * 1000;
const FILES = ['ca.key', 'ca.pem', 'tls.key', 'tls.pem'];

let folder: string;
beforeEach(() => {
	folder = createFolder();
});
afterEach(() => void jest.restoreAllMocks());

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
		const { cert, ca, key } = await create();
		expect(readdirSync(folder).sort()).toEqual(FILES);
		const modes = ['ca.key', 'tls.key'].map((name) => statSync(join(folder, name)).mode & 0o777);
		expect(modes).toEqual([0o600, 0o600]);
		expectTogether({ cert, ca, key });
		expect([ca, cert].map((pem) => new X509Certificate(pem).ca)).toEqual([true, false]);
		expect([daysOf(ca), daysOf(cert)]).toEqual([3650, 90]);
	});

	it('names this machine and the given hosts', async () => {
		const { cert } = await create('files.example.com', '192.0.2.7', '[2001:db8::1]', 'localhost');
		expect(new X509Certificate(cert).subjectAltName?.split(', ')).toEqual([
			...['DNS:localhost', 'IP Address:127.0.0.1', 'IP Address:0:0:0:0:0:0:0:1'],
			...['DNS:files.example.com', 'IP Address:192.0.2.7', 'IP Address:2001:DB8:0:0:0:0:0:1'],
		]);
	});

	it.each<[number, string[], isNew: { cert: boolean; ca: boolean }]>([
		[59, ['files.example.com'], { cert: false, ca: false }],
		[61, ['files.example.com'], { cert: true, ca: false }],
		[0, ['www.files.example.com'], { cert: true, ca: false }],
		[3640, ['files.example.com'], { cert: true, ca: true }],
	])('is renewed when it is needed: after %s days, for %j', async (days, hosts, isNew) => {
		const first = await create('files.example.com');
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
			expectTogether(await create());
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
		for (const one of made) expectTogether({ ...one, ca: read('ca.pem') });
	});

	it('is changed in a running server', async () => {
		passDays(-61);
		await create();
		jest.restoreAllMocks();
		const before = read('tls.pem');
		const interval = jest.spyOn(globalThis, 'setInterval');
		const changed = new Promise((resolve) => {
			clearInterval(keepRenewed({ setSecureContext: resolve }, { folder, hosts: [] }, fail));
		});
		interval.mock.calls[0][0]();
		expect(await changed).toMatchObject({ cert: read('tls.pem') });
		expect(read('tls.pem')).not.toBe(before);
	});
});

describe('the authority', () => {
	const hosts = ['files.example.com', '192.0.2.7'];
	const connect = async (signed: Signed, ca: string, servername: string) => {
		const server = createServer(signed, (socket) => socket.end('hello'));
		await once(server.listen(0, '127.0.0.1'), 'listening');
		const { port } = server.address() as AddressInfo;
		const options = { host: '127.0.0.1', port, ca, servername, checkServerIdentity };
		const socket = tlsConnect(options);
		const result = await once(socket, 'secureConnect').then(
			() => 'trusted',
			({ message }: Error) => message,
		);
		socket.destroy();
		server.close();
		return result;
	};
	const checkServerIdentity = (_name: string, { subjectaltname }: { subjectaltname?: string }) =>
		subjectaltname?.includes('example') ? undefined : new Error(subjectaltname);

	it('Whoever has ca.key passes for no host that its authority does not name', async () => {
		await create(...hosts);
		const authority = { key: read('ca.key'), cert: read('ca.pem') };
		const { key, cert } = { key: read('tls.key'), cert: read('tls.pem') };
		expect(await connect({ key, cert }, authority.cert, 'files.example.com')).toBe('trusted');
		const inside = await signServer(key, ['www.files.example.com', '127.1.2.3'], authority);
		expect(await connect({ key, cert: inside }, authority.cert, 'www.files.example.com')).toBe(
			'trusted',
		);
		for (const name of ['bank.example.com', 'badfiles.example.com', '192.0.2.8']) {
			const forged = await signServer(key, [name, 'files.example.com'], authority);
			const asked = isIP(name) ? 'files.example.com' : name;
			expect(await connect({ key, cert: forged }, authority.cert, asked)).toBe(
				'permitted subtree violation',
			);
		}
	});

	it('signs no other authority', async () => {
		await create(...hosts);
		const text = execFileSync('openssl', ['x509', '-noout', '-text'], { input: read('ca.pem') });
		expect(text.toString()).toMatch(/CA:TRUE, pathlen:0/);
	});

	it('is not asked for what clients would refuse: the service says what to do', async () => {
		await create(...hosts);
		await expect(create('other.example.com')).rejects.toThrow(SettingError);
		await expect(create('other.example.com')).rejects.toThrow(/other\.example\.com.*ca\.key/);
		await create('192.0.2.7');
	});

	it('of before, which signs for all names, stays', async () => {
		await create();
		writeFileSync(join(folder, 'ca.pem'), await signUnlimited(read('ca.key')));
		const before = read('ca.pem');
		const { ca, cert } = await create('other.example.com');
		expect(ca).toBe(before);
		expect(new X509Certificate(cert).subjectAltName).toContain('DNS:other.example.com');
	});

	/** An authority as the first version made it. */
	const signUnlimited = async (key: string) => {
		const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
		const privateKey = createPrivateKey(key).export({ type: 'pkcs8', format: 'der' });
		const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' });
		const certificate = await x509.X509CertificateGenerator.create({
			subject: 'CN=Encrypted Containers Authority',
			issuer: 'CN=Encrypted Containers Authority',
			publicKey,
			signingKey: await webcrypto.subtle.importKey('pkcs8', privateKey, algorithm, false, ['sign']),
			notAfter: new Date(Date.now() + 3650 * DAY_MS),
			extensions: [new x509.BasicConstraintsExtension(true, undefined, true)],
		});
		return certificate.toString('pem');
	};
});

function fail(): never {
	throw new Error('Called');
}

/** Expects that the key and the certificate belong together, and that the authority signed it. */
function expectTogether({ key, cert, ca }: Record<'key' | 'cert' | 'ca', string>) {
	const [leaf, authority] = [cert, ca].map((pem) => new X509Certificate(pem));
	expect(leaf.checkIssued(authority) && leaf.verify(authority.publicKey)).toBe(true);
	expect(leaf.checkPrivateKey(createPrivateKey(key))).toBe(true);
}
