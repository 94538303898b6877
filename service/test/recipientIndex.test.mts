import fc from 'fast-check';
import { isNamed, normalizeRecipient } from '../src/containers/addresses.mts';
import { readRecipients } from '../src/containers/recipientIndex.mts';
import { createContainer, type Container } from './support/api.mts';
import { addUser, describeService, runCommand, startService, times } from './support/service.mts';
import type { Service } from './support/service.mts';

const ADA = 'ada@example.com';
const BEN = 'ben@example.com';
const IN_ORDER = 'everything is in order';

type Found = Container & { matched: string[] };
type User = Pick<Service, 'api' | 'userId'>;

let service: Service;
let users = 0;

const run = async (...command: string[]) => await runCommand(service, ...command);
const addOwner = async () => {
	const email = `owner${(users += 1)}@example.net`;
	return { ...(await addUser(service, email)), email };
};
const create = async (user: User, recipients: string[], dynamic = true) =>
	await createContainer(user, { recipients, drm: { dynamic } });
const change = async ({ api }: User, { uuid }: Container, recipients: string[] | null) =>
	await api.patch(`/containers/${uuid}/drm`, { recipients });
/** The IDs of the containers that the filter finds, with what matched. */
const find = async ({ api, userId }: User, recipient: string) => {
	const query = `recipient=${encodeURIComponent(recipient)}&limit=3`;
	const found = await api.getAll<Found>(`/users/${userId}/containers?${query}`);
	return found.map(({ uuid, matched }) => [uuid, matched]);
};

const ofContainer = ({ uuid }: Container) =>
	`container_seq = (SELECT seq FROM containers WHERE id = '${uuid}')`;
const readIndex = async (container: Container) =>
	await service.read(
		`SELECT recipient AS text FROM recipients WHERE ${ofContainer(container)} ORDER BY 1`,
	);

/** Leaves the index as an earlier version does, which doesn't know it. */
const leaveIndex = async (container: Container, run: () => Promise<unknown>) => {
	const { uuid } = container;
	const before = `FROM containers WHERE id = '${uuid}'`;
	const [seal] = await service.read(`SELECT indexed_seal AS text ${before}`);
	const [owner] = await service.read(`SELECT owner_id AS text ${before}`);
	const indexed = await readIndex(container);
	await run();
	await service.change(`DELETE FROM recipients WHERE ${ofContainer(container)}`);
	for (const recipient of indexed) {
		await service.change(`INSERT INTO recipients (container_seq, recipient, owner_id)
			SELECT seq, '${recipient}', '${owner}' ${before}`);
	}
	await service.change(`UPDATE containers SET indexed_seal = '${seal}' WHERE id = '${uuid}'`);
};

const FIRST = [ADA, 'Ada@Example.com', BEN, 'jörg@müller.example', '*@EXAMPLE.com', '*@*'];
const ENTRIES = [...FIRST, '*@example.com', 'jörg@xn--mller-kva.example', '*@example.org'];
const STEP = fc.record({
	kind: fc.constantFrom('change', 'change', 'change', 'delete', 'create'),
	place: fc.nat(FIRST.length - 1),
	recipients: fc.option(fc.uniqueArray(fc.constantFrom(...ENTRIES), { maxLength: 4 })),
});
type Step = typeof STEP extends fc.Arbitrary<infer Value> ? Value : never;

async function apply(user: User, first: Container[], { kind, place, recipients }: Step) {
	if (kind === 'create') await create(user, recipients ?? []);
	else if (kind === 'change') await change(user, first[place], recipients);
	else await user.api.delete(`/containers/${first[place].uuid}`);
}

/** The recipients of all containers by their IDs. */
async function readAllRules({ api, userId }: User) {
	const all = await api.getAll<Container>(`/users/${userId}/containers`);
	return await Promise.all(
		all.map(async ({ uuid }) => {
			const { body } = await api.get<{ recipients?: string[] }>(`/containers/${uuid}/drm`);
			return [uuid, body.recipients ?? []] as const;
		}),
	);
}

/** Whether an entry lets an address in, or is the same wildcard. */
const createMatch = (recipient: string) => (entry: string) =>
	recipient.startsWith('*')
		? normalizeRecipient(entry) === normalizeRecipient(recipient)
		: isNamed([entry], normalizeRecipient(recipient)!);

describeService('the index of recipients', () => {
	beforeAll(async () => {
		service = await startService();
	});

	it('finds what reading the rules of every container finds, after any changes at the same time', async () => {
		const compare = async (steps: Step[]) => {
			const user = await addOwner();
			const first = await Promise.all(FIRST.map(async (entry) => await create(user, [entry])));
			await Promise.all(steps.map(async (step) => await apply(user, first, step)));
			const rules = await readAllRules(user);
			for (const recipient of [...ENTRIES, 'nobody@example.org', '*@müller.example']) {
				const expected = rules
					.map(([uuid, entries]) => [uuid, entries.filter(createMatch(recipient))] as const)
					.filter(([, matched]) => matched.length > 0);
				expect([recipient, await find(user, recipient)]).toEqual([recipient, expected]);
			}
		};
		const steps = fc.array(STEP, { minLength: 10, maxLength: 20 });
		await fc.assert(fc.asyncProperty(steps, compare), { numRuns: 3, endOnFailure: true });
		expect(await run('check')).toContain(IN_ORDER);
	});

	it('has what an earlier version wrote beside it as soon as somebody asks', async () => {
		const user = await addOwner();
		const container = await create(user, [ADA]);
		await leaveIndex(container, async () => await change(user, container, [BEN]));
		expect(await readIndex(container)).toEqual([ADA]);
		expect(await find(user, BEN)).toEqual([[container.uuid, [BEN]]]);
		expect(await find(user, ADA)).toEqual([]);

		await leaveIndex(container, async () => await change(user, container, [ADA]));
		await user.api.patch(`/containers/${container.uuid}/drm`, { opens: 5 });
		expect(await readIndex(container)).toEqual([ADA]);
		await leaveIndex(container, async () => await change(user, container, [BEN]));

		const heir = await addOwner();
		const transfer = async () => await run('users', 'transfer', user.email, heir.email);
		await leaveIndex(container, transfer);
		expect(await find(user, BEN)).toEqual([]);
		expect(await find(heir, BEN)).toEqual([[container.uuid, [BEN]]]);
		expect(await run('check')).toContain(IN_ORDER);
	});

	it('is filled in where a migration left it empty, also by several at once', async () => {
		const user = await addOwner();
		// More than are written together.
		const created = await Promise.all(times(60, async () => await create(user, [ADA, '*@*'])));
		await service.change('DELETE FROM recipients');
		await service.change('UPDATE containers SET indexed_seal = NULL');

		const [found, other, checked] = await Promise.all([
			find(user, ADA),
			find(user, '*@*'),
			run('check'),
		]);

		expect([found.length, other.length]).toEqual([created.length, created.length]);
		expect(checked).toContain(IN_ORDER);
		expect(await readIndex(created[0])).toEqual(['*@*', ADA]);
		expect(await run('check')).not.toContain('An earlier version');
	});

	it('follows containers to another owner, and is gone with them', async () => {
		const [user, heir] = [await addOwner(), await addOwner()];
		const container = await create(user, [ADA, '*@example.org']);
		await run('users', 'transfer', user.email, heir.email);
		expect(await find(user, ADA)).toEqual([]);
		expect(await find(heir, '*@example.org')).toEqual([[container.uuid, ['*@example.org']]]);
		const [seq] = await service.read(
			`SELECT cast(seq AS text) AS text FROM containers WHERE id = '${container.uuid}'`,
		);
		await heir.api.delete(`/containers/${container.uuid}`);
		const left = `SELECT recipient AS text FROM recipients WHERE container_seq = ${seq}`;
		expect(await service.read(left)).toEqual([]);
	});

	it('is mended by check, which says what it found', async () => {
		const user = await addOwner();
		const [late, cut, filled] = [
			await create(user, [ADA]),
			await create(user, [ADA, BEN]),
			await create(user, [BEN]),
		];
		await leaveIndex(late, async () => await change(user, late, [BEN, '*@*']));
		const added =
			'An earlier version wrote the rules of 1 container. The index of recipients has them now.';
		expect(await run('check')).toContain(added);
		expect(await readIndex(late)).toEqual(['*@*', BEN]);

		await service.change(
			`DELETE FROM recipients WHERE ${ofContainer(cut)} AND recipient = '${ADA}'`,
		);
		await service.change(`UPDATE recipients SET recipient = '${ADA}' WHERE ${ofContainer(filled)}`);
		// What the rules don't name isn't found by a row that says so.
		expect(await find(user, ADA)).toEqual([[late.uuid, ['*@*']]]);
		const { code, stdout } = await service.run(['check']);
		const problems = [cut, filled].map(
			({ uuid }) => `The index of recipients wasn't as the rules of container ${uuid}. It is now.`,
		);
		expect([code, problems.filter((problem) => !stdout.includes(problem))]).toEqual([1, []]);
		expect(await run('check')).toContain(IN_ORDER);
		expect(await readIndex(cut)).toEqual([ADA, BEN]);
		expect(await readIndex(filled)).toEqual([BEN]);
	});

	it('forgets an address that is erased, but where the rules keep it', async () => {
		const user = await addOwner();
		const gone = 'gone@example.com';
		const open = await create(user, [gone, BEN]);
		const late = await create(user, [gone]);
		await leaveIndex(late, async () => await change(user, late, [ADA]));
		expect(await run('users', 'erase', gone)).toContain('Nothing is stored');
		expect([await readIndex(open), await readIndex(late)]).toEqual([[BEN], [ADA]]);
		const fixed = await create(user, [gone], false);
		const { code, stdout } = await service.run(['users', 'erase', gone]);
		expect([code, stdout]).toEqual([1, expect.stringContaining(`${fixed.uuid} are fixed`)]);
		expect(await readIndex(fixed)).toEqual([gone]);
	});
});

it('rules that can not be read, or have no recipients, name nobody', () => {
	for (const rules of ['{"recipients":', 'null', '{}'])
		expect(readRecipients({ rules })).toEqual([]);
});
