import { chownSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { extract } from 'tar';
import { Api, connectService } from '../../../tools/serviceClient.cts';
import { buildImage, buildPreparation, runReadOnly } from '../support/image.mts';
import { createVisitor } from '../support/recipient.cts';
import { createFolder } from '../support/service.mts';
import type { Container } from '../support/api.mts';

const MAX_BYTES = 150_000_000;
const ADA = 'ada@example.com';
const RULES = { recipients: [ADA], downloadable: true };
/** Of the data folder in version1.tar.gz. */
const OLD = { API_KEY: 'ec_the-first-data-folder', OWNER_EMAIL: 'olive@example.com' };
const BUILD_TOOLS =
	/^(npm|npx|corepack|yarn|yarnpkg|tsc|gcc|cc|g\+\+|make|python3?|git|curl|wget)$/;

type Image = Awaited<ReturnType<typeof buildImage>>;
type Running = Awaited<ReturnType<Image['run']>>;

// Images are built, on a machine that may be busy.
jest.setTimeout(900_000);

let image: Image;
// The base is downloaded once.
beforeAll(async () => {
	image = await buildImage();
}, 1_800_000);
afterAll(async () => await image?.remove());

/** As Docker makes a volume: the folder belongs to whom it belongs to in the image. */
function createVolume({ uid = 1000 } = {}): string {
	const data = createFolder();
	chownSync(data, uid, 0);
	return data;
}

/** Its API, and who stands before the door of a container. */
async function connect({ origin, printed }: Running, data: string, key?: string) {
	const [, shown] = /API key +(ec_\S+)/.exec(printed) ?? [];
	const [, userId] = /User ID +(\S+)/.exec(printed) ?? [];
	const apiKey = key ?? shown;
	const ca = readFileSync(join(data, 'ca.pem'), 'utf8');
	const access = { baseUrl: `${origin}/api/v1`, apiKey, ca };
	const { dispatcher } = new Api(access);
	const visit = (id: string) =>
		createVisitor({ url: `${origin}/c/${id}`, mails: join(data, 'outbox'), dispatcher });
	return { apiKey, userId, api: new Api(access), ...connectService({ ...access, userId }), visit };
}

it('is less than 150 MB to pull, has labels, and neither npm nor tools to build', async () => {
	const { config, root, measure } = image;
	const bytes = await measure();
	process.stderr.write(`The image has ${Math.round(bytes / 1e6)} MB to pull.\n`);
	expect(bytes).toBeLessThan(MAX_BYTES);
	expect(config.User).toBe('1000:1000');
	expect(config.Labels).toMatchObject({
		'org.opencontainers.image.version': '1.2.3',
		'org.opencontainers.image.licenses': 'MIT',
		'org.opencontainers.image.source': expect.stringContaining('https://github.com/'),
		'org.opencontainers.image.base.name': expect.stringMatching(/node/),
	});
	const programs = ['usr/local/bin', 'usr/bin', 'usr/sbin', 'app/node_modules/.bin']
		.flatMap((folder) => readdirSync(join(root, folder)))
		.filter((name) => BUILD_TOOLS.test(name));
	expect(programs).toEqual([]);
	const fonts = join(root, 'app/node_modules/@embedpdf/fonts-jp/fonts');
	expect(readdirSync(fonts)).toEqual(['NotoSansJP-Regular.otf']);
	expect(readdirSync(join(root, 'app/service')).sort()).toEqual(
		['LICENSE', 'README.md', 'dist', 'monitoring', 'node_modules', 'package.json', 'pages'].sort(),
	);
});

it('encrypts and opens on an empty volume, has everything again after a restart, and ends at SIGTERM', async () => {
	const data = createVolume();
	const first = await image.run({ data });
	const before = await connect(first, data);
	const id = await before.addContainer({ name: 'Report', rules: RULES, text: 'The report' });
	const ended = await first.stop();
	expect(ended).toEqual({ code: 0, signal: null });

	const second = await image.run({ data });
	const after = await connect(second, data, before.apiKey);
	expect(await after.getContainers()).toMatchObject([{ uuid: id, name: 'Report' }]);
	const visitor = after.visit(id);
	expect((await visitor.signIn(ADA)).status).toBe(303);
	expect((await visitor.getFile(0)).bytes.toString()).toBe('The report');
	const volume = { data, env: { PORT: second.port } };
	const checked = await image.execute(volume, 'service', 'check', '--read');
	expect(checked).toMatch(/^1 container: everything is in order\.\n/);
	const [kind, ...healthCheck] = image.config.Healthcheck.Test;
	expect(kind).toBe('CMD');
	expect(await image.execute(volume, ...healthCheck)).toBe('ok');
	await second.stop();
	await expect(image.execute(volume, ...healthCheck)).rejects.toThrow();
});

it('opens what a data folder of the first version has', async () => {
	const data = createVolume();
	await extract({ file: join(import.meta.dirname, 'version1.tar.gz'), cwd: data });
	for (const name of readdirSync(data, { recursive: true, encoding: 'utf8' })) {
		chownSync(join(data, name), 1000, 1000);
	}
	const running = await image.run({ data, env: { ...OLD, EVENTS_DAYS: '36500' } });
	const { userId, api, getContainers, visit } = await connect(running, data, OLD.API_KEY);
	const [plan, locked] = await getContainers();
	expect([plan, locked]).toMatchObject([{ name: 'The plan' }, { name: 'With a password' }]);
	const visitor = visit(locked.uuid);
	await visitor.signIn(ADA);
	await visitor.enterPassword('correct');
	expect((await visitor.getFile(0)).bytes.toString()).toBe('The secret of the first version');
	const { body } = await api.get<Container>(`/containers/${plan.uuid}`);
	expect(body).toMatchObject({ opens_used: 1 });
	const contact = await api.get(`/users/${userId}/contacts/${ADA}`);
	expect(contact.body).toMatchObject({ first_name: 'Ada' });
	await running.stop();
});

it('runs as any user, and writes nowhere but into the volume', async () => {
	const data = createVolume({ uid: 4711 });
	const running = await runReadOnly(image.root, image.config, data);
	const { addContainer, visit } = await connect(running, data);
	const id = await addContainer({ rules: RULES, text: 'Written by another user' });
	const visitor = visit(id);
	await visitor.signIn(ADA);
	expect((await visitor.getFile(0)).bytes.toString()).toBe('Written by another user');
	expect(await running.stop()).toEqual({ code: 0, signal: null });
});

it('of compose.yaml has the nodes as they are packed, and what prepares n8n with them', async () => {
	const { root, remove } = await buildPreparation();
	const manifest = JSON.parse(readFileSync(join(root, 'package/package.json'), 'utf8'));
	const { nodes, credentials } = manifest.n8n as Record<string, string[]>;
	for (const file of [...nodes, ...credentials]) {
		expect(existsSync(join(root, 'package', file))).toBe(true);
	}
	expect(existsSync(join(root, 'package/nodes'))).toBe(false);
	expect(readdirSync(join(root, 'prepare'))).toEqual(['prepare.mjs', 'workflow.json']);
	await remove();
});
