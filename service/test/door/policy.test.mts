import { createContainer } from '../support/api.mts';
import type { Container, ContainerToCreate, ServiceEvent } from '../support/api.mts';
import type { DoorResponse } from '../support/recipient.cts';
import { describeService, startService, times, type Service } from '../support/service.mts';

const ADA = 'ada@example.com';
const BEN = 'ben@example.com';
const OWNER = 'olive@example.com';
/** Whose day is another than that of UTC now. */
const ZONE = new Date().getUTCHours() < 11 ? 'Etc/GMT+12' : 'Pacific/Kiritimati';

const LOCKED =
	/There were too many wrong passwords\. You can try again at \d\d:\d\d \S+, in (59|60) minutes\./;

const toDay = (days: number) =>
	new Intl.DateTimeFormat('en-CA', { timeZone: ZONE }).format(Date.now() + days * 86_400_000);

describeService('who can open a container', () => {
	let service: Service;

	beforeAll(async () => {
		const env = { OWNER_EMAIL: OWNER, TRUST_PROXY: '127.0.0.1,::1', TIME_ZONE: ZONE };
		service = await startService({ env });
	});

	const create = async (rules: ContainerToCreate, place = service) =>
		await createContainer(place, { recipients: [ADA], ...rules });
	/** Creates a container, and goes to it with a code. */
	const arrive = async (rules: ContainerToCreate, email = ADA, ip = '8.8.8.8', place = service) => {
		const container = await create(rules, place);
		const visitor = place.visit(container, ip);
		return { container, visitor, ...(await visitor.signIn(email)) };
	};
	const getEvents = async ({ uuid }: Container, action: string) => {
		const path = `/users/${service.userId}/containers/${uuid}/events`;
		const events = await service.api.getAll<ServiceEvent>(path);
		return events.filter((event) => event.action === action);
	};
	const expectOpen = ({ status, text }: Pick<DoorResponse, 'status' | 'text'>) =>
		expect([status, text]).toEqual([303, expect.stringContaining('note.txt')]);
	const expectRefused = ({ status, text }: Pick<DoorResponse, 'status' | 'text'>, why: string) => {
		expect([status, text]).toEqual([403, expect.stringContaining(why)]);
		expect(text).not.toContain('note.txt');
	};

	it('recipients who were removed after the code was sent are refused, which is an event', async () => {
		const container = await create({ drm: { dynamic: true } });
		const visitor = service.visit(container, '8.8.8.8');
		const code = await visitor.requestCode(ADA);
		await service.api.patch(`/containers/${container.uuid}/drm`, { recipients: [BEN] });
		await visitor.signIn(ADA, code === '12345678' ? '0' : '12345678');
		expectRefused(
			await visitor.signIn(ADA, code),
			`These files aren’t shared with ${ADA} any more.`,
		);
		// A wrong code proves no address.
		const detail = { reason: 'recipient', ip: '8.8.8.8', country: 'US' };
		const refusal = { user: ADA, container_name: 'Test', detail };
		expect(await getEvents(container, 'container.refuse')).toMatchObject([refusal]);
	});

	it('a refusal is one event a minute for a person, a container and a reason, also of many at once', async () => {
		const past = { time: { end: toDay(-1) } };
		const container = await create({ drm: { dynamic: true } });
		const other = await create({ drm: { dynamic: true } });
		const [ada, elsewhere, ben] = await Promise.all([
			...[container, other].map((place) => service.visit(place)),
			service.visit(container),
		]);
		await service.api.patch(`/containers/${container.uuid}/drm`, { recipients: [ADA, BEN] });
		for (const visitor of [ada, elsewhere]) await visitor.signIn(ADA);
		await ben.signIn(BEN);
		for (const { uuid } of [container, other]) {
			await service.api.patch(`/containers/${uuid}/drm`, past);
		}
		const knock = [...times(10, () => ada), elsewhere, ben];
		const pages = await Promise.all(knock.map(async (visitor) => await visitor.go()));
		expect(pages.map(({ status }) => status)).toEqual(knock.map(() => 403));
		await service.api.patch(`/containers/${container.uuid}/drm`, { recipients: [BEN] });
		await ada.go();
		const refusals = await getEvents(container, 'container.refuse');
		const facts = refusals.map(({ user, detail }) => `${user} ${detail.reason}`).sort();
		expect(facts).toEqual([`${ADA} recipient`, `${ADA} time`, `${BEN} time`]);
		expect(await getEvents(other, 'container.refuse')).toHaveLength(1);
	});

	it('time is days in the zone of the service', async () => {
		const [yesterday, today, tomorrow] = [-1, 0, 1].map(toDay);
		const goAt = async (time: object) => await arrive({ drm: { time } });
		expectOpen(await goAt({ start: today, end: today }));
		expectRefused(await goAt({ start: tomorrow }), 'Access starts on ');
		expectRefused(await goAt({ end: yesterday }), 'Access ended on ');
	});

	it('ip is the last address of X-Forwarded-For that no trusted proxy has, and geo its country', async () => {
		const rules = { drm: { ip: { allow: ['203.0.113.7'] } } };
		const sentence = 'These files can’t be opened from your network.';
		expectOpen(await arrive(rules, ADA, '198.51.100.1, ::ffff:203.0.113.7'));
		expectRefused(await arrive(rules, ADA, '203.0.113.7, 198.51.100.1'), sentence);
		const other = await startService({ env: { OWNER_EMAIL: OWNER } });
		expectRefused(await arrive(rules, ADA, '203.0.113.7', other), sentence);
		const country = 'These files can’t be opened from your country.';
		expectRefused(await arrive({ drm: { geo: { block: [{ country: 'US' }] } } }), country);
	});

	it.each([ADA, OWNER])('the password is asked for (%s)', async (email) => {
		const { container, visitor, status, text } = await arrive({ password: 'Grüße & <b>' }, email);
		expect([status, text.includes('note.txt')]).toEqual([303, false]);
		const file = await visitor.getFile(0);
		expect([file.status >= 300, file.bytes.includes('Hello')]).toEqual([true, false]);
		expectRefused(await visitor.enterPassword('grüße & <b>'), 'The password is wrong.');
		expect(await getEvents(container, 'container.open')).toEqual([]);
		// Unicode forms of one text are one password.
		expectOpen(await visitor.enterPassword('Grüße & <b>'.normalize('NFD')));
		expect(await getEvents(container, 'container.open')).toMatchObject([{ user: email }]);
		const refusal = { user: email, detail: { reason: 'password' } };
		expect(await getEvents(container, 'container.refuse')).toMatchObject([refusal]);
		const stranger = await service.visit(container).enterPassword('Grüße & <b>');
		expect([stranger.status, stranger.text.includes('note.txt')]).toEqual([303, false]);
	});

	it('the password can be wrong five times an hour for an address', async () => {
		const { container, visitor } = await arrive({ password: 'correct', recipients: [ADA, BEN] });
		for (const left of ['4 more tries', '3 more tries', '2 more tries', '1 more try']) {
			const { text } = await visitor.enterPassword('wrong');
			expect(text).toContain(`The password is wrong. You have ${left} in this hour.`);
		}
		expect((await visitor.enterPassword('wrong')).text).toMatch(LOCKED);
		const again = service.visit(container);
		await again.signIn(ADA);
		for (const ada of [visitor, again]) {
			const { status, text } = await ada.enterPassword('correct');
			expect(status).toBe(429);
			expect(text).toMatch(LOCKED);
		}
		const ben = service.visit(container);
		await ben.signIn(BEN);
		expectOpen(await ben.enterPassword('correct'));
	});

	const invite = async (container: Container, n: number) => {
		const visitor = service.visit(container);
		const code = await visitor.requestCode(`person${n}@example.com`);
		return async () => await visitor.signIn(`person${n}@example.com`, code);
	};
	/** People with a code for a container, who have not entered it yet. */
	const gather = async (container: Container, count: number) => {
		const people: Array<Awaited<ReturnType<typeof invite>>> = [];
		for (let first = 0; first < count; first += 10) {
			const ten = times(10, async (n) => await invite(container, first + n));
			people.push(...(await Promise.all(ten)));
		}
		return people;
	};
	const enterAtOnce = async (people: Awaited<ReturnType<typeof gather>>) =>
		await Promise.all(people.map(async (enter) => await enter()));
	const countOpen = (all: DoorResponse[]) => all.filter(({ status }) => status === 303).length;

	it('opens: 5 lets exactly five of a hundred in at once, and the owner, who is not counted', async () => {
		const container = await create({ recipients: ['*@*'], drm: { opens: 5 } });
		const all = await enterAtOnce(await gather(container, 100));
		expect(countOpen(all)).toBe(5);
		const sentence = 'These files have been opened 5 times, as often as the sender allows.';
		expect(all.filter(({ text }) => text.includes(sentence))).toHaveLength(95);
		expectOpen(await service.visit(container).signIn(OWNER));
		const { body } = await service.api.get<Container>(`/containers/${container.uuid}`);
		expect(body.opens_used).toBe(5);
		expect(await getEvents(container, 'container.open')).toHaveLength(6);
	});

	it('one opening is left for one of two who enter the password at once', async () => {
		const rules = { password: 'correct', recipients: [ADA, BEN], drm: { opens: 1 } };
		const { container, visitor: ada } = await arrive(rules);
		const ben = service.visit(container);
		await ben.signIn(BEN);
		const both = [ada, ben].map(async (visitor) => await visitor.enterPassword('correct'));
		expect((await Promise.all(both)).map(({ status }) => status).sort()).toEqual([303, 403]);
	});

	it('opened, changed and deleted at once, a container is gone, with an event for each success', async () => {
		const container = await create({ recipients: ['*@*'], drm: { dynamic: true } });
		const people = await gather(container, 10);
		const path = `/containers/${container.uuid}`;
		const [opened, changed, deleted] = await Promise.all([
			enterAtOnce(people),
			Promise.all(people.map((_, n) => service.api.patch(`${path}/drm`, { opens: 50 + n }))),
			service.api.delete(path),
		]);
		expect([200, 404]).toEqual(expect.arrayContaining(changed.map(({ status }) => status)));
		expect([303, 403, 404]).toEqual(expect.arrayContaining(opened.map(({ status }) => status)));
		expect([deleted.status, (await service.api.get(path)).status]).toEqual([204, 404]);
		const successes = {
			'container.open': countOpen(opened),
			'drm.update': changed.filter(({ status }) => status === 200).length,
			'container.delete': 1,
		};
		for (const [action, count] of Object.entries(successes)) {
			expect([action, (await getEvents(container, action)).length]).toEqual([action, count]);
		}
		expect(await service.run(['check'])).toMatchObject({ code: 0, stderr: '' });
	});
});
