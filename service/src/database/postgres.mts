import type { Socket } from 'node:net';
import { PostgresDialect } from 'kysely';
import type { PoolClient } from 'pg';

const INT8 = 20;

/** @param silentMs how long a statement can take; no limit by default */
export async function createPostgres(connectionString: string, silentMs = 0) {
	const { Pool, types } = (await import('pg')).default;
	const getTypeParser = ((oid: number, format: 'text') =>
		oid === INT8 ? Number : types.getTypeParser(oid, format)) as typeof types.getTypeParser;
	const limits = { max: 10, connectionTimeoutMillis: 10_000 };
	const pool = new Pool({ connectionString, ...limits, types: { getTypeParser } });
	// A connection that breaks: a transaction fails, and the next query connects again.
	pool.on('error', () => undefined);
	pool.on('connect', (client) => {
		client.on('error', () => undefined);
		giveUpSilent(client, silentMs);
	});
	return new PostgresDialect({ pool });
}

/** A server that hangs, or that the network lost, never answers: its connection is closed, and what waits for it fails. */
function giveUpSilent(client: PoolClient, silentMs: number): void {
	const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
	const giveUp = () => stream.destroy(new Error('PostgreSQL gave no answer in time'));
	stream.setTimeout(silentMs, giveUp);
}
