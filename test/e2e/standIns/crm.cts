import fastify from 'fastify';

/** A CRM with an HTTP API that answers its contacts in pages. */
export interface Crm {
	/** Where n8n finds it: http://localhost:PORT */
	origin: string;
	/** For a Header Auth credential. */
	header: { name: string; value: string };
	contacts: Array<Record<string, unknown>>;
	/** Of every request, the path with its query. */
	requests: string[];
	stop(): Promise<void>;
}

const PAGE = 2;

/** Starts a CRM on a free port, with two contacts on a page. */
export async function startCrm(): Promise<Crm> {
	const app = fastify({ forceCloseConnections: true });
	const header = { name: 'x-api-key', value: 'crm-key' };
	const contacts: Crm['contacts'] = [];
	const requests: string[] = [];
	app.get<{ Querystring: { page?: string } }>('/api/contacts', async (request, reply) => {
		requests.push(request.url);
		if (request.headers[header.name] !== header.value) return await reply.code(401).send({});
		const page = Number(request.query.page ?? 1);
		const next = page * PAGE < contacts.length ? `${origin}/api/contacts?page=${page + 1}` : null;
		return { contacts: contacts.slice((page - 1) * PAGE, page * PAGE), next };
	});
	const address = await app.listen({ port: 0, host: '127.0.0.1' });
	const origin = `http://localhost:${new URL(address).port}`;
	return { origin, header, contacts, requests, stop: async () => await app.close() };
}
