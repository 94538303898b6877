import fastify from 'fastify';

interface ChatRequest {
	model: string;
	messages: Array<{ role: string; content: string | null }>;
	tools?: Array<{ function: { name: string; description: string } }>;
}

/** The model's response: a text or a tool call. */
type ChatResponse = { text: string } | { tool: string; arguments: Record<string, unknown> };

/** A language model with the chat completions API. The test defines its responses. */
export async function startMockChatModel() {
	const app = fastify({ forceCloseConnections: true });
	const apiKey = 'model-key';
	const model = {
		/** For the field Base URL of n8n's OpenAI credential. */
		baseUrl: '',
		apiKey,
		requests: [] as ChatRequest[],
		respond: (() => ({ text: 'Nothing.' })) as (request: ChatRequest) => ChatResponse,
		stop: async () => await app.close(),
	};
	app.post<{ Body: ChatRequest }>('/v1/chat/completions', async (request, reply) => {
		if (request.headers.authorization !== `Bearer ${apiKey}`) return await reply.code(401).send({});
		model.requests.push(request.body);
		return toCompletion(request.body, model.respond(request.body), model.requests.length);
	});
	const address = await app.listen({ port: 0, host: '127.0.0.1' });
	model.baseUrl = `http://localhost:${new URL(address).port}/v1`;
	return model;
}

function toCompletion({ model }: ChatRequest, response: ChatResponse, count: number) {
	const toCall = (name: string, values: object) => ({
		id: `call_${count}`,
		type: 'function',
		function: { name, arguments: JSON.stringify(values) },
	});
	const isCall = 'tool' in response;
	const said = isCall
		? { content: null, tool_calls: [toCall(response.tool, response.arguments)] }
		: { content: response.text };
	const message = { role: 'assistant', ...said };
	return {
		id: `chatcmpl-${count}`,
		object: 'chat.completion',
		created: 1_790_000_000,
		model,
		choices: [{ index: 0, message, finish_reason: isCall ? 'tool_calls' : 'stop' }],
		usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
	};
}

const PAGE_SIZE = 2;

/** A CRM whose HTTP API returns contacts in pages. */
export async function startMockCrm() {
	const app = fastify({ forceCloseConnections: true });
	const header = { name: 'x-api-key', value: 'crm-key' };
	const contacts: Array<Record<string, unknown>> = [];
	/** The path and query of each request. */
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
