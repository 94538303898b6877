import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { request } from 'undici';
import { decryptText, encryptText } from '../../src/containers/encryptText.mts';
import { deriveKey, parseMasterKey } from '../../src/containers/masterKeys.mts';
import { createContainer } from '../support/api.mts';
import type { Container, ContainerToCreate, ServiceEvent } from '../support/api.mts';
import type { DoorResponse } from '../support/recipient.cts';
import { addUser, describeService, runCommand, startService, times } from '../support/service.mts';
import type { Service } from '../support/service.mts';

const ADA = 'ada@example.com';
const BEN = 'ben@example.com';
const OLIVE = 'olive@example.com';
const IP = '203.0.113.7';
const NOTE = 'I need them for Monday.';
const ON_ITS_WAY = 'Your request is on its way';
const EXPIRED = 'That page is no longer valid';
const past = { time: { end: '2020-12-31' } };
const unknown = { uuid: '00000000-0000-4000-8000-000000000000' };

type Visitor = ReturnType<Service['visit']>;

describeService('whoever is refused', () => {
	let service: Service;

	beforeAll(async () => {
		const env = { OWNER_EMAIL: OLIVE, TRUST_PROXY: '127.0.0.1,::1' };
		service = await startService({ env });
	});

	const change = async ({ uuid }: Container, rules: object) => {
		const { status } = await service.api.patch(`/containers/${uuid}/drm`, rules);
		expect(status).toBe(200);
	};
	/** Has a code for a container whose rules change before it is used. */
	const refuse = async (rules: object = past, sent: ContainerToCreate = {}, email = ADA) => {
		const drm = { dynamic: true, ...sent.drm };
		const container = await createContainer(service, { recipients: [ADA, BEN], ...sent, drm });
		const visitor = service.visit(container, IP);
		const code = await visitor.requestCode(email);
		await change(container, rules);
		const page = await visitor.signIn(email, code);
		expect([page.status, page.text]).toEqual([403, expect.stringContaining('Ask for Access')]);
		return { container, visitor, proof: findProof(page) };
	};
	const findProof = ({ html }: DoorResponse) => / name="proof" value="([^"]*)"/.exec(html)![1];
	const ask = async (visitor: Visitor, proof: string, note = NOTE) =>
		await visitor.post('access', { proof, note });
	const listEvents = async ({ uuid }: { uuid: string }, action = 'access.request') => {
		const path = `/users/${service.userId}/containers/${uuid}/events?limit=1000`;
		const events = await service.api.getAll<ServiceEvent>(path);
		return events.filter((event) => event.action === action);
	};

	it.each([
		['time', past],
		['time', { time: { start: '2999-01-01' } }],
		['geo', { geo: { allow: [{ country: 'NZ' }] } }],
		['ip', { ip: { block: [IP] } }],
		['recipient', { recipients: [BEN] }],
	])('by %s asks for access with a note, which is an event (%j)', async (reason, rules) => {
		const { container, visitor, proof } = await refuse(rules);
		const page = await ask(visitor, proof);
		expect([page.status, page.text]).toEqual([200, expect.stringContaining(ON_ITS_WAY)]);
		for (const told of [OLIVE, NOTE, 'the same link opens the files', 'Try Again']) {
			expect(page.text).toContain(told);
		}
		const about = { container_id: container.uuid, container_name: 'Test', user: ADA };
		const detail = expect.objectContaining({ ip: IP, reason, note: NOTE }) as object;
		expect(await listEvents(container)).toEqual([expect.objectContaining({ ...about, detail })]);
		expect(await listEvents(container, 'container.refuse')).toHaveLength(1);
	});

	it('by the number of openings asks after the password', async () => {
		const { container, visitor } = await refuse(past, { password: 'correct' });
		await change(container, { time: null, opens: 1 });
		const ben = service.visit(container, IP);
		await ben.signIn(BEN);
		expect((await ben.enterPassword('correct')).text).toContain('note.txt');
		expect((await visitor.go()).text).toContain('Enter the password');
		const refused = await visitor.enterPassword('correct');
		expect((await ask(visitor, findProof(refused))).text).toContain(ON_ITS_WAY);
		expect(await listEvents(container)).toMatchObject([{ user: ADA, detail: { reason: 'opens' } }]);
	});

	it('tries again without another code, and gets in once access was given, which is counted', async () => {
		const { container, visitor, proof } = await refuse(past, { drm: { opens: 1 } });
		// The proof needs no session.
		for (const name of ['session', '__Host-address']) visitor.cookies.delete(name);
		await ask(visitor, proof);
		const early = await visitor.post('again', { proof });
		expect([early.status, early.text]).toEqual([403, expect.stringContaining('The sender ended')]);
		await change(container, { time: null });
		const entered = await visitor.post('again', { proof: findProof(early) });
		expect([entered.status, entered.text]).toEqual([303, expect.stringContaining('note.txt')]);
		const { body } = await service.api.get<Container>(`/containers/${container.uuid}`);
		expect(body.opens_used).toBe(1);
		// In the open session, again is no other opening. In another one it is one too many.
		expect((await visitor.post('again', { proof })).text).toContain('note.txt');
		visitor.cookies.delete('session');
		expect((await visitor.post('again', { proof })).text).toContain('opened once, as often as');
	});

	it.each([{}, { password: 'correct' }])(
		'opens once by two clicks, also without a session (%j)',
		async (sent) => {
			const { container, visitor, proof } = await refuse(past, sent);
			visitor.cookies.delete('session');
			await change(container, { time: null, opens: 1 });
			await click(async () => await visitor.post('again', { proof }));
			if ('password' in sent) {
				await click(async () => await visitor.enterPassword('correct'));
			}
			expect((await visitor.go()).text).toContain('note.txt');
			expect(await listEvents(container, 'container.open')).toHaveLength(1);
		},
	);
	/** Twice at the same time, and again before the browser has the response. */
	const click = async (post: () => Promise<DoorResponse>) => {
		const pages = await Promise.all([post(), post()]);
		expect(pages.map(({ status }) => status)).toEqual([303, 303]);
	};

	it('still needs the password', async () => {
		const { container, visitor, proof } = await refuse(past, { password: 'correct' });
		visitor.cookies.delete('session');
		await change(container, { time: null });
		const page = await visitor.post('again', { proof });
		expect([page.status, page.text]).toEqual([303, expect.stringContaining('Enter the password')]);
		expect((await visitor.enterPassword('correct')).text).toContain('note.txt');
	});

	it('who asks when access was given meanwhile can open the files, and asks nobody', async () => {
		const { container, visitor, proof } = await refuse();
		await change(container, { time: null });
		expect((await ask(visitor, proof)).text).toContain('You don’t need another one.');
		expect(await listEvents(container)).toEqual([]);
	});

	it('asks once by each form, also by many clicks, and three times an hour for a container', async () => {
		const { container, visitor, proof } = await refuse();
		const clicks = await Promise.all(times(10, async () => await ask(visitor, proof)));
		expect(clicks.map(({ status }) => status)).toEqual(times(10, () => 200));
		expect(await listEvents(container)).toHaveLength(1);
		const again = async () => await ask(visitor, findProof(await visitor.go()));
		for (const page of [await again(), await again()]) expect(page.text).toContain(ON_ITS_WAY);
		const fourth = await again();
		expect([fourth.status, fourth.headers['retry-after']]).toEqual([429, expect.any(String)]);
		expect(fourth.text).toMatch(
			/wasn’t sent: you have already asked three times .* in \d\d minutes/,
		);
		// The note is still there.
		expect(fourth.html).toContain(`>${NOTE}</textarea>`);
		expect(await listEvents(container)).toHaveLength(3);
		const elsewhere = await refuse();
		expect((await ask(elsewhere.visitor, elsewhere.proof)).text).toContain(ON_ITS_WAY);
	});

	it.each([
		['none', '', ''],
		['several lines', ' one\r\ntwo\n\n\u2028three\t\u0007', 'one two three'],
		['what reverses a text', 'photo\u202egpj.exe\u2066', 'photogpj.exe'],
		['200 characters', '😀'.repeat(200), '😀'.repeat(200)],
	])('writes a note of %s, which is one line', async (_title, note, expected) => {
		const { container, visitor, proof } = await refuse();
		expect((await ask(visitor, proof, note)).status).toBe(200);
		expect((await listEvents(container))[0].detail.note).toBe(expected);
	});

	it('writes HTML and templates in vain', async () => {
		const note = `<img src=x onerror=alert(1)> {{ $env }} ={{1+1}} <!channel> "'&`;
		const { container, visitor, proof } = await refuse();
		const page = await ask(visitor, proof, note);
		expect(page.text).toContain(note);
		expect(page.html).not.toContain('<img src=x');
		expect((await listEvents(container))[0].detail.note).toBe(note);
	});

	it('gets a note back that is too long', async () => {
		const { container, visitor, proof } = await refuse();
		const page = await ask(visitor, proof, 'x'.repeat(201));
		expect([page.status, page.text]).toEqual([400, expect.stringContaining('longer than 200')]);
		expect(page.html).toContain(`>${'x'.repeat(201)}</textarea>`);
		expect(await listEvents(container)).toEqual([]);
		expect((await ask(visitor, proof, 'x'.repeat(200))).text).toContain(ON_ITS_WAY);
	});

	it('changes the language of the answer, and asks nobody again', async () => {
		const { container, visitor, proof } = await refuse();
		const { html } = await ask(visitor, proof);
		const [, form] = /<nav[^]*<form method="post" action="[^"]*\/access">([^]*)<\/nav>/.exec(html)!;
		const hidden = form.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g);
		const fields = Object.fromEntries([...hidden].map(([, name, value]) => [name, value]));
		const page = await visitor.post('access', { ...fields, lang: 'de' });
		expect(page.text).toContain('Ihre Bitte ist unterwegs');
		expect(await listEvents(container)).toHaveLength(1);
	});

	it('Whoever copies the page of somebody who was refused asks for nothing and opens nothing', async () => {
		const { container, proof } = await refuse();
		await change(container, { time: null });
		const thief = service.visit(container, IP);
		const other = await refuse();
		thief.cookies.set('asking', other.visitor.cookies.get('asking')!);
		for (const visitor of [service.visit(container), thief]) {
			for (const step of ['access', 'again']) {
				const page = await visitor.post(step, { proof, note: NOTE });
				expect([page.status, page.text]).toEqual([403, expect.stringContaining(EXPIRED)]);
				expect((await visitor.getFile(0)).bytes.includes('Hello')).toBe(false);
			}
		}
		expect(await listEvents(container)).toEqual([]);
	});

	const readKey = () => {
		const text =
			service.backend?.env.MASTER_KEY ?? readFileSync(join(service.folder, 'master.key'), 'utf8');
		return deriveKey(parseMasterKey(text.split('\n')[0].trim())!, 'access');
	};

	it('has a form for 30 minutes, this browser and this container, and none that was changed', async () => {
		const { container, visitor, proof } = await refuse();
		const browser = visitor.cookies.get('asking')!;
		const context = `${container.uuid} ${browser}`;
		const content = JSON.parse(decryptText(readKey(), proof, context)!) as { end: number };
		expect(content.end - Date.now()).toBeGreaterThan(29 * 60_000);
		expect(content.end - Date.now()).toBeLessThanOrEqual(30 * 60_000);
		const make = (end: number, key = readKey()) =>
			encryptText(key, JSON.stringify({ ...content, formId: String(end), end }), context);
		const other = await refuse();
		other.visitor.cookies.set('asking', browser);
		const refused: Array<[string, Visitor, string]> = [
			['old', visitor, make(Date.now())],
			['of another service', visitor, make(Date.now() + 60_000, Buffer.alloc(32))],
			['of another container', other.visitor, proof],
			['changed', visitor, proof.slice(0, -2) + (proof.endsWith('AA') ? 'BB' : 'AA')],
			['a session', visitor, visitor.cookies.get('session')!],
			['empty', visitor, ''],
		];
		for (const [title, asking, value] of refused) {
			for (const step of ['access', 'again']) {
				const { status, text } = await asking.post(step, { proof: value });
				expect([title, status, text.includes(EXPIRED)]).toEqual([title, 403, true]);
			}
		}
		expect((await ask(visitor, make(Date.now() + 60_000))).text).toContain(ON_ITS_WAY);
	});

	it('has a form that lasts no longer by being sent', async () => {
		const { container, visitor, proof } = await refuse();
		const context = `${container.uuid} ${visitor.cookies.get('asking')}`;
		const readEnd = (box: string) =>
			(JSON.parse(decryptText(readKey(), box, context)!) as { end: number }).end;
		const again = await visitor.post('again', { proof });
		expect(readEnd(findProof(again))).toBe(readEnd(proof));
	});

	it('learns nothing by a form: for no container, one of others and a deleted one the answer is the same', async () => {
		const { container } = await refuse();
		const deleted = await createContainer(service, { recipients: [ADA] });
		await service.api.delete(`/containers/${deleted.uuid}`);
		for (const step of ['access', 'again']) {
			const pages = [];
			for (const place of [unknown, container, deleted]) {
				const { status, html } = await service.visit(place).post(step, { proof: 'x', note: NOTE });
				pages.push([status, html.replaceAll(place.uuid, unknown.uuid)]);
			}
			expect(pages).toEqual([pages[0], pages[0], pages[0]]);
		}
	});

	it('is told that the files are gone, once they were deleted', async () => {
		const { container, visitor, proof } = await refuse();
		await service.api.delete(`/containers/${container.uuid}`);
		for (const step of ['access', 'again']) {
			const { status, text } = await visitor.post(step, { proof });
			expect([status, text]).toEqual([404, expect.stringContaining('don’t exist any more')]);
		}
	});

	it('asks by no form of another website', async () => {
		const { container, visitor, proof } = await refuse();
		const { statusCode } = await request(`${container.url}/access`, {
			method: 'POST',
			dispatcher: service.api.dispatcher,
			headers: {
				'content-type': 'application/x-www-form-urlencoded',
				'sec-fetch-site': 'cross-site',
				cookie: `asking=${visitor.cookies.get('asking')}`,
			},
			body: new URLSearchParams({ proof }).toString(),
		});
		expect([statusCode, await listEvents(container)]).toEqual([403, []]);
	});

	it('has no form any more after signing out, nor after a rotation of the master key', async () => {
		const { visitor, proof } = await refuse();
		const other = await refuse();
		await visitor.post('leave', {});
		expect((await ask(visitor, proof)).text).toContain(EXPIRED);
		if (service.backend) return;
		await service.run(['master-key', 'rotate']);
		expect((await ask(other.visitor, other.proof)).text).toContain(EXPIRED);
	});
});

describeService('files of an owner who is disabled', () => {
	it('are asked for at the company, and nobody is asked in vain', async () => {
		const service = await startService({ env: { OWNER_EMAIL: 'admin@example.com' } });
		const olive = await addUser(service, OLIVE);
		const container = await createContainer(olive, { recipients: [ADA], drm: past });
		const visitor = service.visit(container);
		const proof = / name="proof" value="([^"]*)"/.exec((await visitor.signIn(ADA)).html)![1];
		await runCommand(service, 'users', 'disable', OLIVE);
		for (const page of [await visitor.go(), await visitor.post('access', { proof })]) {
			expect([page.status, page.text]).toEqual([403, expect.stringContaining('You still need')]);
			expect(page.html).not.toContain('name="proof"');
		}
	});
});
