import { setTimeout as sleep } from 'node:timers/promises';
import { createContainer, type Container } from '../support/api.mts';
import { describeService, MAIL_TIME_MS, startService, times } from '../support/service.mts';
import type { Service } from '../support/service.mts';

const ADA = 'ada@example.com';
const BEN = 'ben@example.com';
const wrongCode = {
	status: 403,
	text: expect.stringContaining('The code is wrong or has expired.'),
};
const unknown = { uuid: '00000000-0000-4000-8000-000000000000' };

describeService('sign-in by code', () => {
	let service: Service;
	let container: Container;

	beforeAll(async () => {
		service = await startService({ env: { OWNER_EMAIL: 'olive@example.com' } });
		container = await createContainer(service, { name: 'Secret plan', recipients: [ADA, BEN] });
	});

	const enter = (place: { uuid: string } = container) => service.visit(place);

	it('tells nothing before it, mails a code and the link, and opens with the code', async () => {
		const ada = enter();
		const { status, text, html } = await ada.go();
		expect(status).toBe(200);
		expect(text).toContain('Sign in to open this container');
		const secrets = ['Secret plan', 'olive', 'note.txt'];
		expect(secrets.filter((secret) => html.includes(secret))).toEqual([]);
		const file = await ada.getFile(0);
		expect([file.status >= 300, file.bytes.includes('Hello')]).toEqual([true, false]);

		const code = await ada.requestCode(ADA);
		const subject = 'Your code to open a container';
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
		expect(known[1].html).toContain(`If ${ADA} may open this container, a code is on its way.`);
		expect(await ask(container, 'eve@example.com')).toEqual(known);
		expect(await ask(unknown, ADA)).toEqual(known);
		expect(await ask(gone, ADA)).toEqual(known);
		await sleep(MAIL_TIME_MS);
		const sent = service.readMails().slice(before);
		expect(sent.map(({ to }) => to)).toEqual([ADA]);
	});

	it('accepts a code once, also of ten requests at the same time', async () => {
		const code = await enter().requestCode(ADA);
		const all = await Promise.all(times(10, () => enter().signIn(ADA, code)));
		const statuses = all.map(({ status }) => status).sort();
		expect(statuses).toEqual([303, ...times(9, () => 403)]);
		expect(await enter().signIn(ADA, code)).toMatchObject(wrongCode);
	});

	it.each([
		[4, 303],
		[5, 403],
	])('after %s wrong codes, answers %s to the right one', async (tries, status) => {
		const own = await createContainer(service, { recipients: [ADA] });
		const code = await enter(own).requestCode(ADA);
		const wrong = String((Number(code) + 1) % 1e8).padStart(8, '0');
		for (let n = 0; n < tries; n++) {
			expect(await enter(own).signIn(ADA, wrong)).toMatchObject(wrongCode);
		}
		expect((await enter(own).signIn(ADA, code)).status).toBe(status);
	});

	it("accepts no code of another container or of somebody else's, but one before the last", async () => {
		const other = await createContainer(service, { recipients: [ADA] });
		const code = await enter().requestCode(ADA);
		await enter().requestCode(ADA);
		expect(await enter(other).signIn(ADA, code)).toMatchObject(wrongCode);
		expect(await enter().signIn(BEN, code)).toMatchObject(wrongCode);
		expect((await enter().signIn(ADA, code)).status).toBe(303);
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

	it('are for one IP, of IPv6 for its network', async () => {
		const service = await startService({
			env: { CODES_PER_IP: '3', TRUST_PROXY: '127.0.0.1,::1' },
		});
		const container = await createContainer(service, { recipients: ['*@*'] });
		const ips = ['203.0.113.1', '203.0.113.2'].flatMap((ip) => [ip, ip, ip, ip]);
		ips.push(...[1, 2, 3, 4].map((host) => `2001:db8::${host}`), '2001:db8:0:1::1');
		const statuses: number[] = [];
		for (const [n, ip] of ips.entries()) {
			const { status } = await service.visit(container, ip).post('code', { email: `a${n}@b.org` });
			statuses.push(status);
		}
		const three = [200, 200, 200, 429];
		expect(statuses).toEqual([...three, ...three, ...three, 200]);
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
	}, 120_000);
});
