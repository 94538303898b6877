import fastify from 'fastify';

export interface ModelMessage {
	role: string;
	content: string | null;
	tool_calls?: unknown[];
}

export interface ModelRequest {
	model: string;
	messages: ModelMessage[];
	tools?: Array<{ function: { name: string; description: string; parameters: unknown } }>;
	stream?: boolean;
}

/** What the model says next: words, or a call of a tool. */
export type Turn = { say: string } | { call: string; with: Record<string, unknown> };

/** A language model behind the HTTP API of chat completions that says what a test tells it to. */
export interface Model {
	/** For the field Base URL of n8n's OpenAI credential. */
	baseUrl: string;
	apiKey: string;
	requests: ModelRequest[];
	/** Decides each answer from what the agent sent. */
	answer: (request: ModelRequest) => Turn;
	stop(): Promise<void>;
}

/** Starts a model on a free port. */
export async function startModel(): Promise<Model> {
	const app = fastify({ forceCloseConnections: true });
	const apiKey = 'model-key';
	const model: Model = {
		baseUrl: '',
		apiKey,
		requests: [],
		answer: () => ({ say: 'Nobody told me what to say.' }),
		stop: async () => await app.close(),
	};
	app.post<{ Body: ModelRequest }>('/v1/chat/completions', async (request, reply) => {
		if (request.headers.authorization !== `Bearer ${apiKey}`) return await reply.code(401).send({});
		model.requests.push(request.body);
		return completion(request.body, model.answer(request.body), model.requests.length);
	});
	const address = await app.listen({ port: 0, host: '127.0.0.1' });
	model.baseUrl = `http://localhost:${new URL(address).port}/v1`;
	return model;
}

function completion(request: ModelRequest, turn: Turn, count: number): unknown {
	const calls = 'call' in turn;
	const message = calls
		? {
				role: 'assistant',
				content: null,
				tool_calls: [
					{
						id: `call_${count}`,
						type: 'function',
						function: { name: turn.call, arguments: JSON.stringify(turn.with) },
					},
				],
			}
		: { role: 'assistant', content: turn.say };
	return {
		id: `chatcmpl-${count}`,
		object: 'chat.completion',
		created: 1_790_000_000,
		model: request.model,
		choices: [{ index: 0, message, finish_reason: calls ? 'tool_calls' : 'stop' }],
		usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
	};
}
