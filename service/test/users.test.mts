import { PassThrough } from 'node:stream';
import { createContainer, filePart, manifestPart, sendHalves } from './support/api.mts';
import { waitForFile } from './support/api.mts';
import type { Container, ContainerToCreate, ServiceEvent } from './support/api.mts';
import {
	addUser,
	createKey,
	describeService,
	runCommand,
	startService,
} from './support/service.mts';
import type { Service } from './support/service.mts';

const ADA = 'ada@example.com';
const LEFT = 'leo@example.com';

type User = Awaited<ReturnType<typeof addUser>>;

let service: Service;

const run = async (...command: string[]) => await runCommand(service, ...command);
const enter = async (container: Container, email: string) => {
	const visitor = service.visit(container);
	const { status, text } = await visitor.signIn(email);
	return { visitor, status, text };
};

describeService('a person who left', () => {
	let leo: User;
	let container: Container;
	const create = async (more: ContainerToCreate = {}) =>
		await createContainer(leo, { recipients: [ADA], downloadable: true, ...more });

	beforeAll(async () => {
		service = await startService({ env: { OWNER_EMAIL: 'olive@example.com' } });
		leo = await addUser(service, LEFT);
		container = await create();
	});

	it('has no way in as the owner any more: API, upload, session, code', async () => {
		const { visitor: inside } = await enter(container, LEFT);
		expect((await inside.getFile(0)).status).toBe(200);
		const waiting = service.visit(container);
		const code = await waiting.requestCode(LEFT);
		const locked = await create({ password: 'correct' });
		const { visitor: atPassword } = await enter(locked, LEFT);
		const remembered = service.visit(locked);
		for (const [name, value] of inside.cookies) remembered.cookies.set(name, value);
		expect((await remembered.go()).text).toContain('Enter the password');
		const { visitor: ada } = await enter(container, ADA);
		const { api: second } = await createKey(service, LEFT, ['--scope', 'read']);
		const parts = [manifestPart({ container: { name: 'Late' } }), filePart('a', 'x'.repeat(1e6))];

		const events = `/users/${leo.userId}/events`;
		let wait: ReturnType<typeof leo.api.get> | undefined;
		const body = new PassThrough();
		body.write('{ "opens":');
		const headers = { 'content-type': 'application/json' };
		const change = leo.api.send('PATCH', `/containers/${container.uuid}/drm`, { body, headers });
		const before = service.listFiles();
		const upload = await sendHalves(leo, parts, async () => {
			await waitForFile(service, before);
			const [last] = (await leo.api.get<ServiceEvent[]>(`${events}?order=desc&limit=1`)).body;
			wait = leo.api.get(`${events}?after=${last.id}&wait=60`);
			const said = await run('users', 'disable', LEFT);
			expect(said).toContain(`${LEFT} is disabled`);
			expect(said).toContain('Still open for recipients: 2 containers.');
			expect(said).not.toContain('As a recipient');
			body.end('9 }');
		});

		const refused = { message: 'The user of this API key is disabled.', code: 'unauthorized' };
		const asked = [wait, change, leo.api.get('/me'), second.get('/me')];
		for (const response of [upload, ...(await Promise.all(asked))]) {
			expect([response?.status, response?.body]).toEqual([401, refused]);
		}
		expect((await inside.getFile(0)).status).toBe(403);
		expect((await inside.go()).text).toContain(`aren’t shared with ${LEFT}`);
		expect((await remembered.go()).text).toContain(`aren’t shared with ${LEFT}`);
		expect((await waiting.signIn(LEFT, code)).status).toBe(403);
		expect((await atPassword.enterPassword('correct')).status).toBe(403);
		const mails = service.readMails().length;
		await service.visit(container).post('code', { email: LEFT });
		// By the time that somebody else has a code, it would be there.
		expect((await enter(container, ADA)).status).toBe(303);
		expect(service.readMails()).toHaveLength(mails + 1);
		expect((await ada.getFile(0)).status).toBe(200);
		const own = `/users/${leo.userId}/containers`;
		const names = (await service.api.getAll<Container>(own)).map(({ name }) => name);
		expect(names).toEqual(['Test', 'Test']);
	});

	it('is listed as disabled, with what is still theirs', async () => {
		const line = (await run('users', 'list')).split('\n').find((text) => text.includes(LEFT));
		const state = '2 containers +2 API keys +disabled \\S+$';
		expect(line).toMatch(new RegExp(`^${LEFT} +${leo.userId} +user +${state}`));
		expect(await run('keys', 'list')).toMatch(new RegExp(`${LEFT}.* of a disabled user `));
	});

	it('is a recipient like others where a rule names them, and ends as the owner', async () => {
		await run('users', 'enable', LEFT);
		expect((await leo.api.get('/me')).status).toBe(200);
		const open = await create({ recipients: ['*@example.com'], drm: { opens: 2 } });
		const { visitor: asOwner } = await enter(open, LEFT);
		expect((await asOwner.getFile(0)).status).toBe(200);
		const said = await run('users', 'disable', LEFT);
		expect(said).toContain(`whoever reads the mails to ${LEFT} can still open 1 container:`);
		// What was opened as the owner has to be opened again, and counts.
		expect((await asOwner.go()).text).toContain('Open your files');
		expect((await asOwner.post('continue', {})).text).toContain('note.txt');
		const { body } = await service.api.get<Container>(`/containers/${open.uuid}`);
		expect(body.opens_used).toBe(1);
	});

	it('closes the door for recipients, too, also where the rules are fixed', async () => {
		const { visitor: ada } = await enter(container, ADA);
		const { headers } = await service.api.get(`/containers/${container.uuid}/drm`);
		expect(await run('users', 'disable', LEFT, '--close')).toContain(
			'Closed for recipients: 3 containers.',
		);
		const closed = `aren’t shared with ${ADA} any more.`;
		expect((await ada.getFile(0)).text).toContain(closed);
		const again = await enter(container, ADA);
		expect([again.status, again.text]).toEqual([403, expect.stringContaining(closed)]);
		const path = `/users/${leo.userId}/events?order=desc&limit=1`;
		const events = (await service.api.get<ServiceEvent[]>(path)).body;
		expect(events).toMatchObject([{ action: 'container.refuse', detail: { reason: 'closed' } }]);
		const after = await service.api.get(`/containers/${container.uuid}/drm`);
		expect(after.headers.etag).toBe(headers.etag);
		// To disable somebody again opens nothing.
		await run('users', 'disable', LEFT);
		expect((await enter(container, ADA)).status).toBe(403);
		await run('users', 'enable', LEFT);
		expect((await enter(container, ADA)).status).toBe(303);
		expect((await ada.getFile(0)).status).toBe(200);
	});

	it('the service starts again where its first user is disabled', async () => {
		expect(await run('users', 'disable', 'olive@example.com')).toContain('No admin is left');
		await service.restart();
		expect((await service.api.get('/me')).status).toBe(401);
		const { stderr, code } = await service.run(['users', 'enable', LEFT]);
		expect([code, stderr]).toEqual([2, `The user ${LEFT} is enabled.\n`]);
	});
});
