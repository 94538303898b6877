import { readList, type Container, type ServiceEvent } from '../support/api.mts';
import { readMails, visit, type DoorResponse } from '../support/door.mts';
import { createContainer, type ContainerToCreate } from '../support/encode.mts';
import { describeService, startService, type Service } from '../support/service.mts';

const ADA = 'ada@example.com';
const OWNER = 'olive@example.com';
const trust = { OWNER_EMAIL: OWNER, TRUST_PROXY: '127.0.0.1,::1' };

const DAY_MS = 86_400_000;
/** The day there, some days from now. */
const dayIn = (timeZone: string, days: number) =>
	new Intl.DateTimeFormat('en-CA', { timeZone }).format(Date.now() + days * DAY_MS);
/** `2026-12-31` → `31 December 2026` */
const inWords = (day: string) =>
	new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(day));

describeService('who can open a container', () => {
	let service: Service;

	beforeAll(async () => {
		service = await startService({ env: trust });
	});

	interface Arrival {
		email?: string;
		ip?: string;
		place?: Service;
	}
	/** Creates a container, and goes to it with a code. */
	const arrive = async (
		rules: ContainerToCreate,
		{ email = ADA, ip = '203.0.113.7', place = service }: Arrival = {},
	) => {
		const container = await createContainer(place, { recipients: [ADA], ...rules });
		const visitor = visit(place, container, { ip });
		return { container, visitor, ...(await visitor.signIn(email)) };
	};
	const eventsOf = async ({ uuid }: Container) => {
		const path = `/users/${service.userId}/containers/${uuid}/events`;
		return (await service.api.get<ServiceEvent[]>(path)).body.slice(1);
	};
	const opensUsed = async ({ uuid }: Container) =>
		(await service.api.get<Container>(`/containers/${uuid}`)).body.opens_used;
	const expectOpen = ({ status, page }: DoorResponse) => {
		expect(page.text).toContain('note.txt');
		expect(status).toBe(303);
	};
	const expectRefused = ({ status, page }: DoorResponse, sentence: string) => {
		expect(page.text).toContain(sentence);
		expect([status, page.text.includes('note.txt')]).toEqual([403, false]);
	};

	it.each([
		[[ADA], ADA],
		[['Ada@Example.COM'], ADA],
		[['*@example.com'], 'ben@example.com'],
		[['*@Example.com'], 'ben@example.com'],
		[['*@*'], 'eve@example.org'],
		[[], OWNER],
		[undefined, OWNER],
		[[ADA], OWNER],
	])('recipients %j: %s can open it', async (recipients, email) => {
		expectOpen(await arrive({ recipients }, { email }));
	});

	it.each([
		[[], ADA],
		[undefined, ADA],
		[['*@example.com'], 'ben@sub.example.com'],
		[['*@example.com'], 'ben@notexample.com'],
		[['*@example.com'], 'ben@example.com.evil.org'],
		[['ada@example.com'], 'adaa@example.com'],
		[['a.b@example.com'], 'axb@example.com'],
	])('recipients %j: %s gets no code', async (recipients, email) => {
		const container = await createContainer(service, { recipients });
		const visitor = visit(service, container);
		await visitor.go();
		await visitor.submit('Send Code', { 'Email address': email });
		// The owner's mail was asked for later.
		await visit(service, container).requestCode(OWNER);
		const link = container.url;
		const mails = readMails(service).filter((mail) => mail.link === link);
		expect(mails.map(({ to }) => to)).toEqual([OWNER]);
	});

	it('recipients who were removed after the code was sent are refused', async () => {
		const container = await createContainer(service, { recipients: [ADA], drm: { dynamic: true } });
		const visitor = visit(service, container, { ip: '8.8.8.8' });
		const code = await visitor.requestCode(ADA);
		await service.api.patch(`/containers/${container.uuid}/drm`, {
			recipients: ['ben@example.com'],
		});
		expectRefused(
			await visitor.signIn(ADA, code),
			"This container isn't shared with ada@example.com.",
		);
		expect((await eventsOf(container)).at(-1)).toMatchObject({
			action: 'container.refuse',
			user: ADA,
			container_name: 'Test',
			detail: { reason: 'recipient', ip: '8.8.8.8', country: 'US' },
		});
	});

	it.each([['UTC'], ['Pacific/Kiritimati'], ['Etc/GMT+12']])('time is days in %s', async (zone) => {
		const place =
			zone === 'UTC' ? service : await startService({ env: { ...trust, TIME_ZONE: zone } });
		const [yesterday, today, tomorrow] = [-1, 0, 1].map((days) => dayIn(zone, days));
		const at = async (time: object) => await arrive({ drm: { time } }, { place });
		expectOpen(await at({ start: today, end: today }));
		expectOpen(await at({ start: today }));
		expectOpen(await at({ end: today }));
		expectRefused(await at({ start: tomorrow }), `Access starts on ${inWords(tomorrow)}.`);
		expectRefused(await at({ end: yesterday }), `Access ended on ${inWords(yesterday)}.`);
	});

	it.each([
		[{ allow: ['203.0.113.7'] }, '203.0.113.7', true],
		[{ allow: ['203.0.113.7'] }, '203.0.113.8', false],
		[{ allow: ['203.0.113.0/24'] }, '203.0.113.255', true],
		[{ allow: ['203.0.113.0/24'] }, '203.0.114.0', false],
		[{ allow: ['192.168.*.1'] }, '192.168.77.1', true],
		[{ allow: ['192.168.*.1'] }, '192.168.77.2', false],
		[{ allow: ['10.0.0.5-10.0.0.9'] }, '10.0.0.9', true],
		[{ allow: ['10.0.0.5-10.0.0.9'] }, '10.0.0.10', false],
		[{ allow: ['10.0.9.9/255.0.255.0'] }, '10.77.9.1', true],
		[{ allow: ['10.0.9.9/255.0.255.0'] }, '10.77.8.1', false],
		[{ allow: ['2001:db8::/32'] }, '2001:db8:ffff::1', true],
		[{ allow: ['2001:db8::/32'] }, '2001:db9::1', false],
		[{ allow: ['203.0.113.7'] }, '::ffff:203.0.113.7', true],
		[{ allow: ['203.0.113.7'] }, '2001:db8::1', false],
		[{ allow: [] }, '203.0.113.7', false],
		[{ block: ['203.0.113.7'] }, '203.0.113.7', false],
		[{ block: ['203.0.113.7'] }, '203.0.113.8', true],
		[{ allow: ['10.0.0.0/8'], block: ['10.1.0.0/16'] }, '10.2.0.1', true],
		[{ allow: ['10.0.0.0/8'], block: ['10.1.0.0/16'] }, '10.1.0.1', false],
		[{ allow: ['10.0.0.0/8'], block: ['10.1.0.0/16'] }, '11.0.0.1', false],
	])('ip %j: %s can open it: %s', async (ip, address, isOpen) => {
		const arrival = await arrive({ drm: { ip } }, { ip: address });
		if (isOpen) expectOpen(arrival);
		else expectRefused(arrival, "This container can't be opened from your network.");
	});

	it('believes only the last address of X-Forwarded-For that no trusted proxy has', async () => {
		const rules = { drm: { ip: { allow: ['203.0.113.7'] } } };
		expectOpen(await arrive(rules, { ip: '198.51.100.1, 203.0.113.7' }));
		expectRefused(await arrive(rules, { ip: '203.0.113.7, 198.51.100.1' }), 'from your network.');
		const untrusting = await startService({ env: { OWNER_EMAIL: OWNER } });
		expectRefused(
			await arrive(rules, { ip: '203.0.113.7', place: untrusting }),
			'from your network.',
		);
	});

	it.each([
		[{ allow: ['US'] }, '8.8.8.8', true],
		[{ allow: ['DE', 'US'] }, '8.8.8.8', true],
		[{ allow: ['DE'] }, '8.8.8.8', false],
		[{ block: ['US'] }, '8.8.8.8', false],
		[{ block: ['DE'] }, '8.8.8.8', true],
		[{ allow: ['US'], block: ['US'] }, '8.8.8.8', false],
		[{ allow: ['US'] }, '2001:4860:4860::8888', true],
		[{ allow: ['US'] }, '10.0.0.1', false],
		[{ block: ['US'] }, '10.0.0.1', true],
	])('geo %j: %s can open it: %s', async (lists, ip, isOpen) => {
		const toCountries = (codes?: string[]) => codes?.map((country) => ({ country }));
		const geo = { allow: toCountries(lists.allow), block: toCountries(lists.block) };
		const arrival = await arrive({ drm: { geo } }, { ip });
		if (isOpen) expectOpen(arrival);
		else expectRefused(arrival, "This container can't be opened from your country.");
	});

	it('asks for the password, the owner too', async () => {
		for (const email of [ADA, OWNER]) {
			const arrival = await arrive({ password: 'Grüße & <b>' }, { email });
			expect([arrival.status, arrival.page.text.includes('note.txt')]).toEqual([303, false]);
			expect(await opensUsed(arrival.container)).toBe(0);
			expectRefused(await arrival.visitor.enterPassword('grüße & <b>'), 'The password is wrong.');
			expectOpen(await arrival.visitor.enterPassword('Grüße & <b>'));
			const events = await eventsOf(arrival.container);
			expect(events.map(({ action, detail }) => [action, detail.reason])).toEqual([
				['container.refuse', 'password'],
				['container.open', undefined],
			]);
		}
	});

	it('gives nothing to who has not entered the password', async () => {
		const { visitor } = await arrive({ password: 'correct' });
		const { status, bytes } = await visitor.getFile(0);
		expect([status >= 300, bytes.includes('Hello')]).toEqual([true, false]);
		const stranger = await visit(service, (await arrive({ password: 'x' })).container).post(
			'password',
			{
				password: 'x',
			},
		);
		expect(stranger.page.text).not.toContain('note.txt');
	});

	it('accepts five wrong passwords an hour of an address', async () => {
		const recipients = [ADA, 'ben@example.com'];
		const { container, visitor } = await arrive({ password: 'correct', recipients });
		const { html } = visitor.page;
		for (let tried = 0; tried < 5; tried++) {
			expect((await visitor.post('password', { password: 'wrong' })).status).toBe(403);
		}
		expect(html).not.toBe('');
		const sixth = await visitor.post('password', { password: 'correct' });
		expect(sixth.status).toBe(429);
		expect(sixth.page.text).toContain('There were too many wrong passwords. Try again in an hour.');
		const again = visit(service, container);
		await again.signIn(ADA);
		expect((await again.post('password', { password: 'correct' })).page.text).not.toContain(
			'note.txt',
		);
		const ben = visit(service, container);
		await ben.signIn('ben@example.com');
		expectOpen(await ben.enterPassword('correct'));
	});

	it.each([
		[1, 'once'],
		[3, '3 times'],
	])('opens: %s', async (opens, words) => {
		const { container, ...first } = await arrive({ recipients: ['*@*'], drm: { opens } });
		expectOpen(first);
		for (let n = 1; n < opens; n++)
			expectOpen(await visit(service, container).signIn(`p${n}@example.com`));
		const sentence = `This container has been opened ${words}, as often as allowed.`;
		for (const email of [ADA, 'new@example.com']) {
			expectRefused(await visit(service, container).signIn(email), sentence);
		}
		expectOpen(await visit(service, container).signIn(OWNER));
		expect(await opensUsed(container)).toBe(opens);
		const events = await eventsOf(container);
		expect(events.filter(({ action }) => action === 'container.open')).toHaveLength(opens + 1);
		expect(events.filter(({ detail }) => detail.reason === 'opens')).toHaveLength(2);
		expect(events.at(-1)).toMatchObject({ action: 'container.open', user: OWNER });
	});

	it('opens: 5 lets exactly five of a hundred in at once', async () => {
		const container = await createContainer(service, { recipients: ['*@*'], drm: { opens: 5 } });
		const codes = await Promise.all(
			Array.from({ length: 100 }, async (_, n) => {
				const email = `person${n}@example.com`;
				return [email, await visit(service, container).requestCode(email)];
			}),
		);
		const all = await Promise.all(
			codes.map(async ([email, code]) => await visit(service, container).signIn(email, code)),
		);
		expect(all.filter(({ status }) => status === 303)).toHaveLength(5);
		expect(all.filter(({ status }) => status === 403)).toHaveLength(95);
		expect(await opensUsed(container)).toBe(5);
		const events = await readList<ServiceEvent>(
			service.api,
			`/users/${service.userId}/containers/${container.uuid}/events?limit=1000`,
			service.baseUrl,
		);
		expect(events.filter(({ action }) => action === 'container.open')).toHaveLength(5);
	});

	it('the owner passes every rule', async () => {
		const drm = {
			time: { end: '2020-01-01' },
			ip: { allow: ['10.0.0.1'] },
			geo: { allow: [{ country: 'DE' }] },
		};
		expectOpen(await arrive({ drm }, { email: OWNER, ip: '8.8.8.8' }));
	});

	it('names the first reason: recipient, time, ip, geo, password, opens', async () => {
		const container = await createContainer(service, {
			recipients: [ADA],
			password: 'correct',
			drm: { dynamic: true, opens: 1 },
		});
		const enter = async () => {
			const visitor = visit(service, container, { ip: '8.8.8.8' });
			const opened = await visitor.signIn(ADA, codes.pop());
			return opened.status === 303 ? await visitor.enterPassword(password) : opened;
		};
		let password = 'correct';
		const codes: string[] = [];
		for (let n = 0; n < 7; n++) {
			codes.push(await visit(service, container).requestCode(ADA));
		}
		expectOpen(await enter());
		password = 'wrong';
		const path = `/containers/${container.uuid}/drm`;
		await service.api.patch(path, {
			recipients: [],
			time: { end: '2020-01-01' },
			ip: { block: ['8.8.8.8'] },
			geo: { block: [{ country: 'US' }] },
		});
		for (const fix of [{ recipients: [ADA] }, { time: null }, { ip: null }, { geo: null }]) {
			await enter();
			await service.api.patch(path, fix);
		}
		await enter();
		password = 'correct';
		await enter();
		const refusals = (await eventsOf(container)).filter(
			({ action }) => action === 'container.refuse',
		);
		expect(refusals.map(({ detail }) => detail.reason)).toEqual([
			'recipient',
			'time',
			'ip',
			'geo',
			'password',
			'opens',
		]);
	});
});
