import { randomBytes } from 'node:crypto';
import type { Container } from '../support/api.mts';
import { visit } from '../support/door.mts';
import { createContainer, type ContainerToCreate } from '../support/encode.mts';
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
		const visitor = visit(service, container, { ip: '203.0.113.7' });
		const first = await visitor.signIn(ADA);
		expect(first.status).toBe(303);
		const change = async (patch: object) => {
			const { status } = await service.api.patch(`/containers/${container.uuid}/drm`, patch);
			expect(status).toBe(200);
		};
		return { container, visitor, change, first };
	};

	describe('in a session', () => {
		it('has a cookie for this container that scripts can not read', async () => {
			const { first, container, visitor } = await open();
			const [cookie, ...others] = [first.headers['set-cookie'] ?? []].flat();
			expect(others).toEqual([]);
			const flags = cookie
				.split(/;\s*/)
				.slice(1)
				.map((flag) => flag.toLowerCase());
			expect(flags).toEqual(
				expect.arrayContaining(['httponly', 'secure', 'samesite=lax', `path=/c/${container.uuid}`]),
			);
			expect(first.headers.location).toMatch(new RegExp(`/c/${container.uuid}$`));
			expect(cookie).not.toContain('ada');
			expect(visitor.page.text).toContain('note.txt');
		});

		it('counts no reload and no file', async () => {
			const { container, visitor } = await open({ drm: { opens: 1 } });
			for (let n = 0; n < 3; n++) {
				expect((await visitor.go()).page.text).toContain('note.txt');
				expect((await visitor.getFile(0)).bytes.toString()).toBe('Hello');
			}
			const { body } = await service.api.get<Container>(`/containers/${container.uuid}`);
			expect(body.opens_used).toBe(1);
		});

		it.each([
			[{ recipients: ['ben@example.com'] }, "This container isn't shared with ada@example.com."],
			[{ time: { end: '2020-12-31' } }, 'Access ended on 31 December 2020.'],
			[{ ip: { block: ['203.0.113.7'] } }, "This container can't be opened from your network."],
			[
				{ geo: { allow: [{ country: 'DE' }] } },
				"This container can't be opened from your country.",
			],
		])('refuses as soon as the rules are %j', async (patch, sentence) => {
			const { visitor, change } = await open({ drm: { dynamic: true, opens: 5 } });
			await change({ opens: 1 });
			expect((await visitor.getFile(0)).status).toBe(200);
			await change(patch);
			for (const { status, page } of [await visitor.getFile(0), await visitor.go()]) {
				expect([status, page.text.includes(sentence)]).toEqual([403, true]);
			}
		});

		it.each([undefined, 'correct'])('ends with the container (password: %s)', async (password) => {
			const { container, visitor } = await open({ password });
			if (password) await visitor.enterPassword(password);
			expect((await visitor.getFile(0)).status).toBe(200);
			await service.api.delete(`/containers/${container.uuid}`);
			const { status, page, bytes } = await visitor.getFile(0);
			expect([status, page.html.includes('<html'), bytes.includes('Hello')]).toEqual([
				404,
				true,
				false,
			]);
			expect((await visitor.go()).status).toBe(404);
		});

		it('accepts no cookie of another container, and none that was changed', async () => {
			const { visitor } = await open();
			const other = visit(service, (await open()).container);
			for (const [name, value] of visitor.cookies) {
				const middle = Math.floor(value.length / 2);
				const changed =
					value.slice(0, middle) + (value[middle] === 'A' ? 'B' : 'A') + value.slice(middle + 1);
				other.cookies.set(name, value);
				visitor.cookies.set(name, changed);
			}
			for (const stranger of [other, visitor]) {
				expect((await stranger.go()).page.text).toContain('Sign in to open this container');
				expect((await stranger.getFile(0)).bytes.includes('Hello')).toBe(false);
			}
		});

		it('lasts over a restart of the service', async () => {
			const { visitor } = await open();
			await service.restart();
			expect((await visitor.getFile(0)).status).toBe(200);
		});
	});

	describe('shows', () => {
		it('who shares what, until when and how often, and what one can do', async () => {
			const name = `Plan <img src=x onerror=alert(1)> & "more"`;
			const file = 'Ü <b>bold</b>.pdf';
			const { visitor } = await open({
				name,
				drm: { opens: 3, time: { end: '2099-12-31' } },
				files: { [encodeURI(file)]: Buffer.alloc(14_000), 'a.zip': 'zip' },
			});
			const { text, html } = visitor.page;
			for (const part of [
				'Shared by olive@example.com',
				name,
				'31 December 2099',
				'2',
				'14 KB',
				'Ask olive@example.com',
			]) {
				expect(text).toContain(part);
			}
			expect(html).not.toMatch(/<img src=x|<b>bold|<script/);
			expect(html.replaceAll(service.origin, '')).not.toMatch(
				/(?:src|href|action)="?(?:https?:)?\/\//,
			);
			expect((await visitor.go('/style.css')).headers['content-type']).toMatch(/^text\/css/);
		});

		it('files that are not hidden', async () => {
			const { visitor } = await open({
				files: { 'seen.txt': 'seen', 'hidden.txt': 'hidden secret' },
				settings: { 'hidden.txt': { hidden: true } },
				downloadable: true,
			});
			expect(visitor.page.text).toContain('seen.txt');
			expect(visitor.page.html).not.toContain('hidden.txt');
			for (const download of [true, false]) {
				const { status, bytes } = await visitor.getFile(1, { download });
				expect([status, bytes.includes('secret')]).toEqual([404, false]);
			}
			for (const n of [2, -1, 1e9, 0.5]) expect((await visitor.getFile(n)).status).toBe(404);
		});
	});

	describe('has files', () => {
		const content = randomBytes(200_000);
		let visitor: Awaited<ReturnType<typeof open>>['visitor'];

		beforeAll(async () => {
			({ visitor } = await open({
				downloadable: true,
				files: { 'empty.txt': '', '%C3%9C%20photo.png': content, 'last.txt': 'last' },
				types: { '%C3%9C%20photo.png': 'image/png' },
			}));
		});

		it('whole, never run, never cached', async () => {
			const { status, headers, bytes } = await visitor.getFile(1);
			expect([status, bytes.equals(content)]).toEqual([200, true]);
			expect(headers).toMatchObject({
				'content-type': 'image/png',
				'content-length': '200000',
				'content-security-policy': expect.stringMatching(/^sandbox; default-src 'none'/),
				'x-content-type-options': 'nosniff',
				'cross-origin-resource-policy': 'same-origin',
				'cache-control': 'no-store',
				'accept-ranges': 'bytes',
			});
			expect(String(headers['content-disposition'] ?? 'inline')).toMatch(/^inline/);
			expect((await visitor.getFile(0)).bytes).toHaveLength(0);
			expect((await visitor.getFile(2)).bytes.toString()).toBe('last');
		});

		it('for download under their name', async () => {
			const { headers, bytes } = await visitor.getFile(1, { download: true });
			expect(bytes.equals(content)).toBe(true);
			expect(headers['content-disposition']).toMatch(
				/^attachment;.*filename\*=UTF-8''%C3%9C(?:%2520|%20| )photo\.png/,
			);
			expect(visitor.page.links.filter(({ href }) => href.endsWith('?download'))).toHaveLength(3);
		});

		it.each([
			['bytes=0-9', 0, 9],
			['bytes=65530-65545', 65_530, 65_545],
			['bytes=131072-', 131_072, 199_999],
			['bytes=-5', 199_995, 199_999],
			['bytes=199999-300000', 199_999, 199_999],
			['bytes=-300000', 0, 199_999],
		])('in part: %s', async (range, start, end) => {
			const { status, headers, bytes } = await visitor.getFile(1, { range });
			expect([status, headers['content-range']]).toEqual([206, `bytes ${start}-${end}/200000`]);
			expect(bytes.equals(content.subarray(start, end + 1))).toBe(true);
			expect(headers['content-length']).toBe(String(end - start + 1));
		});

		it.each(['bytes=200000-', 'bytes=300000-300001', 'bytes=-0'])(
			'not beyond their end: %s',
			async (range) => {
				const { status, headers } = await visitor.getFile(1, { range });
				expect([status, headers['content-range']]).toEqual([416, 'bytes */200000']);
			},
		);

		it.each(['bytes=abc', 'bytes=9-0', 'lines=0-5', 'bytes=0-1,5-6'])(
			'whole for %s',
			async (range) => {
				const { status, bytes } = await visitor.getFile(1, { range });
				expect([status, bytes.length]).toEqual([200, 200_000]);
			},
		);

		it.each([
			['page.html', 'text/html'],
			['page.txt', 'TEXT/HTML; charset=utf-8'],
			['page.xhtml', 'application/xhtml+xml'],
			['image.svg', 'image/svg+xml'],
			['data.xml', 'text/xml'],
			['app.js', 'text/javascript'],
		])('%s as %s never shown in the page', async (name, type) => {
			const html = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>';
			for (const downloadable of [true, false]) {
				const own = await open({ downloadable, files: { [name]: html }, types: { [name]: type } });
				expect(own.visitor.page.sources).toEqual([]);
				const { status, headers } = await own.visitor.getFile(0);
				const isText = /^text\/plain/.test(String(headers['content-type']));
				const isSaved = /^attachment/.test(String(headers['content-disposition']));
				expect(status === 403 || isSaved || isText).toBe(true);
				if (!isText) expect([downloadable, isSaved]).toEqual([status === 200, status === 200]);
			}
		});

		it('not for download where downloadable is false', async () => {
			const own = await open({
				downloadable: false,
				files: { 'a.txt': 'text', 'b.zip': 'zip' },
				types: { 'b.zip': 'application/zip' },
			});
			expect(own.visitor.page.links.filter(({ href }) => href.includes('download'))).toEqual([]);
			expect((await own.visitor.getFile(0)).bytes.toString()).toBe('text');
			for (const n of [0, 1]) {
				const { status, bytes } = await own.visitor.getFile(n, { download: true });
				expect([status, bytes.includes('zip')]).toEqual([403, false]);
			}
		});
	});
});
