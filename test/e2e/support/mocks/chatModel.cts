import fastify from 'fastify';

interface ChatMessage {
	role: string;
	content: string | null;
	tool_calls?: unknown[];
}

interface ChatRequest {
	model: string;
	messages: ChatMessage[];
	tools?: Array<{ function: { name: string; description: string; parameters: unknown } }>;
	stream?: boolean;
}

/** The model's response: a text or a tool call. */
type ChatResponse = { text: string } | { tool: string; arguments: Record<string, unknown> };

/** A language model with the chat completions API. The test defines its responses. */
export interface MockChatModel {
	/** For the field Base URL of n8n's OpenAI credential. */
	baseUrl: string;
	apiKey: string;
	requests: ChatRequest[];
	/** Returns the response to a request of the agent. */
	respond: (request: ChatRequest) => ChatResponse;
	stop(): Promise<void>;
}

export async function startMockChatModel(): Promise<MockChatModel> {
	const app = fastify({ forceCloseConnections: true });
	const apiKey = 'model-key';
	const model: MockChatModel = {
		baseUrl: '',
		apiKey,
		requests: [],
		respond: () => ({ text: 'The test defines no response.' }),
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

function toCompletion(request: ChatRequest, response: ChatResponse, count: number): unknown {
	const isToolCall = 'tool' in response;
	const message = isToolCall
		? {
				role: 'assistant',
				content: null,
				tool_calls: [
					{
						id: `call_${count}`,
						type: 'function',
						function: { name: response.tool, arguments: JSON.stringify(response.arguments) },
					},
				],
			}
		: { role: 'assistant', content: response.text };
	return {
		id: `chatcmpl-${count}`,
		object: 'chat.completion',
		created: 1_790_000_000,
		model: request.model,
		choices: [{ index: 0, message, finish_reason: isToolCall ? 'tool_calls' : 'stop' }],
		usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
	};
}
