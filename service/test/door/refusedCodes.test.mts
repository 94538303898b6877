import { createContainer, type ServiceEvent } from '../support/api.mts';
import { describeService, startService, times, type Service } from '../support/service.mts';

describeService('who asks for a code in vain', () => {
	let service: Service;

	beforeAll(async () => {
		service = await startService({ env: { OWNER_EMAIL: 'olive@example.com' } });
	});

	const listRefused = async (id: string) => {
		const path = `/users/${service.userId}/containers/${id}/events?limit=1000`;
		const events = await service.api.getAll<ServiceEvent>(path);
		return events.filter(({ action }) => action === 'code.refuse');
	};
	/** Asks, and waits until the service has dealt with it: a later event of somebody else is there. */
	const ask = async (container: { uuid: string }, addresses: string[], last: string) => {
		const visitor = service.visit(container);
		const pages = [];
		for (const email of addresses) pages.push(await visitor.post('code', { email }));
		await service.visit(container).signIn(last);
		return pages;
	};

	it('is an event with the address that was entered, once an hour', async () => {
		const container = await createContainer(service, { recipients: ['ada@example.com'] });
		const pages = await ask(container, ['Adda@example.com', 'adda@EXAMPLE.com'], 'ada@example.com');

		const about = { container_id: container.uuid, user: 'adda@example.com' };
		expect(await listRefused(container.uuid)).toEqual([
			expect.objectContaining({ ...about, detail: { ip: expect.any(String) as string } }),
		]);
		const known = await service.visit(container).post('code', { email: 'ada@example.com' });
		const hide = ({ text }: { text: string }) => text.replace(/ad+a@example\.com/gi, '');
		expect(pages.map(hide)).toEqual([hide(known), hide(known)]);
	});

	it('is none for the owner, and for whom a rule names by a wildcard', async () => {
		const container = await createContainer(service, { recipients: ['*@example.org'] });
		await ask(container, ['ada@example.org'], 'olive@example.com');
		expect(await listRefused(container.uuid)).toEqual([]);
	});

	it('is an event 20 times an hour, and the last one says that more may follow', async () => {
		const container = await createContainer(service, { recipients: ['ada@example.com'] });
		const addresses = times(25, (n) => `person-${n}@example.com`);
		await ask(container, addresses, 'ada@example.com');

		const refused = await listRefused(container.uuid);
		expect(refused).toHaveLength(20);
		expect(new Set(refused.map(({ user }) => user)).size).toBe(20);
		const says = refused.map(({ detail }) => (detail as { more?: boolean }).more);
		expect(says).toEqual([...times(19, () => undefined), true]);
	});
});
