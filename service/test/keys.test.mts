import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto';
import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import LibSql from 'libsql';
import { encryptText } from '../src/containers/encryptText.mts';
import { deriveKey, openMasterKeys, type MasterKey } from '../src/containers/masterKeys.mts';
import type { ContainerRow } from '../src/database/schema.mts';
import { createContainer, sendForm, filePart, manifestPart } from './support/api.mts';
import type { Container } from './support/api.mts';
import { createFolder, describeService, startService } from './support/service.mts';
import { usesServers, type Service } from './support/service.mts';

const ADA = 'ada@example.com';
const PASSWORD = 'correct horse';
const rules = { recipients: [ADA], downloadable: true, drm: { dynamic: true } };

describe('docs/keys.md', () => {
	const text = readFileSync(join(import.meta.dirname, '../docs/keys.md'), 'utf8');
	const [, section] = /## What an attacker can't do\n([^]*?)\n## /.exec(text)!;
	const sentences = [...section.matchAll(/^- (.+(?:\n {2}.+)*)/gm)].map(([, sentence]) =>
		sentence.replace(/\s+/g, ' ').replaceAll('`', ''),
	);
	const tests = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
		.filter((name) => name.endsWith('.test.mts'))
		.map((name) => readFileSync(join(import.meta.dirname, name), 'utf8'))
		.join('\n');

	it('says nothing of what an attacker can not do that no test tries', () => {
		expect(sentences.length).toBeGreaterThan(10);
		const isTried = (sentence: string) =>
			tests.includes(`'${sentence}'`) || tests.includes(`'${sentence} (`);
		const untried = sentences.filter((sentence) => !isTried(sentence));
		expect(untried).toEqual([]);
	});
});

// They need what the service stores in SQLite and a folder.
(usesServers ? describe.skip : describeService)('an attacker', () => {
	let service: Service;
	let database: LibSql.Database;

	beforeAll(async () => {
		service = await startService({ env: { OWNER_EMAIL: 'olive@example.com' } });
		database = new LibSql(join(service.folder, 'service.db'));
		// The service might be writing.
		database.exec('pragma busy_timeout=10000');
	});
	afterAll(() => database.close());

	const create = async (container = {}) =>
		await createContainer(service, { ...rules, ...container });
	const getKey = () => openMasterKeys(join(service.folder, 'master.key'), {}).current();
	const readRow = ({ uuid }: Container) =>
		database.prepare('SELECT * FROM containers WHERE id = ?').get(uuid) as ContainerRow;
	const readTexts = (table: string, column: string) =>
		(
			database.prepare(`SELECT ${column} AS text FROM ${table}`).all() as Array<{ text: string }>
		).map(({ text }) => text);
	const forgeSession = (key: MasterKey, { uuid }: Container) => {
		const session = {
			...{ sessionId: randomUUID(), sessionEnd: Date.now() + 60_000 },
			...{ address: ADA, isOpen: true },
		};
		return encryptText(deriveKey(key, 'session'), JSON.stringify(session), uuid);
	};
	const enter = async (container: Container, cookie: string) => {
		const visitor = service.visit(container);
		visitor.cookies.set('session', cookie);
		const page = await visitor.go();
		const file = await visitor.getFile(0).catch(() => undefined);
		return `${page.html} ${file?.bytes.toString()}`;
	};
	const insertCode = ({ uuid }: Container, hash: string) =>
		database
			.prepare('INSERT INTO codes VALUES (?, ?, ?, ?, ?, ?)')
			.run([randomUUID(), uuid, ADA, hash, 0, Date.now() + 60_000]);

	it('Whoever reads the database, the storage and a backup finds no content, no password, no code and no key', async () => {
		const content = 'What only Ada may read';
		const container = await create({ password: PASSWORD, files: { 'a.txt': content } });
		const visitor = service.visit(container);
		await visitor.signIn(ADA);
		await visitor.enterPassword(PASSWORD);
		const code = await service.visit(container).requestCode(ADA);
		const { secret } = getKey();
		const backup = join(createFolder(), 'backup');
		expect((await service.run(['backup', backup])).code).toBe(0);
		const paths = ['service.db', 'service.db-wal'].map((name) => join(service.folder, name));
		for (const name of readdirSync(backup, { recursive: true, encoding: 'utf8' })) {
			if (name !== 'files') paths.push(join(backup, name));
		}
		const stored = [...paths, ...service.listFiles()].map((path) => readFileSync(path));
		expect(stored.some((file) => file.includes(container.uuid))).toBe(true);
		const secrets = [content, PASSWORD, code, service.apiKey, 'AGE-SECRET-KEY-1'];
		for (const hidden of [...secrets, secret, secret.toString('base64')]) {
			expect(stored.filter((file) => file.includes(hidden))).toEqual([]);
		}
	});

	it('Whoever reads the database can try no guess against limits, codes and idempotency keys', async () => {
		const container = await create();
		const manifest = JSON.stringify({ container: { name: 'Once', password: '1234' } });
		await sendForm(service, [manifestPart(manifest), filePart('a', 'Hello')], {
			'idempotency-key': randomUUID(),
		});
		const code = await service.visit(container).requestCode(ADA);
		const limit = `code for ${ADA} and ${container.uuid}`;
		const facts = JSON.stringify([container.uuid, ADA, code]);
		const idempotency = JSON.stringify([service.userId, manifest]);
		// Whoever has the key can: what is tried is the right thing.
		const withKey = (purpose: string, text: string) =>
			createHmac('sha256', deriveKey(getKey(), purpose)).update(text).digest('base64url');
		const without = (text: string) => [
			createHash('sha256').update(text).digest('base64url'),
			createHmac('sha256', '').update(text).digest('base64url'),
			createHmac('sha256', Buffer.alloc(32)).update(text).digest('base64url'),
		];
		for (const [purpose, text, stored] of [
			['limit', limit, readTexts('attempts', 'subject')],
			['code', facts, readTexts('codes', 'hash')],
			['idempotency', idempotency, readTexts('idempotency_keys', 'fingerprint')],
		] as const) {
			const finds = (hash: string) => stored.some((entry) => entry.split(' ').includes(hash));
			expect([purpose, finds(withKey(purpose, text))]).toEqual([purpose, true]);
			expect([purpose, without(text).some(finds)]).toEqual([purpose, false]);
		}
	});

	it('Whoever puts the seal or the file of one container into another opens neither', async () => {
		const [one, other] = [
			await create(),
			await create({ files: { 'b.txt': 'What is not shared' } }),
		];
		const [row, foreign] = [readRow(one), readRow(other)];
		const update = database.prepare(
			'UPDATE containers SET seal = ?, files = ?, size = ?, object = ? WHERE id = ?',
		);
		const visitor = service.visit(one);
		await visitor.signIn(ADA);
		const open = async () => {
			const { html } = await visitor.go();
			const file = await visitor.getFile(0).catch(() => undefined);
			return html + file?.bytes.toString();
		};
		expect(await open()).toContain('Hello');
		update.run([foreign.seal, foreign.files, foreign.size, `${row.object} `, row.id]);
		expect(await open()).not.toMatch(/Hello|What is not shared/);
		update.run([row.seal, row.files, row.size, row.object, row.id]);
		const files = join(service.folder, 'files');
		copyFileSync(join(files, foreign.object), join(files, row.object));
		expect(await open()).not.toMatch(/Hello|What is not shared/);
	});

	it('Whoever writes to the database makes no code and no session', async () => {
		const container = await create();
		const key = { id: getKey().id, secret: randomBytes(32) };
		for (const secret of [key.secret, Buffer.alloc(32)]) {
			const page = await enter(container, forgeSession({ ...key, secret }, container));
			expect(page).not.toMatch(/Hello|note\.txt/);
		}
		const facts = JSON.stringify([container.uuid, ADA, '12345678']);
		insertCode(container, createHash('sha256').update(facts).digest('base64url'));
		insertCode(container, createHmac('sha256', key.secret).update(facts).digest('base64url'));
		insertCode(container, '12345678');
		expect((await service.visit(container).signIn(ADA, '12345678')).status).toBe(403);
	});

	it('Whoever has the master key alone reads no content that a password protects', async () => {
		const [plain, locked] = [await create(), await create({ password: PASSWORD })];
		expect(await enter(plain, forgeSession(getKey(), plain))).toContain('Hello');
		expect(await enter(locked, forgeSession(getKey(), locked))).not.toContain('Hello');
	});

	it('Whoever has the cookie of a session reads nothing in it, and opens no other container with it', async () => {
		const [container, other] = [await create({ password: PASSWORD }), await create()];
		const visitor = service.visit(container);
		await visitor.signIn(ADA);
		await visitor.enterPassword(PASSWORD);
		const cookie = visitor.cookies.get('session')!;
		expect(await enter(container, cookie)).toContain('Hello');
		const text = Buffer.from(cookie, 'base64url').toString('latin1');
		expect(text).not.toMatch(/ada@|isOpen|passwordKey/);
		expect(await enter(other, cookie)).not.toContain('Hello');
	});
});
