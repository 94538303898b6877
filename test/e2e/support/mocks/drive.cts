import fastify from 'fastify';

/** A drive that serves files by ID. */
export interface MockDrive {
	/** http://localhost:PORT */
	origin: string;
	files: Map<string, { name: string; content: Buffer }>;
	stop(): Promise<void>;
}

export async function startMockDrive(): Promise<MockDrive> {
	const app = fastify({ forceCloseConnections: true });
	const files: MockDrive['files'] = new Map();
	app.get<{ Params: { id: string } }>('/files/:id', async (request, reply) => {
		const file = files.get(request.params.id);
		if (file === undefined) return await reply.code(404).send({ message: 'No such file' });
		const name = encodeURIComponent(file.name);
		return await reply
			.header('content-disposition', `attachment; filename*=UTF-8''${name}`)
			.type('application/pdf')
			.send(file.content);
	});
	const address = await app.listen({ port: 0, host: '127.0.0.1' });
	const origin = `http://localhost:${new URL(address).port}`;
	return { origin, files, stop: async () => await app.close() };
}
