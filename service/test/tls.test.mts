import { execFile } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
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

function fail(): never {
	throw new Error('Called');
}

/** Expects that the key and the certificate belong together, and that the authority signed it. */
function expectTogether({ key, cert, ca }: Record<'key' | 'cert' | 'ca', string>) {
	const [leaf, authority] = [cert, ca].map((pem) => new X509Certificate(pem));
	expect(leaf.checkIssued(authority) && leaf.verify(authority.publicKey)).toBe(true);
	expect(leaf.checkPrivateKey(createPrivateKey(key))).toBe(true);
}
