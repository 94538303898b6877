import type { Container, ServiceEvent } from '../support/api.mts';
import { readMails, visit, type DoorResponse } from '../support/door.mts';
import { createContainer, type ContainerToCreate } from '../support/encode.mts';
import { describeService, startService, type Service } from '../support/service.mts';

const ADA = 'ada@example.com';
const BEN = 'ben@example.com';
const OWNER = 'olive@example.com';
const env = { OWNER_EMAIL: OWNER, TRUST_PROXY: '127.0.0.1,::1' };

const dayIn = (timeZone: string, days: number) =>
	new Intl.DateTimeFormat('en-CA', { timeZone }).format(Date.now() + days * 86_400_000);
/** `2026-12-31` → `31 December 2026` */
const inWords = (day: string) =>
	new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(day));

describeService('who can open a container', () => {
	let service: Service;

	beforeAll(async () => {
		service = await startService({ env });
	});

	const create = async (rules: ContainerToCreate, place = service) =>
		await createContainer(place, { recipients: [ADA], ...rules });
	/** Creates a container, and goes to it with a code. */
	const arrive = async (rules: ContainerToCreate, email = ADA, ip = '8.8.8.8', place = service) => {
		const container = await create(rules, place);
		const visitor = visit(place, container, ip);
		return { container, visitor, ...(await visitor.signIn(email)) };
	};
	const getEvents = async ({ uuid }: Container, action: string) => {
		const path = `/users/${service.userId}/containers/${uuid}/events`;
		const events = await service.api.getAll<ServiceEvent>(path);
		return events.filter((event) => event.action === action);
	};
	const countOpens = async ({ uuid }: Container) =>
		(await service.api.get<Container>(`/containers/${uuid}`)).body.opens_used;
	const expectOpen = ({ status, page }: DoorResponse) =>
		expect([status, page.text]).toEqual([303, expect.stringContaining('note.txt')]);
	const expectRefused = ({ status, page }: DoorResponse, sentence: string) => {
		expect([status, page.text]).toEqual([403, expect.stringContaining(sentence)]);
		expect(page.text).not.toContain('note.txt');
	};

	it.each([
		[['Ada@Example.COM'], ADA],
		[['*@Example.com'], BEN],
		[['*@*'], 'eve@example.org'],
		[undefined, OWNER],
	])('recipients %j: %s can open it', async (recipients, email) => {
		expectOpen(await arrive({ recipients }, email));
	});

	it.each([
		[undefined, ADA],
		[['*@example.com'], 'ben@sub.example.com'],
		[['*@example.com'], 'ben@notexample.com'],
		[['*@example.com'], 'ben@example.com.example.org'],
		[['a.b@example.com'], 'axb@example.com'],
	])('recipients %j: %s gets no code', async (recipients, email) => {
		const container = await create({ recipients });
		await visit(service, container).post('code', { email });
		// The owner's mail is asked for later.
		await visit(service, container).requestCode(OWNER);
		const mails = readMails(service).filter(({ link }) => link === container.url);
		expect(mails.map(({ to }) => to)).toEqual([OWNER]);
	});

	it('recipients who were removed after the code was sent are refused, which is an event', async () => {
		const container = await create({ drm: { dynamic: true } });
		const visitor = visit(service, container, '8.8.8.8');
		const code = await visitor.requestCode(ADA);
		await service.api.patch(`/containers/${container.uuid}/drm`, { recipients: [BEN] });
		await visitor.signIn(ADA, code === '12345678' ? '0' : '12345678');
		expectRefused(await visitor.signIn(ADA, code), `This container isn't shared with ${ADA}.`);
		// A wrong code proves no address.
		const detail = { reason: 'recipient', ip: '8.8.8.8', country: 'US' };
		const refusal = { user: ADA, container_name: 'Test', detail };
		expect(await getEvents(container, 'container.refuse')).toMatchObject([refusal]);
	});

	it.each(['UTC', 'Pacific/Kiritimati', 'Etc/GMT+12'])('time is days in %s', async (zone) => {
		const place =
			zone === 'UTC' ? service : await startService({ env: { ...env, TIME_ZONE: zone } });
		const [yesterday, today, tomorrow] = [-1, 0, 1].map((days) => dayIn(zone, days));
		const goAt = async (time: object) => await arrive({ drm: { time } }, ADA, '8.8.8.8', place);
		expectOpen(await goAt({ start: today, end: today }));
		expectRefused(await goAt({ start: tomorrow }), `Access starts on ${inWords(tomorrow)}.`);
		expectRefused(await goAt({ end: yesterday }), `Access ended on ${inWords(yesterday)}.`);
	});

	const network = { allow: ['10.0.0.0/8'], block: ['10.1.0.0/16'] };
	it.each([
		[{ allow: ['203.0.113.7', '2001:db8::/32'] }, '::ffff:203.0.113.7', '2001:db9::1'],
		[{ block: ['203.0.113.*'] }, '203.0.114.8', '203.0.113.7'],
		[network, '10.2.0.1', '10.1.0.1'],
		[network, '10.2.0.1', '11.0.0.1'],
	])('ip %j: can be opened from %s, and not from %s', async (ip, inside, outside) => {
		const sentence = "This container can't be opened from your network.";
		expectOpen(await arrive({ drm: { ip } }, ADA, inside));
		expectRefused(await arrive({ drm: { ip } }, ADA, outside), sentence);
	});

	it('ip is the last address of X-Forwarded-For that no trusted proxy has', async () => {
		const rules = { drm: { ip: { allow: ['203.0.113.7'] } } };
		expectOpen(await arrive(rules, ADA, '198.51.100.1, 203.0.113.7'));
		expectRefused(await arrive(rules, ADA, '203.0.113.7, 198.51.100.1'), 'from your network.');
		const other = await startService({ env: { OWNER_EMAIL: OWNER } });
		expectRefused(await arrive(rules, ADA, '203.0.113.7', other), 'from your network.');
	});

	const [DE, US] = [{ country: 'DE' }, { country: 'US' }];
	it.each([
		[{ allow: [DE, US] }, '8.8.8.8', true],
		[{ allow: [DE] }, '8.8.8.8', false],
		[{ block: [US] }, '8.8.8.8', false],
		[{ allow: [US] }, '10.0.0.1', false],
		[{ block: [US] }, '10.0.0.1', true],
	])('geo %j: from %s it can be opened: %s', async (geo, ip, isOpen) => {
		const arrival = await arrive({ drm: { geo } }, ADA, ip);
		if (isOpen) expectOpen(arrival);
		else expectRefused(arrival, "This container can't be opened from your country.");
	});

	it.each([ADA, OWNER])('the password is asked for (%s)', async (email) => {
		const { container, visitor, status, page } = await arrive({ password: 'Grüße & <b>' }, email);
		expect([status, page.text.includes('note.txt')]).toEqual([303, false]);
		const file = await visitor.getFile(0);
		expect([file.status >= 300, file.bytes.includes('Hello')]).toEqual([true, false]);
		expectRefused(await visitor.enterPassword('grüße & <b>'), 'The password is wrong.');
		expect(await getEvents(container, 'container.open')).toEqual([]);
		expectOpen(await visitor.enterPassword('Grüße & <b>'));
		expect(await getEvents(container, 'container.open')).toMatchObject([{ user: email }]);
		const refusal = { user: email, detail: { reason: 'password' } };
		expect(await getEvents(container, 'container.refuse')).toMatchObject([refusal]);
		const stranger = await visit(service, container).post('password', { password: 'Grüße & <b>' });
		expect(stranger.page.text).not.toContain('note.txt');
	});

	it('the password can be wrong five times an hour for an address', async () => {
		const { container, visitor } = await arrive({ password: 'correct', recipients: [ADA, BEN] });
		const tooMany = 'There were too many wrong passwords. Try again in an hour.';
		for (let n = 0; n < 5; n++) {
			expect((await visitor.post('password', { password: 'wrong' })).page.text).toContain('wrong');
		}
		expect((await visitor.post('password', { password: 'correct' })).page.text).toContain(tooMany);
		const again = visit(service, container);
		await again.signIn(ADA);
		const { status, page } = await again.post('password', { password: 'correct' });
		expect([403, 429]).toContain(status);
		expect(page.text).toContain(tooMany);
		const ben = visit(service, container);
		await ben.signIn(BEN);
		expectOpen(await ben.enterPassword('correct'));
	});

	it.each([
		[1, 'once'],
		[3, '3 times'],
	])('opens: %s, and the owner is not counted', async (opens, words) => {
		const container = await create({ drm: { opens } });
		const enter = async (email: string) => await visit(service, container).signIn(email);
		for (let n = 0; n < opens; n++) expectOpen(await enter(ADA));
		const sentence = `This container has been opened ${words}, as often as allowed.`;
		expectRefused(await enter(ADA), sentence);
		expectOpen(await enter(OWNER));
		expect(await countOpens(container)).toBe(opens);
		expect(await getEvents(container, 'container.open')).toHaveLength(opens + 1);
		const refusals = await getEvents(container, 'container.refuse');
		expect(refusals).toMatchObject([{ user: ADA, detail: { reason: 'opens' } }]);
	});

	it('opens: 5 lets exactly five of a hundred in at once', async () => {
		const container = await create({ recipients: ['*@*'], drm: { opens: 5 } });
		const people = Array.from({ length: 100 }, (_, n) => ({
			email: `person${n}@example.com`,
			visitor: visit(service, container),
		}));
		const codes = await Promise.all(
			people.map(async ({ email, visitor }) => await visitor.requestCode(email)),
		);
		const all = await Promise.all(
			people.map(async ({ email, visitor }, n) => await visitor.signIn(email, codes[n])),
		);
		expect(all.filter(({ status }) => status === 303)).toHaveLength(5);
		expect(all.filter(({ status }) => status === 403)).toHaveLength(95);
		expect(await countOpens(container)).toBe(5);
		expect(await getEvents(container, 'container.open')).toHaveLength(5);
	});

	it('the first reason is named, and the owner passes every rule', async () => {
		const container = await create({ password: 'correct', drm: { dynamic: true, opens: 1 } });
		const early = await visit(service, container).requestCode(ADA);
		const enter = async (password: string, code?: string, email = ADA) => {
			const visitor = visit(service, container, '8.8.8.8');
			const arrival = await visitor.signIn(email, code);
			return arrival.status === 303 ? await visitor.enterPassword(password) : arrival;
		};
		expectOpen(await enter('correct'));
		const path = `/containers/${container.uuid}/drm`;
		const rules = { time: { end: '2020-01-01' }, ip: { block: ['8.8.8.8'] }, geo: { block: [US] } };
		await service.api.patch(path, { recipients: [], ...rules });
		await enter('wrong', early);
		expectOpen(await enter('correct', undefined, OWNER));
		for (const fix of [{ recipients: [ADA] }, { time: null }, { ip: null }, { geo: null }]) {
			await service.api.patch(path, fix);
			await enter('wrong');
		}
		await enter('correct');
		const refusals = await getEvents(container, 'container.refuse');
		const reasons = refusals.map(({ detail }) => detail.reason);
		expect(reasons).toEqual(['recipient', 'time', 'ip', 'geo', 'password', 'opens']);
	});
});
