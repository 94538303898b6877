import fastify from 'fastify';

/** A CRM whose HTTP API returns contacts in pages. */
export interface MockCrm {
	/** http://localhost:PORT */
	origin: string;
	/** For a Header Auth credential. */
	header: { name: string; value: string };
	contacts: Array<Record<string, unknown>>;
	/** The path and query of each request. */
	requests: string[];
	stop(): Promise<void>;
}

const PAGE_SIZE = 2;

export async function startMockCrm(): Promise<MockCrm> {
	const app = fastify({ forceCloseConnections: true });
	const header = { name: 'x-api-key', value: 'crm-key' };
	const contacts: MockCrm['contacts'] = [];
	const requests: string[] = [];
	app.get<{ Querystring: { page?: string } }>('/api/contacts', async (request, reply) => {
		requests.push(request.url);
		if (request.headers[header.name] !== header.value) return await reply.code(401).send({});
		const page = Number(request.query.page ?? 1);
		const end = page * PAGE_SIZE;
		const next = end < contacts.length ? `${origin}/api/contacts?page=${page + 1}` : null;
		return { contacts: contacts.slice(end - PAGE_SIZE, end), next };
	});
	const address = await app.listen({ port: 0, host: '127.0.0.1' });
	const origin = `http://localhost:${new URL(address).port}`;
	return { origin, header, contacts, requests, stop: async () => await app.close() };
}
