import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '../../../tools/processes.cts';
import { createContainer, type Container } from '../support/api.mts';
import { describeService, MAIL_TIME_MS, startService, times } from '../support/service.mts';
import type { Service } from '../support/service.mts';

const ADA = 'ada@example.com';
const BEN = 'ben@example.com';
/** The tests, in each form that a range can have. */
const TRUST_PROXY = '127.0.0.1-127.0.0.9, 127.0.1.*, ::1';
const wrongCode = {
	status: 403,
	text: expect.stringContaining('The code is wrong or has expired.'),
};
const unknown = { uuid: '00000000-0000-4000-8000-000000000000' };

describeService('sign-in by code', () => {
	let service: Service;
	let container: Container;

	beforeAll(async () => {
		const env = { OWNER_EMAIL: 'olive@example.com', TRUST_PROXY };
		service = await startService({ env });
		container = await createContainer(service, { name: 'Secret plan', recipients: [ADA, BEN] });
	});

	const enter = (place: { uuid: string } = container, ip?: string) => service.visit(place, ip);

	it('tells nothing before it, mails a code and the link, and opens with the code', async () => {
		const ada = enter();
		const { status, text, html } = await ada.go();
		expect(status).toBe(200);
		expect(text).toContain('Sign in to open your files');
		const secrets = ['Secret plan', 'olive', 'note.txt'];
		expect(secrets.filter((secret) => html.includes(secret))).toEqual([]);
		const file = await ada.getFile(0);
		expect([file.status >= 300, file.bytes.includes('Hello')]).toEqual([true, false]);

		const code = await ada.requestCode(ADA);
		const subject = `Your code from ${new URL(service.origin).host}`;
		const mail = { to: ADA, subject, code, link: container.url };
		expect(service.readMails().at(-1)).toMatchObject(mail);
		const opened = await ada.signIn(ADA, code);
		expect([opened.status, opened.text]).toEqual([303, expect.stringContaining('Secret plan')]);
	});

	it('takes a code with a hyphen, spaces or wide digits, and a link in capitals', async () => {
		const code = await enter().requestCode(ADA);
		// East Asian keyboards also type wide digits.
		const wide = code
			.slice(4)
			.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit)));
		const ada = enter({ uuid: container.uuid.toUpperCase() });
		const { text } = await ada.signIn('ADA@Example.COM', `${code.slice(0, 4)}- ${wide} `);
		expect(text).toContain('Secret plan');
	});

	it('answers the same, and mails nobody else, whether container and address exist or not', async () => {
		const gone = await createContainer(service, { recipients: [ADA] });
		await service.api.delete(`/containers/${gone.uuid}`);
		const before = service.readMails().length;
		const ask = async (place: { uuid: string }, email: string) => {
			const visitor = enter(place);
			const first = await visitor.go();
			const asked = await visitor.post('code', { email });
			const refused = await visitor.post('open', { email, code: '12345678' });
			return [first, asked, refused].map(({ status, headers, html }) => ({
				status,
				headers: { ...headers, date: '', 'content-length': '' },
				html: html.replaceAll(place.uuid, 'UUID').replaceAll(email, ADA),
			}));
		};
		const known = await ask(container, ADA);
		expect(known.map(({ status }) => status)).toEqual([200, 200, 403]);
		expect(known[1].html).toContain(
			`If <bdi>${ADA}</bdi> may open these files, a code is on its way.`,
		);
		expect(await ask(container, 'eve@example.com')).toEqual(known);
		expect(await ask(unknown, ADA)).toEqual(known);
		expect(await ask(gone, ADA)).toEqual(known);
		const listSent = () => service.readMails().slice(before);
		await waitFor(() => listSent().length > 0);
		await sleep(MAIL_TIME_MS);
		expect(listSent().map(({ to }) => to)).toEqual([ADA]);
	});

	it('accepts a code once, also of ten requests at the same time', async () => {
		const code = await enter().requestCode(ADA);
		const visitors = times(10, (n) => enter(container, `203.0.113.${n}`));
		const all = await Promise.all(visitors.map((visitor) => visitor.signIn(ADA, code)));
		const statuses = all.map(({ status }) => status).sort();
		expect(statuses).toEqual([303, ...times(9, () => 403)]);
		expect(await enter().signIn(ADA, code)).toMatchObject(wrongCode);
	});

	it('is open after a second click, which sends a code that was used', async () => {
		const own = await createContainer(service, { recipients: [ADA], drm: { opens: 1 } });
		const visitor = enter(own);
		const code = await visitor.requestCode(ADA);
		for (const page of [await visitor.signIn(ADA, code), await visitor.signIn(ADA, code)]) {
			expect([page.status, page.text]).toEqual([303, expect.stringContaining('note.txt')]);
		}
		expect(await visitor.signIn(BEN, code)).toMatchObject(wrongCode);
	});

	const toWrong = (code: string) => String((Number(code) + 1) % 1e8).padStart(8, '0');

	it.each([
		[4, 303],
		[5, 403],
	])('after %s wrong codes, answers %s to the right one', async (tries, status) => {
		const own = await createContainer(service, { recipients: [ADA] });
		const code = await enter(own).requestCode(ADA);
		for (let n = 0; n < tries; n++) {
			const stranger = enter(own, `203.0.113.${n}`);
			expect(await stranger.signIn(ADA, toWrong(code))).toMatchObject(wrongCode);
		}
		expect((await enter(own).signIn(ADA, code)).status).toBe(status);
	});

	it('takes five wrong codes of one network an hour, so that nobody else is locked out', async () => {
		const own = await createContainer(service, { recipients: [ADA, BEN] });
		const stranger = enter(own, '2001:db8:7::1');
		const neighbor = enter(own, '2001:db8:7::2');
		const first = await enter(own).requestCode(ADA);
		for (let n = 0; n < 5; n++) {
			expect(await stranger.signIn(ADA, toWrong(first))).toMatchObject(wrongCode);
		}
		const code = await enter(own).requestCode(ADA);
		for (let n = 0; n < 5; n++) {
			const { status, headers, text } = await neighbor.signIn(ADA, toWrong(code));
			expect(status).toBe(429);
			expect(text).toMatch(/too many wrong codes\. You can try again at \S+ UTC, in \d+ minutes\./);
			expect(Number(headers['retry-after'])).toBeGreaterThan(3000);
		}
		expect((await neighbor.signIn(ADA, code)).status).toBe(429);
		expect((await enter(own).signIn(ADA, code)).status).toBe(303);
		// It is for this address: others of the same network go on.
		expect((await neighbor.signIn(BEN, await neighbor.requestCode(BEN))).status).toBe(303);
	});

	it("accepts no code of another container or of somebody else's, but one before the last", async () => {
		const own = await createContainer(service, { recipients: [ADA, BEN] });
		const other = await createContainer(service, { recipients: [ADA] });
		const code = await enter(own).requestCode(ADA);
		await enter(own).requestCode(ADA);
		expect(await enter(other).signIn(ADA, code)).toMatchObject(wrongCode);
		expect(await enter(own).signIn(BEN, code)).toMatchObject(wrongCode);
		expect((await enter(own).signIn(ADA, code)).status).toBe(303);
	});

	it('refuses what is no code and no address with a page', async () => {
		const long = '1'.repeat(100_000);
		const codes = ['', '1234567', '123456789', 'abcdefgh', '1\u0000', long];
		const emails = ['', 'ada', 'a\u0000@b.c', `${long}@b.c`, `${ADA}\nBcc: eve@example.com`];
		for (const fields of [{}, ...codes.map((code) => ({ email: ADA, code }))]) {
			const { status, html } = await enter().post('open', fields);
			expect([fields, status >= 400 && status < 500]).toEqual([fields, true]);
			expect(html).toContain('<html');
		}
		for (const fields of [{}, ...emails.map((email) => ({ email }))]) {
			expect((await enter().post('code', fields)).status).toBeLessThan(500);
		}
		await sleep(MAIL_TIME_MS);
		expect(service.readMails().filter(({ to }) => ![ADA, BEN].includes(to))).toEqual([]);
	});
});

describeService('limits of codes', () => {
	it('are for one address and container, known or not', async () => {
		const service = await startService({ env: { CODES_PER_ADDRESS: '2' } });
		const container = await createContainer(service, { recipients: [ADA, BEN] });
		const other = await createContainer(service, { recipients: [ADA] });
		const enter = (place: { uuid: string } = container) => service.visit(place);
		const first = await enter().requestCode(ADA);
		await enter().requestCode(ADA);
		const { status, text } = await enter().post('code', { email: ADA });
		for (const [place, email] of [
			[container, 'eve@example.com'],
			[unknown, ADA],
		] as const) {
			for (let sent = 0; sent < 2; sent++) await enter(place).post('code', { email });
			const third = await enter(place).post('code', { email });
			expect([third.status, third.text.replace(email, ADA)]).toEqual([status, text]);
		}
		await sleep(MAIL_TIME_MS);
		expect(service.readMails()).toHaveLength(2);
		expect((await enter().signIn(ADA, first)).status).toBe(303);
		await enter().requestCode(BEN);
		await enter(other).requestCode(ADA);
	});

	const askFrom = async (service: Service, place: { uuid: string }, ips: string[]) => {
		const statuses: number[] = [];
		for (const [n, ip] of ips.entries()) {
			const { status } = await service.visit(place, ip).post('code', { email: `a${n}@b.org` });
			statuses.push(status);
		}
		return statuses;
	};
	const three = [200, 200, 200, 429];

	it('are for one IP, of IPv6 for its network', async () => {
		const service = await startService({ env: { CODES_PER_IP: '3', TRUST_PROXY } });
		const container = await createContainer(service, { recipients: ['*@*'] });
		const ips = ['203.0.113.1', '203.0.113.2'].flatMap((ip) => [ip, ip, ip, ip]);
		ips.push(...[1, 2, 3, 4].map((host) => `2001:db8::${host}`), '2001:db9::1');
		expect(await askFrom(service, container, ips)).toEqual([...three, ...three, ...three, 200]);
	});

	it('are for an IPv6 /48 and a container', async () => {
		const service = await startService({ env: { CODES_PER_IP: '3', TRUST_PROXY } });
		const container = await createContainer(service, { recipients: ['*@*'] });
		const site = [1, 2, 3, 4].map((network) => `2001:db8:7:${network}000::1`);
		expect(await askFrom(service, container, [...site, '2001:db8:8::1'])).toEqual([...three, 200]);
		const other = await createContainer(service, { recipients: ['*@*'] });
		expect(await askFrom(service, other, site)).toEqual(three);
	});

	it('count wrong codes of a network, for whichever address', async () => {
		const service = await startService({ env: { CODES_PER_IP: '3', TRUST_PROXY } });
		const container = await createContainer(service, { recipients: ['*@*'] });
		const enterFrom = async (ip: string, email: string) =>
			(await service.visit(container, ip).signIn(email, '12345678')).status;
		const statuses: number[] = [];
		for (const n of [1, 2, 3, 4]) statuses.push(await enterFrom('203.0.113.1', `a${n}@b.org`));
		expect(statuses).toEqual([403, 403, 403, 429]);
		expect(await enterFrom('203.0.113.2', 'a4@b.org')).toBe(403);
	});

	it('are the same for each port of a client that a proxy sends', async () => {
		const service = await startService({ env: { CODES_PER_IP: '3', TRUST_PROXY } });
		const container = await createContainer(service, { recipients: ['*@*'] });
		const plain = [1, 2, 3, 4].map((port) => `203.0.113.1:5000${port}`);
		const bracketed = [1, 2, 3, 4].map((port) => `[2001:db8::1]:5000${port}, 127.0.0.1:443`);
		expect(await askFrom(service, container, plain)).toEqual(three);
		expect(await askFrom(service, container, bracketed)).toEqual(three);
	});

	it('say when to come again, and no longer that a code is on its way', async () => {
		const service = await startService({ env: { CODES_PER_ADDRESS: '1' } });
		const container = await createContainer(service, { recipients: [ADA] });
		const visitor = service.visit(container);
		await visitor.post('code', { email: ADA });
		const { status, headers, text } = await visitor.post('code', { email: ADA });
		expect(status).toBe(429);
		expect(text).toMatch(/You can request the next one at \d\d:\d\d UTC, in (59|60) minutes\./);
		expect(Number(headers['retry-after'])).toBeGreaterThan(3000);
		expect(text).not.toContain('on its way');
	});

	it('count only codes that nobody used: an office behind one router is not locked out', async () => {
		const service = await startService({ env: { CODES_PER_IP: '3' } });
		const container = await createContainer(service, { recipients: ['*@example.com'] });
		for (let n = 0; n < 6; n++) {
			const visitor = service.visit(container);
			expect((await visitor.signIn(`person${n}@example.com`)).status).toBe(303);
		}
		const ask = async (n: number) =>
			(await service.visit(container).post('code', { email: `idle${n}@example.com` })).status;
		for (let n = 0; n < 3; n++) expect(await ask(n)).toBe(200);
		expect(await ask(3)).toBe(429);
	});

	it('are 500 for a container that a whole domain can open', async () => {
		const env = { CODES_PER_ADDRESS: '1', CODES_PER_IP: '1000' };
		const service = await startService({ env });
		const container = await createContainer(service, { recipients: ['*@b.org'] });
		const request = async (place: { uuid: string }, n: number) =>
			(await service.visit(place).post('code', { email: `a${n}@b.org` })).status;
		for (let first = 0; first < 500; first += 10) {
			const ten = times(10, (n) => request(container, first + n));
			expect(new Set(await Promise.all(ten))).toEqual(new Set([200]));
		}
		expect(await request(container, 500)).toBe(429);
		expect(await request(await createContainer(service, { recipients: ['*@b.org'] }), 0)).toBe(200);
	}, 300_000);
});
