import { createContainer, filePart, manifestPart, sendForm } from './support/api.mts';
import type { FileRequest } from './support/api.mts';
import {
	addUser,
	describeService,
	runCommand,
	startService,
	type Service,
} from './support/service.mts';

const ADA = 'ada@example.com';
const BEN = 'ben@example.com';
const LEO = 'leo@example.com';
const OPEN = { recipients: [ADA], drm: { dynamic: true } };

let service: Service;
beforeAll(async () => {
	service = await startService({ env: { OWNER_EMAIL: 'olive@example.com' } });
});

const run = async (...command: string[]) => await runCommand(service, ...command);

describeService('users erase', () => {
	it('takes an address out of what an idempotency key keeps, and does nothing twice', async () => {
		const typed = 'Ada@Bücher.example';
		const { uuid } = await createContainer(service, OPEN);
		const change = async () =>
			await service.api.patch(
				`/containers/${uuid}/drm`,
				{ recipients: [typed, BEN] },
				{ 'idempotency-key': 'change' },
			);
		const manifest = { container: { name: `Letter of x${ADA}` } };
		const encode = async () =>
			await sendForm(service, [manifestPart(manifest), filePart('a', 'Hello')], {
				'idempotency-key': 'encode',
			});
		expect((await change()).body).toMatchObject({ recipients: [typed, BEN] });
		const { body: created } = await encode();

		await run('users', 'erase', typed);
		await run('users', 'erase', ADA);

		const { headers, body } = await change();
		expect(headers['idempotency-replayed']).toBe('true');
		expect(body).toEqual({ dynamic: true, recipients: [BEN] });
		expect((await encode()).body).toEqual(created);
		const [kept] = await service.read(
			"SELECT response AS text FROM idempotency_keys WHERE key = 'change'",
		);
		expect(kept.toLowerCase()).not.toContain(typed.toLowerCase());
	});

	it('and users disable go on where rows are broken: erase names them', async () => {
		const sealed = await createContainer(service, OPEN);
		const unread = await createContainer(service, OPEN);
		const sent = await createContainer(service);
		const intact = await createContainer(service, OPEN);
		const request = await service.api.expect<FileRequest>(
			'POST',
			`/users/${service.userId}/requests`,
			{ body: { name: 'Papers', senders: [ADA] } },
		);
		await service.api.patch(`/users/${service.userId}/contacts/${ADA}`, { company: 'Engines' });
		await service.visit(intact).signIn(ADA);
		const set = async (table: string, change: string, uuid: string) =>
			await service.change(`UPDATE ${table} SET ${change} WHERE id = '${uuid}'`);
		await set('containers', "seal = '2.broken'", sealed.uuid);
		await set('containers', "rules = '{'", unread.uuid);
		await set('containers', `sender = '${ADA}'`, sent.uuid);
		await set('requests', "settings = '{'", request.uuid);

		await addUser(service, LEO);
		expect(await run('users', 'disable', LEO)).toContain(`${LEO} is disabled`);
		const { code, stdout } = await service.run(['users', 'erase', ADA]);

		const changed = 'it was changed outside of the service.';
		const problems = [
			...[sealed, unread].map(({ uuid }) => `Container ${uuid} can't be opened: ${changed}`),
			`Request ${request.uuid} can't be used: ${changed}`,
			`Container ${sent.uuid} can't be opened: ${changed}`,
		];
		expect([code, stdout.trimEnd().split('\n')]).toEqual([1, problems]);
		const found = JSON.parse(await run('users', 'export', ADA)) as object;
		expect(found).toMatchObject({ contacts: [], events: [], recipientOf: [{ uuid: sealed.uuid }] });
	});
});
