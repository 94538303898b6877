import { createContainer } from './support/api.mts';
import type { Container, ErrorBody } from './support/api.mts';
import { addUser, createKey, describeService, startService } from './support/service.mts';
import type { Service } from './support/service.mts';

const ADA = 'ada@example.com';
const BEN = 'ben@example.com';

type Found = Container & { matched: string[] };
type User = Pick<Service, 'api' | 'userId'>;

let service: Service;
let users = 0;

const addOwner = async () => await addUser(service, `owner${(users += 1)}@example.net`);
const toPath = ({ userId }: User, query: string) => `/users/${userId}/containers?${query}`;
const find = async (user: User, recipient: string, more = '') =>
	await user.api.getAll<Found>(
		toPath(user, `recipient=${encodeURIComponent(recipient)}&limit=2${more}`),
	);
const findNames = async (user: User, recipient: string, more?: string) =>
	(await find(user, recipient, more)).map(({ name }) => name);
const create = async (user: User, name: string, recipients: string[]) =>
	await createContainer(user, { name, recipients });

describeService('containers by recipient', () => {
	beforeAll(async () => {
		service = await startService({ env: { OWNER_EMAIL: 'olive@example.com' } });
	});

	it('are those that name an address, itself or by a wildcard, and that have a wildcard', async () => {
		const user = await addOwner();
		const names: Record<string, string[]> = {
			itself: [BEN, 'Ada@Example.COM'],
			domain: ['*@EXAMPLE.com'],
			anybody: ['*@*'],
			all: ['*@*', ADA, '*@example.com'],
			idn: ['jörg@müller.example'],
			other: [BEN, '*@example.org', 'ada@example.com.example.org'],
			nobody: [],
		};
		for (const [name, recipients] of Object.entries(names)) await create(user, name, recipients);
		await create(await addOwner(), 'of somebody else', [ADA, '*@*', '*@example.com']);

		const found = await find(user, 'ADA@example.com');
		expect(found.map(({ name, matched }) => [name, matched])).toEqual([
			['itself', ['Ada@Example.COM']],
			['domain', ['*@EXAMPLE.com']],
			['anybody', ['*@*']],
			['all', ['*@*', ADA, '*@example.com']],
		]);
		expect(await findNames(user, '*@example.com')).toEqual(['domain', 'all']);
		expect(await findNames(user, '*@*')).toEqual(['anybody', 'all']);
		expect(await findNames(user, 'JÖRG@xn--mller-kva.example')).toEqual(['anybody', 'all', 'idn']);
		expect(await findNames(user, '*@example.net')).toEqual([]);
		const [all] = await user.api.getAll<Container>(toPath(user, 'name=itself'));
		expect(found[0]).toEqual({ ...all, matched: ['Ada@Example.COM'] });
	});

	it('are combined with name, time and order, page by page', async () => {
		const user = await addOwner();
		const created: Container[] = [];
		for (const name of ['Plan 1', 'Plan 2', 'Draft', 'Plan 3', 'Plan 4']) {
			created.push(await create(user, name, name === 'Plan 3' ? [BEN] : [ADA, '*@example.com']));
		}
		expect(await findNames(user, ADA, '&order=desc')).toEqual([
			...['Plan 4', 'Plan 3', 'Draft', 'Plan 2', 'Plan 1'].filter((name) => name !== 'Plan 3'),
		]);
		expect(await findNames(user, ADA, '&name=plan')).toEqual(['Plan 1', 'Plan 2', 'Plan 4']);
		const after = `&created_after=${created[0].created_date}`;
		expect(await findNames(user, ADA, `&name=plan${after}`)).toEqual(['Plan 2', 'Plan 4']);
		const before = `&created_before=${created[4].created_date}`;
		expect(await findNames(user, ADA, `&order=desc${after}${before}`)).toEqual(['Draft', 'Plan 2']);
	});

	it.each([
		'',
		'ada',
		'*',
		'ada@',
		'*@',
		'@example.com',
		'Ada <ada@example.com>',
		'a@b@c',
		'ada*@*',
	])('are refused for %j', async (recipient) => {
		const path = toPath(service, `recipient=${encodeURIComponent(recipient)}`);
		const { status, body } = await service.api.get<ErrorBody>(path);
		expect([status, Object.keys(body.fields ?? {})]).toEqual([422, ['recipient']]);
	});

	it('are not for an API key that can only encode', async () => {
		const { api } = await createKey(service, 'olive@example.com', ['--scope', 'encode']);
		const path = `/users/${service.userId}/containers?name=a`;
		expect((await api.get(path)).status).toBe(200);
		expect((await api.get(`${path}&recipient=${ADA}`)).body).toMatchObject({ code: 'scope' });
	});
});
