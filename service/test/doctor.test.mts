import {
	chmodSync,
	cpSync,
	existsSync,
	mkdirSync,
	readFileSync,
	renameSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import { request, type RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import LibSql from 'libsql';
import selfsigned from 'selfsigned';
import { SMTPServer } from 'smtp-server';
import { createCertificate } from '../../test/support/certificate.cts';
import { getFreePort } from '../../tools/processes.cts';
import { createFolder, describeService, runService } from './support/service.mts';
import { startService, usesServers, type Service } from './support/service.mts';
import { startMailServer } from './support/recipient.cts';

const WELL =
	'All is well: certificate, database, storage, mail, PUBLIC_URL, scanner and Office files.\n';
const DAY_MS = 24 * 60 * 60 * 1000;
/** Where nothing answers. */
const CLAMD_URL = 'tcp://127.0.0.1:1';
const MAILS = { OWNER_EMAIL: 'olive@example.com' };

const closes: Array<() => void> = [];
afterAll(() => {
	for (const close of closes) close();
});

/** A server that speaks HTTPS. @returns its port */
async function serve(certificate: { key: string; cert: string }, listener: RequestListener) {
	const server = createServer(certificate, listener);
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	closes.push(() => {
		server.closeAllConnections();
		server.close();
	});
	return (server.address() as AddressInfo).port;
}

/** A certificate in two files. */
async function writeCertificate(name: string, notAfterDate: Date) {
	const notBeforeDate = new Date(notAfterDate.getTime() - 90 * DAY_MS);
	const extensions = [{ name: 'subjectAltName', altNames: [{ type: 2, value: name }] }];
	const options = { keySize: 2048, notBeforeDate, notAfterDate, extensions };
	const made = await selfsigned.generate([{ name: 'commonName', value: name }], options as never);
	const folder = createFolder();
	const files = { TLS_CERT: join(folder, 'cert.pem'), TLS_KEY: join(folder, 'key.pem') };
	writeFileSync(files.TLS_CERT, made.cert);
	writeFileSync(files.TLS_KEY, made.private);
	return files;
}

/** All of them with a data folder: on servers, most of them are the same. */
const describeFolder = usesServers ? describe.skip : describeService;

describeFolder('doctor', () => {
	let service: Service;
	let settings: Record<string, string>;
	beforeAll(async () => {
		const PORT = String(await getFreePort());
		service = await startService({ env: { PORT, ...MAILS } });
		settings = { DATA_DIR: service.folder, PORT, ...MAILS };
	});

	const examine = async (change: Record<string, string> = {}) => {
		const { code, stdout, stderr } = await runService(['doctor'], { ...settings, ...change });
		expect(stderr).toBe('');
		return { code, stdout };
	};
	const expectProblem = async (change: Record<string, string>, sentence: string) => {
		const { code, stdout } = await examine(change);
		expect(stdout).toContain(sentence);
		expect(code).toBe(1);
	};
	/** A copy of the data, of which something is then broken. */
	const copyData = () => {
		const folder = createFolder();
		cpSync(service.folder, folder, { recursive: true });
		return folder;
	};

	it('finds nothing where all is well', async () => {
		expect(await examine()).toEqual({ code: 0, stdout: WELL });
	});

	it('names a mail server that nobody reaches', async () => {
		const sentence = "The mail server 127.0.0.1:1 can't be used (ESOCKET)";
		await expectProblem({ SMTP_URL: 'smtp://127.0.0.1:1' }, sentence);
	});

	it('names a mail server that refuses the password, without showing it', async () => {
		const server = new SMTPServer({
			allowInsecureAuth: true,
			disabledCommands: ['STARTTLS'],
			onAuth: (_auth, _session, done) => done(new Error('Wrong')),
		});
		await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
		closes.push(() => void server.close());
		const { port } = server.server.address() as AddressInfo;
		const SMTP_URL = `smtp://olive:secret@127.0.0.1:${port}?ignoreTLS=true`;
		const sentence = `The mail server 127.0.0.1:${port} refuses the user or the password: correct them in SMTP_URL.`;
		await expectProblem({ SMTP_URL }, sentence);
		expect((await examine({ SMTP_URL })).stdout).not.toContain('secret');
	});

	it('names a service for others whose mails are only files', async () => {
		const change = { PUBLIC_URL: `https://127.0.0.1:${settings.PORT}` };
		await expectProblem(change, 'Mails are only files in the outbox of DATA_DIR');
	});

	it.each([
		['has ended', 'localhost', -1, /ended on .*: renew it, and restart the service/],
		['ends soon', 'localhost', 3, /ends on .*: renew it/],
		[
			'is for another host',
			'other.example.com',
			80,
			/is for DNS:other.example.com, not for localhost/,
		],
	])('names a certificate that %s', async (_title, name, days, sentence) => {
		const files = await writeCertificate(name, new Date(Date.now() + days * DAY_MS));
		const { code, stdout } = await examine(files);
		expect(stdout).toMatch(sentence);
		expect(code).toBe(1);
	});

	it('names a PUBLIC_URL where nothing answers', async () => {
		const PUBLIC_URL = `https://localhost:${await getFreePort()}`;
		await expectProblem({ PUBLIC_URL }, `The service can't be reached at ${PUBLIC_URL}`);
	});

	it('names a PUBLIC_URL where something else answers', async () => {
		const [key, cert] = ['key', 'pem'].map((end) =>
			readFileSync(join(service.folder, `tls.${end}`), 'utf8'),
		);
		const port = await serve({ key, cert }, (_request, response) => response.end('ok'));
		const PUBLIC_URL = `https://localhost:${port}`;
		const sentence = `Something else than the service answers at ${PUBLIC_URL} (status 200)`;
		await expectProblem({ PUBLIC_URL }, sentence);
	});

	it('names a PUBLIC_URL with a certificate that browsers do not trust', async () => {
		const port = await serve(await createCertificate(), (_request, response) => response.end());
		const PUBLIC_URL = `https://localhost:${port}`;
		await expectProblem({ PUBLIC_URL }, `Browsers don't trust the certificate at ${PUBLIC_URL}`);
	});

	it('names a storage that takes no files', async () => {
		const DATA_DIR = copyData();
		renameSync(join(DATA_DIR, 'files'), join(DATA_DIR, 'elsewhere'));
		writeFileSync(join(DATA_DIR, 'files'), '');
		await expectProblem({ DATA_DIR }, "Files can't be stored (");
	});

	it('does not send who has a database that only cannot be opened to a backup', async () => {
		const DATA_DIR = copyData();
		// As on a disk that has no room for it.
		rmSync(join(DATA_DIR, 'service.db-shm'), { force: true });
		mkdirSync(join(DATA_DIR, 'service.db-shm'));
		const { stdout } = await examine({ DATA_DIR });
		expect(stdout).toMatch(/^The database can't be used \(SQLITE_\w+\): make room/);
		expect(stdout).not.toContain('backup');
	});

	it('names a database that is spoiled, and one that is missing', async () => {
		const DATA_DIR = copyData();
		writeFileSync(join(DATA_DIR, 'service.db'), 'spoiled '.repeat(1000));
		writeFileSync(join(DATA_DIR, 'service.db-wal'), '');
		await expectProblem({ DATA_DIR }, "The database can't be used (");
		const empty = createFolder();
		await expectProblem(
			{ DATA_DIR: empty, CLAMD_URL },
			'start the service once, or correct DATA_DIR.',
		);
		expect(existsSync(join(empty, 'service.db'))).toBe(false);
	});

	it('names a PostgreSQL that does not run', async () => {
		const MASTER_KEY = Buffer.alloc(32, 1).toString('base64');
		const DATABASE_URL = 'postgres://olive:secret@127.0.0.1:1/containers';
		const change = { DATABASE_URL, MASTER_KEY, TLS: 'off' };
		const advice = 'check DATABASE_URL, and that PostgreSQL runs.';
		await expectProblem(change, `The database can't be used (ECONNREFUSED): ${advice}`);
	});

	it('says what it found, also where one examination cannot be made', async () => {
		const DATA_DIR = copyData();
		writeFileSync(join(DATA_DIR, 'tls.pem'), 'spoiled');
		const { code, stdout } = await examine({ DATA_DIR, CLAMD_URL });
		expect(stdout).toMatch(/^Not examined: certificate \(ERR_\w+\)\. Correct this/);
		expect(stdout).toContain("The scanner can't be used (ECONNREFUSED)");
		expect(code).toBe(1);
	});

	it('names a master key that others can read', async () => {
		const DATA_DIR = copyData();
		const file = join(DATA_DIR, 'master.key');
		chmodSync(file, 0o644);
		await expectProblem({ DATA_DIR }, `run "chmod 600 ${file}"`);
	});

	it('names a clock that is behind', async () => {
		const DATA_DIR = copyData();
		const database = new LibSql(join(DATA_DIR, 'service.db'));
		const columns = 'owner_id, created_date, action, container_id, container_name, "user", detail';
		const values = `'a', '2099-01-01T00:00:00.000Z', 'container.open', 'b', 'c', 'd', '{}'`;
		database.exec(`insert into events (${columns}) values (${values})`);
		database.close();
		await expectProblem({ DATA_DIR }, 'The newest event is from the future');
	});
});

describeFolder('doctor behind a proxy', () => {
	let port: number;
	let settings: Record<string, string>;
	const proxied = { sendsProtocol: true, maxBytes: Infinity };
	beforeAll(async () => {
		const { ca, ...certificate } = await createCertificate();
		port = await getFreePort();
		const proxy = await serve(certificate, ({ headers, method, url: path }, response) => {
			if (Number(headers['content-length'] ?? 0) > proxied.maxBytes) {
				response.writeHead(413).end('<html>Too large</html>');
				return;
			}
			const more = proxied.sendsProtocol ? { 'x-forwarded-proto': 'https' } : {};
			const options = { port, host: '127.0.0.1', method, path, headers: { ...headers, ...more } };
			const forwarded = request(options, (answer) => {
				response.writeHead(answer.statusCode!, answer.headers);
				answer.pipe(response);
			});
			forwarded.on('error', () => response.destroy());
			forwarded.end();
		});
		const mails = await startMailServer();
		closes.push(() => void mails.stop());
		const env = {
			PORT: String(port),
			TLS: 'off',
			TRUST_PROXY: '127.0.0.1',
			PUBLIC_URL: `https://localhost:${proxy}`,
			SMTP_URL: mails.url,
			...MAILS,
		};
		const { folder } = await startService({ env });
		const authority = join(createFolder(), 'company.pem');
		writeFileSync(authority, ca);
		settings = { DATA_DIR: folder, NODE_EXTRA_CA_CERTS: authority, ...env };
	});
	const examine = async (change: Record<string, string> = {}) =>
		await runService(['doctor'], { ...settings, ...change });

	it('finds nothing where all is well', async () => {
		expect(await examine()).toEqual({ code: 0, stdout: WELL, stderr: '' });
	});

	it('names an authority that this machine does not trust', async () => {
		expect(await examine({ NODE_EXTRA_CA_CERTS: '' })).toMatchObject({
			code: 1,
			stdout: expect.stringContaining("If it is of your company's authority"),
		});
	});

	it('names a proxy that is not trusted, one that does not say HTTPS, and one that limits uploads', async () => {
		const untrusted = await examine({ TRUST_PROXY: '' });
		expect(untrusted).toMatchObject({
			code: 1,
			stdout: expect.stringContaining('set TRUST_PROXY'),
		});
		proxied.sendsProtocol = false;
		const plain = await examine();
		expect(plain.stdout).toContain('let the proxy send X-Forwarded-Proto: https');
		proxied.sendsProtocol = true;
		proxied.maxBytes = 1_000_000;
		const limited = await examine();
		expect(limited.stdout).toContain('refuses uploads of 2 MB');
		expect([plain.code, limited.code]).toEqual([1, 1]);
	});

	it('test-mail says whether the mail server takes a mail', async () => {
		const send = async (change: Record<string, string>, to = 'ada@example.com') =>
			await runService(['test-mail', to], { ...settings, ...change });
		const sent = await send({});
		expect(sent).toMatchObject({
			code: 0,
			stdout: expect.stringContaining('to ada@example.com.\n'),
		});
		const refused = await send({}, 'nobody@example.com');
		expect(refused.stdout).toContain('refuses the sender or the recipient (550)');
		const down = await send({ SMTP_URL: 'smtp://127.0.0.1:1' });
		expect(down.stdout).toContain('check the host and the port of SMTP_URL');
		expect([refused.code, down.code]).toEqual([1, 1]);
	});
});
