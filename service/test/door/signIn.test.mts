import { setTimeout as sleep } from 'node:timers/promises';
import type { Container, ServiceEvent } from '../support/api.mts';
import { MAIL_TIME_MS, readMails, visit } from '../support/door.mts';
import { createContainer } from '../support/encode.mts';
import { describeService, startService, type Service } from '../support/service.mts';

const ADA = 'ada@example.com';
const wrongCode = {
	status: 403,
	page: { text: expect.stringContaining('The code is wrong or has expired.') },
};

describeService('sign-in by code', () => {
	let service: Service;
	let container: Container;

	beforeAll(async () => {
		service = await startService({
			env: { OWNER_EMAIL: 'olive@example.com', TRUST_PROXY: '127.0.0.1,::1' },
		});
		container = await createContainer(service, { name: 'Secret plan', recipients: [ADA] });
	});

	/** Not the right one, whichever that is. */
	const toWrong = (code: string) => String((Number(code) + 1) % 1e8).padStart(8, '0');

	it('tells nothing before it', async () => {
		const ada = visit(service, container);
		const { status, page } = await ada.go();
		expect(status).toBe(200);
		expect(page.text).toContain('Sign in to open this container');
		for (const secret of ['Secret plan', 'olive', 'note.txt'])
			expect(page.html).not.toContain(secret);
		const file = await ada.getFile(0);
		expect(file.status).toBeGreaterThanOrEqual(300);
		expect(file.bytes.toString()).not.toContain('Hello');
	});

	it('mails a code and the link, and opens with the code', async () => {
		const ada = visit(service, container);
		const code = await ada.requestCode(ADA);
		expect(ada.page.text).toContain(`If ${ADA} may open this container, a code is on its way.`);
		expect(readMails(service).at(-1)).toMatchObject({
			to: ADA,
			subject: 'Your code to open a container',
			code: expect.stringMatching(/^\d{8}$/),
			link: container.url,
		});
		const { status, page } = await ada.signIn(ADA);
		expect([status, code.length]).toEqual([303, 8]);
		expect(page.text).toContain('Secret plan');
	});

	it('answers the same, and mails nobody else, whether container and address exist or not', async () => {
		const gone = await createContainer(service, { recipients: [ADA] });
		await service.api.delete(`/containers/${gone.uuid}`);
		const unknown = { uuid: '00000000-0000-4000-8000-000000000000' };
		const before = readMails(service).length;
		const ask = async (place: { uuid: string }, email: string) => {
			const visitor = visit(service, place);
			const first = await visitor.go();
			const { status, headers, page } = await visitor.submit('Send Code', {
				'Email address': email,
			});
			const { date: _, ...others } = headers;
			const toGeneral = (html: string) =>
				html.replaceAll(place.uuid, 'UUID').replaceAll(email, ADA);
			const lengths = { 'content-length': undefined };
			return [
				first.status,
				toGeneral(first.page.html),
				status,
				{ ...others, ...lengths },
				toGeneral(page.html),
			];
		};
		const known = await ask(container, ADA);
		expect(known[2]).toBe(200);
		expect(await ask(container, 'eve@example.com')).toEqual(known);
		expect(await ask(unknown, ADA)).toEqual(known);
		expect(await ask(gone, ADA)).toEqual(known);
		await sleep(MAIL_TIME_MS);
		expect(
			readMails(service)
				.slice(before)
				.map(({ to }) => to),
		).toEqual([ADA]);
		expect(
			await visit(service, unknown).post('open', { email: ADA, code: '12345678' }),
		).toMatchObject(wrongCode);
		expect(
			await visit(service, container).post('open', { email: 'eve@example.com', code: '12345678' }),
		).toMatchObject(wrongCode);
	});

	it('accepts addresses in any capitals', async () => {
		const ada = visit(service, container);
		await ada.go();
		const before = readMails(service).length;
		await ada.submit('Send Code', { 'Email address': 'ADA@Example.COM' });
		for (let tries = 0; tries < 100 && readMails(service).length === before; tries++)
			await sleep(50);
		const { code } = readMails(service).at(-1) ?? {};
		expect((await ada.submit('Open', { Code: code ?? '' })).status).toBe(303);
	});

	it('accepts a code for ten minutes at most once', async () => {
		const code = await visit(service, container).requestCode(ADA);
		expect((await visit(service, container).signIn(ADA, code)).status).toBe(303);
		expect(await visit(service, container).signIn(ADA, code)).toMatchObject(wrongCode);
	});

	it('accepts a code once of ten requests at the same time', async () => {
		const code = await visit(service, container).requestCode(ADA);
		const all = await Promise.all(
			Array.from({ length: 10 }, async () => await visit(service, container).signIn(ADA, code)),
		);
		expect(all.map(({ status }) => status).sort()).toEqual([
			303,
			...Array.from({ length: 9 }, () => 403),
		]);
	});

	it('accepts a code after four wrong ones, and not after five', async () => {
		for (const [wrong, expected] of [
			[4, 303],
			[5, 403],
		]) {
			const own = await createContainer(service, { recipients: [ADA] });
			const code = await visit(service, own).requestCode(ADA);
			for (let tried = 0; tried < wrong; tried++) {
				expect(await visit(service, own).signIn(ADA, toWrong(code))).toMatchObject(wrongCode);
			}
			expect((await visit(service, own).signIn(ADA, code)).status).toBe(expected);
		}
	});

	it("accepts no code of another container, or of somebody else's", async () => {
		const other = await createContainer(service, { recipients: [ADA, 'ben@example.com'] });
		const code = await visit(service, container).requestCode(ADA);
		expect(await visit(service, other).signIn(ADA, code)).toMatchObject(wrongCode);
		const own = await visit(service, other).requestCode(ADA);
		expect(await visit(service, other).signIn('ben@example.com', own)).toMatchObject(wrongCode);
		expect((await visit(service, container).signIn(ADA, code)).status).toBe(303);
	});

	it('accepts an earlier code after a later one was sent', async () => {
		const first = await visit(service, container).requestCode(ADA);
		const second = await visit(service, container).requestCode(ADA);
		expect(second).not.toBe(first);
		expect((await visit(service, container).signIn(ADA, first)).status).toBe(303);
		expect((await visit(service, container).signIn(ADA, second)).status).toBe(303);
	});

	it('refuses what is no code and no address with a page', async () => {
		const long = '1'.repeat(100_000);
		for (const code of [
			'',
			'1234567',
			'123456789',
			'abcdefgh',
			'１２３４５６７８',
			'1\u0000',
			long,
		]) {
			const { status, page } = await visit(service, container).post('open', { email: ADA, code });
			expect([403, 413, 422]).toContain(status);
			expect(page.html).toContain('<html');
		}
		for (const email of [
			'',
			'ada',
			'a\u0000@example.com',
			`${long}@example.com`,
			`${ADA}\nBcc: eve@example.com`,
		]) {
			const { status } = await visit(service, container).post('code', { email });
			expect([200, 400, 403, 413, 422]).toContain(status);
		}
		expect((await visit(service, container).post('code', {})).status).toBeLessThan(500);
		expect((await visit(service, container).post('open', {})).status).toBeLessThan(500);
		await sleep(MAIL_TIME_MS);
		expect(readMails(service).filter(({ to }) => !to.endsWith('@example.com'))).toEqual([]);
	});

	it('makes no event of what no code has proven', async () => {
		const own = await createContainer(service, { recipients: [ADA] });
		await visit(service, own).requestCode(ADA);
		await visit(service, own).post('open', { email: ADA, code: '00000000' });
		const path = `/users/${service.userId}/containers/${own.uuid}/events`;
		const { body } = await service.api.get<ServiceEvent[]>(path);
		expect(body.map(({ action }) => action)).toEqual(['container.create']);
	});
});

describeService('limits of codes', () => {
	const ask = async (service: Service, container: Container, email: string, ip?: string) => {
		const visitor = visit(service, container, { ip });
		await visitor.go();
		return await visitor.post('code', { email });
	};

	it('are for one address and container, known or not', async () => {
		const service = await startService({ env: { CODES_PER_ADDRESS: '2' } });
		const container = await createContainer(service, { recipients: [ADA, 'ben@example.com'] });
		const other = await createContainer(service, { recipients: [ADA] });
		const first = await visit(service, container).requestCode(ADA);
		await visit(service, container).requestCode(ADA);
		const known = await ask(service, container, ADA);
		for (let sent = 0; sent < 2; sent++) await ask(service, container, 'eve@example.com');
		const unknown = await ask(service, container, 'eve@example.com');
		expect([unknown.status, unknown.page.text.replaceAll('eve@', 'ada@')]).toEqual([
			known.status,
			known.page.text,
		]);
		await sleep(MAIL_TIME_MS);
		expect(readMails(service)).toHaveLength(2);
		expect((await visit(service, container).signIn(ADA, first)).status).toBe(303);
		await visit(service, container).requestCode('ben@example.com');
		await visit(service, other).requestCode(ADA);
	});

	it('are for one IP', async () => {
		const service = await startService({
			env: { CODES_PER_IP: '3', TRUST_PROXY: '127.0.0.1,::1' },
		});
		const container = await createContainer(service, { recipients: ['*@*'] });
		const statuses: number[] = [];
		for (let n = 0; n < 4; n++) {
			statuses.push((await ask(service, container, `ada${n}@example.com`, '203.0.113.1')).status);
		}
		expect(statuses).toEqual([200, 200, 200, 429]);
		expect((await ask(service, container, 'eva@example.com', '203.0.113.2')).status).toBe(200);
	});
});
