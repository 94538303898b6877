import { randomBytes } from 'node:crypto';
import { request } from 'undici';
import { createContainer, type Container, type ContainerToCreate } from '../support/api.mts';
import { describeService, startService, type Service } from '../support/service.mts';

const ADA = 'ada@example.com';

describeService('an open container', () => {
	let service: Service;

	beforeAll(async () => {
		service = await startService({
			env: { OWNER_EMAIL: 'olive@example.com', TRUST_PROXY: '127.0.0.1,::1' },
		});
	});

	const open = async (rules: ContainerToCreate = {}) => {
		const container = await createContainer(service, { recipients: [ADA], ...rules });
		const visitor = service.visit(container, '203.0.113.7');
		const page = await visitor.signIn(ADA);
		expect(page.status).toBe(303);
		return { container, visitor, page };
	};

	it('has a cookie for this container, and one for the address, that scripts can not read', async () => {
		const { page, container } = await open();
		const cookies = [page.headers['set-cookie']].flat().map((line) => line.toLowerCase());
		const paths: Array<[name: string, path: string]> = [
			['session', `/c/${container.uuid}`],
			['__host-address', '/'],
		];
		expect(cookies).toHaveLength(paths.length);
		for (const [name, path] of paths) {
			const cookie = cookies.find((line) => line.startsWith(`${name}=`))!;
			const expected = ['httponly', 'secure', 'samesite=lax', `path=${path}`];
			expect(cookie.split(/;\s*/)).toEqual(expect.arrayContaining(expected));
		}
	});

	it.each([
		[{ recipients: ['ben@example.com'] }, `These files aren’t shared with ${ADA} any more.`],
		[{ ip: { block: ['203.0.113.7'] } }, 'These files can’t be opened from your network.'],
	])('is refused as soon as the rules are %j', async (rules, sentence) => {
		const { container, visitor } = await open({ drm: { dynamic: true } });
		const path = `/containers/${container.uuid}`;
		const change = async (patch: object) => await service.api.patch(`${path}/drm`, patch);
		// A reload and a file are no openings.
		await change({ opens: 1 });
		await visitor.go();
		expect((await visitor.getFile(0)).status).toBe(200);
		expect((await service.api.get<Container>(path)).body.opens_used).toBe(1);
		await change(rules);
		for (const { status, text } of [await visitor.getFile(0), await visitor.go()]) {
			expect([status, text]).toEqual([403, expect.stringContaining(sentence)]);
		}
	});

	it("can't be opened by a form on another website", async () => {
		const { url } = await createContainer(service, { recipients: [ADA] });
		const response = await request(`${url}/code`, {
			method: 'POST',
			headers: {
				'content-type': 'application/x-www-form-urlencoded',
				'sec-fetch-site': 'cross-site',
			},
			body: `email=${encodeURIComponent(ADA)}`,
			dispatcher: service.api.dispatcher,
		});
		expect(response.statusCode).toBe(403);
		expect(await response.body.text()).toContain('This form was sent from another website.');
		expect(service.readMails().filter(({ text }) => text.includes(url))).toEqual([]);
	});

	it.each([undefined, 'correct'])(
		'Whoever kept a session opens nothing once the container is deleted (password: %s)',
		async (password) => {
			const { container, visitor } = await open({ password });
			if (password) await visitor.enterPassword(password);
			await service.restart();
			expect((await visitor.getFile(0)).status).toBe(200);
			await service.api.delete(`/containers/${container.uuid}`);
			for (const { status, html } of [await visitor.getFile(0), await visitor.go()]) {
				expect([status, html]).toEqual([404, expect.stringContaining('<html')]);
			}
		},
	);

	it('accepts no cookie of another container, and none that was changed', async () => {
		const { visitor } = await open();
		visitor.cookies.delete('__Host-address');
		const other = service.visit((await open()).container);
		for (const [name, value] of visitor.cookies) {
			const half = Math.floor(value.length / 2);
			other.cookies.set(name, value);
			const changed = value[half] === 'A' ? 'B' : 'A';
			visitor.cookies.set(name, value.slice(0, half) + changed + value.slice(half + 1));
		}
		for (const stranger of [other, visitor]) {
			expect((await stranger.go()).text).toContain('Sign in to open your files');
			expect((await stranger.getFile(0)).bytes.includes('Hello')).toBe(false);
		}
	});

	it('shows who shares what, until when and how often, and whom to ask, and loads nothing else', async () => {
		const name = 'Plan <img src=x onerror=alert(1)> & "more"';
		const drm = { opens: 3, time: { end: '2099-12-31' } };
		const files = { 'Ü <b>bold.pdf': Buffer.alloc(14_000), 'a.zip': 'zip' };
		const { text, html, visitor } = await open({ name, drm, files }).then(
			({ page, ...opened }) => ({ ...opened, ...page }),
		);
		const sentences = ['From olive@example.com', 'Ask olive@example.com', '31 December 2099'];
		const shown = [...sentences, name, '2 openings left', '14 kB', ...Object.keys(files)];
		expect(shown.filter((part) => !text.includes(part))).toEqual([]);
		expect(html).not.toMatch(/<img src=x|<b>bold|<script/);
		const own = html.replaceAll(service.origin, '');
		expect(own).not.toMatch(/(?:src|href|action)="(?:https?:)?\/\//);
		const { headers } = await visitor.go();
		expect(headers['content-security-policy']).toContain("default-src 'none'");
		const { status, headers: style } = await visitor.go('/style.css');
		expect([status, style['content-type']]).toEqual([200, expect.stringMatching(/^text\/css/)]);
	});

	it('hides files that are hidden', async () => {
		const files = { 'seen.txt': 'seen', 'hidden.txt': 'secret' };
		const { visitor, page } = await open({ files, settings: { 'hidden.txt': { hidden: true } } });
		expect(page.text).toContain('seen.txt');
		expect(page.html).not.toContain('hidden.txt');
		const hidden = [await visitor.getFile(1), await visitor.getFile(1, { download: true })];
		const none = await Promise.all([2, -1, 1e9, 0.5].map(async (n) => await visitor.getFile(n)));
		for (const { status, bytes } of [...hidden, ...none]) {
			expect([status, bytes.includes('secret')]).toEqual([404, false]);
		}
	});

	it.each([
		[false, 0, 403],
		[undefined, 1, 200],
	])('with downloadable %s, offers %s downloads', async (downloadable, count, status) => {
		const { visitor, page } = await open({ downloadable });
		const links = page.html.match(/href="[^"]*\?download"/g) ?? [];
		const download = await visitor.getFile(0, { download: true });
		expect([links.length, download.status]).toEqual([count, status]);
		expect((await visitor.getFile(0)).bytes.toString()).toBe('Hello');
	});

	it('has files whole, in part and for download, never run and never kept', async () => {
		const content = randomBytes(200_000);
		const files = { 'empty.txt': '', 'ġ film.mp4': content, 'last.txt': 'last' };
		const types = { 'ġ film.mp4': 'video/mp4' };
		const { visitor } = await open({ downloadable: true, files, types });
		const { status, headers, bytes } = await visitor.getFile(1);
		expect([status, bytes.equals(content)]).toEqual([200, true]);
		expect(headers).toMatchObject({
			'content-type': 'video/mp4',
			'content-length': '200000',
			'content-disposition': expect.stringMatching(/^inline/),
			'content-security-policy': expect.stringMatching(/^sandbox; default-src 'none'/),
			'x-content-type-options': 'nosniff',
			'cross-origin-resource-policy': 'same-origin',
			'cache-control': 'no-store',
		});
		expect((await visitor.getFile(0)).bytes).toHaveLength(0);
		expect((await visitor.getFile(2)).bytes.toString()).toBe('last');
		const download = await visitor.getFile(1, { download: true });
		expect(download.bytes.equals(content)).toBe(true);
		const name = /^attachment;.*filename\*=UTF-8''%C4%A1%20film\.mp4/;
		expect(download.headers['content-disposition']).toMatch(name);
		const ranges: Array<[string, number, number?, number?]> = [
			['bytes=65530-65545', 206, 65_530, 65_545],
			['bytes=131072-', 206, 131_072, 199_999],
			['bytes=-5', 206, 199_995, 199_999],
			['bytes=199999-300000', 206, 199_999, 199_999],
			['bytes=-300000', 206, 0, 199_999],
			['bytes=200000-', 416],
			['bytes=-0', 416],
			['bytes=-', 200],
			['lines=0-5', 200],
		];
		for (const [range, expected, start = 0, end = 0] of ranges) {
			const part = await visitor.getFile(1, { range });
			expect([range, part.status]).toEqual([range, expected]);
			if (expected === 416) expect(part.headers['content-range']).toBe('bytes */200000');
			if (expected !== 206) continue;
			expect(part.headers['content-range']).toBe(`bytes ${start}-${end}/200000`);
			expect(part.bytes.equals(content.subarray(start, end + 1))).toBe(true);
		}
	});
});
