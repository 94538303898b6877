import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { request } from 'undici';
import { NOON_ZONE } from '../../../test/support/noon.cts';
import { createContainer, type Container } from '../support/api.mts';
import { BRAND_FOLDER } from '../support/pageStates.mts';
import { createFolder, describeService, runService } from '../support/service.mts';
import { startService, type Service } from '../support/service.mts';

const ADA = 'ada@example.com';

describeService('the pages of a company', () => {
	let service: Service;
	let container: Container;

	beforeAll(async () => {
		const env = {
			BRAND_DIR: BRAND_FOLDER,
			LANGUAGES: 'en,de,ar',
			OWNER_EMAIL: 'olive@example.com',
			TIME_ZONE: NOON_ZONE,
		};
		service = await startService({ env });
		container = await createContainer(service, { name: 'Secret plan', recipients: [ADA] });
	});

	const send = async (path: string, headers: Record<string, string> = {}, body?: string) => {
		const { dispatcher } = service.api;
		const method = body === undefined ? 'GET' : 'POST';
		const response = await request(service.origin + path, { method, headers, body, dispatcher });
		const bytes = Buffer.from(await response.body.arrayBuffer());
		return {
			status: response.statusCode,
			headers: response.headers,
			html: bytes.toString(),
			bytes,
		};
	};
	const go = async (headers: Record<string, string>, path = `/c/${container.uuid}`) =>
		await send(path, headers);

	it('have its name, its logo and its color, before sign-in too', async () => {
		const { html } = await go({});
		expect(html).toContain(
			'<title>Sign in to open your files – Berger &amp; Söhne Steuerberatung<',
		);
		const [, logo] = /<img src="(\/logo\?[\da-f]{8})"/.exec(html) ?? [];
		const [, style] = /<link rel="stylesheet" href="(\/style\.css\?[\da-f]{8})"/.exec(html) ?? [];
		const picture = await go({}, logo);
		expect(picture.html).toMatch(/^<svg/);
		expect(picture.headers).toMatchObject({
			'content-type': 'image/svg+xml',
			'content-security-policy': expect.stringMatching(/^sandbox; default-src 'none'/),
			'x-content-type-options': 'nosniff',
		});
		expect((await go({}, style)).html).toMatch(/--brand: #2a9d8f;\n\t--accent: #007c70;/);
	});

	it('come in the language that the browser asks for, or that the visitor chose', async () => {
		expect((await go({ 'accept-language': 'de-AT,en;q=0.5' })).html).toContain('<html lang="de"');
		// One that LANGUAGES leaves out.
		expect((await go({ 'accept-language': 'fr' })).html).toContain('<html lang="en"');
		expect((await go({ 'accept-language': 'ar' })).html).toContain('<html lang="ar" dir="rtl"');
		const chosen = await go({}, `/c/${container.uuid}?lang=de`);
		expect([chosen.status, chosen.headers.location]).toEqual([303, `/c/${container.uuid}`]);
		const cookie = String(chosen.headers['set-cookie']).split(';')[0];
		expect(cookie).toBe('language=de');
		expect((await go({ cookie, 'accept-language': 'ar' })).html).toContain('<html lang="de"');
		const unknown = await go({}, `/c/${container.uuid}?lang=fr`);
		expect([unknown.status, unknown.headers['set-cookie']]).toEqual([200, undefined]);
	});

	it('change their language after a form too, without another code', async () => {
		const before = service.readMails().length;
		const type = { 'content-type': 'application/x-www-form-urlencoded' };
		const body = `email=${encodeURIComponent(ADA)}&lang=de`;
		const { status, html, headers } = await send(`/c/${container.uuid}/language`, type, body);
		expect([status, html]).toEqual([200, expect.stringContaining('Code eingeben')]);
		expect(html).toContain(`value="${ADA}"`);
		expect(String(headers['set-cookie'])).toMatch(/^language=de;/);
		expect(service.readMails()).toHaveLength(before);
	});

	it('say the same at the root, at an unknown path, and for a link that was cut off', async () => {
		const root = await go({}, '/');
		expect([root.status, root.html]).toEqual([200, expect.stringContaining('You need the link')]);
		const unknown = await go({}, '/index.php');
		expect(unknown.status).toBe(404);
		expect(unknown.html).toContain('This page doesn’t exist');
		const cut = await go({}, `/c/${container.uuid.slice(0, 20)}`);
		expect([cut.status, cut.html]).toEqual([404, expect.stringContaining('may be incomplete')]);
		for (const { html } of [root, unknown, cut]) {
			expect(html).toContain('<bdi>Berger &amp; Söhne Steuerberatung</bdi>');
		}
		// A redirection never leads to another host.
		const redirect = await go({}, '//evil.example/?lang=de');
		expect(redirect.headers.location ?? '/').toBe('/');
	});

	it('are there where a browser asks again for what answered a form', async () => {
		for (const step of ['code', 'open', 'access', 'again']) {
			const { status, headers } = await go({}, `/c/${container.uuid.toUpperCase()}/${step}`);
			expect([status, headers.location]).toEqual([303, `/c/${container.uuid}`]);
		}
		for (const step of ['code', 'open', 'send', 'language']) {
			const { status, headers } = await go({}, `/r/${container.uuid}/${step}`);
			expect([status, headers.location]).toEqual([303, `/r/${container.uuid}`]);
		}
	});

	it('mail the code in the language of the page that asked, and name no container', async () => {
		const visitor = service.visit(container);
		visitor.cookies.set('language', 'de');
		await visitor.requestCode(ADA);
		const mail = service.readMails().at(-1)!;
		expect(mail).toMatchObject({
			from: 'Berger & Söhne Steuerberatung <no-reply@localhost>',
			replyTo: 'olive@example.com',
			subject: 'Ihr Code von Berger & Söhne Steuerberatung',
		});
		expect(`${mail.text}${mail.html}`).not.toMatch(/Secret plan|note\.txt/);
	});

	it('say that the sender ended access, and on which day', async () => {
		const drm = { dynamic: true };
		const own = await createContainer(service, { recipients: [ADA], drm });
		const visitor = service.visit(own);
		expect((await visitor.signIn(ADA)).text).toContain('Signed in as ada@example.com');
		const change = async (time: object) =>
			await service.api.patch(`/containers/${own.uuid}/drm`, { time });
		await change({ end: '2020-01-01' });
		const format = { dateStyle: 'long', timeZone: NOON_ZONE } as const;
		const today = new Date().toLocaleDateString('en-GB', format);
		expect((await visitor.go()).text).toContain(`The sender ended access on ${today}.`);
		await change({ end: '2099-01-01' });
		expect((await visitor.go()).text).toContain('note.txt');
		const over = await createContainer(service, {
			...{ recipients: [ADA], drm: { time: { end: '2020-01-01' } } },
		});
		const late = await service.visit(over).signIn(ADA);
		expect(late.text).toContain('Access ended on 1 January 2020.');
	});

	it('end a session where the visitor leaves', async () => {
		const visitor = service.visit(container);
		await visitor.signIn(ADA);
		expect((await visitor.go()).text).toContain('Secret plan');
		expect((await visitor.post('leave', {})).text).toContain('Sign in to open your files');
		expect((await visitor.go()).text).not.toContain('Secret plan');
	});
});

describeService('a service with a mistake in the files of a company', () => {
	it.each([
		[{ 'brand.json': '{"name": 1}' }, {}, /^"name" in brand\.json must be .*\n$/],
		[{}, {}, /^\/.*brand\.json can't be read: .*\n$/],
		[{ 'brand.json': '{"name": "A"}' }, { LANGUAGES: 'de,xx' }, /^LANGUAGES has xx, but .*\n$/],
	])('does not start, and says so in one sentence: %j %j', async (files, env, sentence) => {
		const folder = createFolder();
		for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
		const settings = { DATA_DIR: createFolder(), BRAND_DIR: folder, ...env };
		const { code, stderr } = await runService([], settings as Record<string, string>);
		expect(code).toBe(2);
		expect(stderr).toMatch(sentence);
	});
});
