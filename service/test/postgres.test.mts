import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { Kysely, sql } from 'kysely';
import { createPostgres } from '../src/database/postgres.mts';
import { createBackend, usesServers } from './support/service.mts';

const onServers = usesServers ? it : it.skip;

onServers('a connection on which PostgreSQL is silent for too long is given up', async () => {
	const { database: url } = await createBackend();
	const database = new Kysely({ dialect: await createPostgres(url, 2000) });
	const start = performance.now();
	await expect(sql`select pg_sleep(60)`.execute(database)).rejects.toThrow('no answer in time');
	expect(performance.now() - start).toBeLessThan(40_000);
	const { rows } = await sql`select 1 as one`.execute(database);
	expect(rows).toEqual([{ one: 1 }]);
	await database.destroy();
});

function toMessage(type: string, content: string): Buffer {
	const length = Buffer.alloc(4);
	length.writeUInt32BE(length.length + content.length);
	return Buffer.concat([Buffer.from(type), length, Buffer.from(content)]);
}

/** What PostgreSQL says before each query, and to whoever connects, and to a query. */
const READY = toMessage('Z', 'I');
const CONNECTED = Buffer.concat([toMessage('R', '\0\0\0\0'), READY]);
const DONE = Buffer.concat([toMessage('C', 'SELECT 0\0'), READY]);

it('a connection that breaks while nobody uses it ends nothing, and the next query connects again', async () => {
	const sockets: Socket[] = [];
	const server = createServer((socket) => {
		sockets.push(socket);
		socket.on('data', (sent) => socket.write(sent.toString().startsWith('Q') ? DONE : CONNECTED));
	});
	await once(server.listen(0, '127.0.0.1'), 'listening');
	const { port } = server.address() as AddressInfo;
	const database = new Kysely({
		dialect: await createPostgres(`postgres://a:b@127.0.0.1:${port}/c`),
	});
	await sql`select`.execute(database);
	// It is closed when the other side has closed it, too.
	await once(sockets[0].end(), 'close');
	expect(await sql`select`.execute(database)).toMatchObject({ rows: [] });
	expect(sockets).toHaveLength(2);
	await database.destroy();
	server.close();
});
