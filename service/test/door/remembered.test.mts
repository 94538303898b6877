import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { request } from 'undici';
import { encryptText } from '../../src/containers/encryptText.mts';
import { deriveKey, parseMasterKey } from '../../src/containers/masterKeys.mts';
import { createContainer, type Container, type ContainerToCreate } from '../support/api.mts';
import type { ServiceEvent } from '../support/api.mts';
import { describeService, startService, times, type Service } from '../support/service.mts';

const ADA = 'ada@example.com';
const OLIVE = 'olive@example.com';
const COOKIE = '__Host-address';
const HOUR_MS = 60 * 60 * 1000;
const known = `You already entered a code for ${ADA} in this browser.`;
const signIn = 'Sign in to open your files';
const german = readFileSync(join(import.meta.dirname, '../../pages/languages/de.json'), 'utf8');
/** The beginning of a sentence. */
const toGerman = (key: string) =>
	(JSON.parse(german) as { sentences: Record<string, string> }).sentences[key].split('{')[0];
const unknown = { uuid: '00000000-0000-4000-8000-000000000000' };

type Visitor = ReturnType<Service['visit']>;

describeService('a browser that proved an address', () => {
	let service: Service;
	let cookie: string;

	beforeAll(async () => {
		service = await startService({ env: { OWNER_EMAIL: OLIVE, TRUST_PROXY: '127.0.0.1,::1' } });
		cookie = await prove(ADA);
	});

	/** Signs in to files of its own. */
	const prove = async (address: string) => {
		const visitor = service.visit(await createContainer(service, { recipients: [address] }));
		await visitor.signIn(address);
		return visitor.cookies.get(COOKIE)!;
	};
	const visit = (place: { uuid: string }, value = cookie, ip?: string) => {
		const visitor = service.visit(place, ip);
		visitor.cookies.set(COOKIE, value);
		return visitor;
	};
	const create = async (rules: ContainerToCreate = {}) =>
		await createContainer(service, { recipients: [ADA], ...rules });
	const proceed = async (visitor: Visitor) => await visitor.post('continue', {});
	const listEvents = async ({ uuid }: { uuid: string }) => {
		const path = `/users/${service.userId}/containers/${uuid}/events`;
		const { body } = await service.api.get<ServiceEvent[]>(path);
		return body.slice(1).map(({ action, user, detail }) => [action, user, detail.reason]);
	};
	const countOpenings = async ({ uuid }: { uuid: string }) =>
		(await service.api.get<Container>(`/containers/${uuid}`)).body.opens_used;

	it('opens other files with a click, which alone is counted and recorded', async () => {
		const container = await create({ drm: { opens: 1 } });
		const ada = visit(container);
		const page = await ada.go();
		expect([page.status, page.text]).toEqual([200, expect.stringContaining(known)]);
		expect(page.html).not.toContain('note.txt');
		expect([await countOpenings(container), await listEvents(container)]).toEqual([0, []]);
		expect((await ada.getFile(0)).bytes.includes('Hello')).toBe(false);
		const opened = await proceed(ada);
		expect([opened.status, opened.text]).toEqual([303, expect.stringContaining('note.txt')]);
		expect(await countOpenings(container)).toBe(1);
		expect(await listEvents(container)).toEqual([['container.open', ADA, undefined]]);
		// Again is no other opening, and another browser is one too many.
		expect((await proceed(ada)).text).toContain('note.txt');
		expect((await visit(container).go()).text).toContain('opened once, as often as');
		expect(await countOpenings(container)).toBe(1);
	});

	it('opens them once by several clicks, also where the response to the first one is lost', async () => {
		const container = await create({ drm: { opens: 1 } });
		const ada = visit(container);
		await ada.go();
		const session = ada.cookies.get('session')!;
		for (const { status } of await Promise.all([proceed(ada), proceed(ada)])) {
			expect(status).toBe(303);
		}
		ada.cookies.set('session', session);
		expect((await proceed(ada)).text).toContain('note.txt');
		expect(await countOpenings(container)).toBe(1);
		expect(await listEvents(container)).toEqual([['container.open', ADA, undefined]]);
	});

	it.each<[string, ContainerToCreate, string]>([
		['a wildcard of its domain', { recipients: ['*@example.com'] }, ADA],
		['everybody', { recipients: ['*@*'] }, ADA],
		['its owner', { recipients: [] }, OLIVE],
	])('is let in by %s', async (_title, rules, address) => {
		const ada = visit(await create(rules), await prove(address));
		expect((await proceed(ada)).text).toContain('note.txt');
	});

	it.each<[string, ContainerToCreate, string]>([
		['an end', { drm: { time: { end: '2020-12-31' } } }, 'Access ended on 31 December 2020.'],
		['networks', { drm: { ip: { block: ['203.0.113.7'] } } }, 'from your network.'],
	])('is refused by %s, as with a code', async (_title, rules, sentence) => {
		const container = await create(rules);
		const ada = visit(container, cookie, '203.0.113.7');
		for (const { status, text } of [await ada.go(), await proceed(ada)]) {
			expect([status, text]).toEqual([403, expect.stringContaining(sentence)]);
		}
		expect(await listEvents(container)).toContainEqual([
			'container.refuse',
			ADA,
			expect.any(String),
		]);
		expect(await countOpenings(container)).toBe(0);
	});

	it('still needs the password', async () => {
		const container = await create({ password: 'correct' });
		const ada = visit(container);
		expect((await proceed(ada)).text).toContain('Enter the password');
		expect(await countOpenings(container)).toBe(0);
		expect((await ada.enterPassword('correct')).text).toContain('note.txt');
	});

	it('sees for files of others, for removed ones and unknown links the same page after the same time', async () => {
		const removed = await create({ drm: { dynamic: true } });
		await service.api.patch(`/containers/${removed.uuid}/drm`, { recipients: ['ben@example.com'] });
		const others = await create({ recipients: [], password: 'correct' });
		const deleted = await create();
		await service.api.delete(`/containers/${deleted.uuid}`);
		const many = times(10_000, (n) => `person${n}@example.org`);
		const long = await create({ recipients: many });
		for (const place of [unknown, deleted, removed, others, long]) {
			const ada = visit(place);
			const began = performance.now();
			const { status, text, html } = await ada.go();
			expect(performance.now() - began).toBeGreaterThan(99);
			expect([status, text]).toEqual([200, expect.stringContaining(signIn)]);
			const plain = (await service.visit(unknown).go()).html;
			expect(html.replaceAll(place.uuid, unknown.uuid)).toBe(plain);
			expect((await proceed(ada)).text).toContain(signIn);
			expect((await ada.getFile(0)).bytes.includes('Hello')).toBe(false);
		}
		expect(await listEvents(removed)).toEqual([['drm.update', OLIVE, undefined]]);
	});

	it('leaves an address, and can prove another one', async () => {
		const container = await create({ recipients: [ADA, OLIVE] });
		const ada = visit(container);
		expect((await ada.go()).text).toContain(`Not ${ADA}?`);
		expect((await ada.post('leave', {})).text).toContain(signIn);
		expect(ada.cookies.has(COOKIE)).toBe(false);
		await ada.signIn(OLIVE);
		expect((await ada.go()).text).toContain(`Signed in as ${OLIVE}`);
		// Sign Out ends both: the session and what is remembered.
		expect((await ada.post('leave', {})).text).toContain(signIn);
		expect(ada.cookies.size).toBe(0);
	});

	it.each(['cross-site', 'same-site'])('opens nothing by a form of a %s page', async (site) => {
		const container = await create();
		const { statusCode } = await request(`${container.url}/continue`, {
			method: 'POST',
			headers: { cookie: `${COOKIE}=${cookie}`, 'sec-fetch-site': site },
			dispatcher: service.api.dispatcher,
		});
		expect([statusCode, await countOpenings(container)]).toEqual([403, 0]);
	});

	it('is known for twelve hours, and only by what this service made', async () => {
		const text =
			service.backend?.env.MASTER_KEY ?? readFileSync(join(service.folder, 'master.key'), 'utf8');
		const key = deriveKey(parseMasterKey(text.split('\n')[0].trim())!, 'address');
		const make = (hours: number) =>
			encryptText(
				key,
				JSON.stringify({ address: ADA, provenAt: Date.now() - hours * HOUR_MS }),
				COOKIE,
			);
		const container = await create();
		const changed = cookie.slice(0, -2) + (cookie.endsWith('AA') ? 'BB' : 'AA');
		const session = (await signedIn(container)).cookies.get('session')!;
		const expected: Array<[string, boolean]> = [
			[make(11.99), true],
			[make(12), false],
			[changed, false],
			[session, false],
			['', false],
		];
		for (const [value, isKnown] of expected) {
			expect((await visit(container, value).go()).text.includes(known)).toBe(isKnown);
		}
	});

	it('Whoever has the cookie of an address has no session, no password, and no other address', async () => {
		const container = await create();
		const forged = service.visit(container);
		forged.cookies.set('session', cookie);
		expect((await forged.go()).text).toContain(signIn);
		const locked = visit(await create({ password: 'correct' }));
		expect((await locked.getFile(0)).bytes.includes('Hello')).toBe(false);
		expect((await locked.enterPassword('wrong')).status).toBe(403);
		const ofBen = await create({ recipients: ['ben@example.com'] });
		expect((await visit(ofBen).go()).text).toContain(signIn);
	});

	const signedIn = async (container: Container) => {
		const visitor = service.visit(container);
		await visitor.signIn(ADA);
		return visitor;
	};

	it('changes the language of a refusal, and is still refused', async () => {
		const container = await create({ drm: { dynamic: true } });
		const ada = service.visit(container);
		const code = await ada.requestCode(ADA);
		await service.api.patch(`/containers/${container.uuid}/drm`, { time: { end: '2020-12-31' } });
		expect((await ada.signIn(ADA, code)).status).toBe(403);
		ada.cookies.delete(COOKIE);
		const { text } = await ada.go(`/c/${container.uuid}?lang=de`);
		expect(text).toContain(toGerman('refused.endedBySender'));
	});

	it('is forgotten when the master key changes', async () => {
		const container = await create();
		expect((await visit(container).go()).text).toContain(known);
		if (service.backend) return;
		await service.run(['master-key', 'rotate']);
		expect((await visit(container).go()).text).toContain(signIn);
	});
});

describeService('with REMEMBER_HOURS=0', () => {
	it('a browser needs a code for each link', async () => {
		const service = await startService({ env: { REMEMBER_HOURS: '0', OWNER_EMAIL: OLIVE } });
		const container = await createContainer(service, { recipients: [ADA] });
		const ada = service.visit(container);
		expect((await ada.signIn(ADA)).text).toContain('note.txt');
		expect([...ada.cookies.keys()]).toEqual(['session']);
	});
});
