import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Vault } from '../containers/vault.mts';

declare module 'fastify' {
	interface FastifyContextConfig {
		/** Asked every few seconds by what runs the service: also without HTTPS, and not logged. */
		isProbe?: boolean;
	}
}

/** However often somebody asks, the parts are asked once in this time. */
const KEPT_MS = 1000;
const PART_MS = 3000;
const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;
/** A proxy on this machine adds one of them, but who asks can be anywhere. */
const OF_PROXIES = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'];

interface PartState {
	part: string;
	/** Nothing where all is well. */
	failure?: string;
}

export type CheckParts = () => Promise<PartState[]>;

/** Asks the parts that the service needs. */
export const createPartCheck = (vault: Vault): CheckParts =>
	keepResult(async () => await checkParts(vault));

/** `/healthz`: the process lives. `/readyz`: it can do its work. Neither is part of the API. */
export function registerHealth(app: FastifyInstance, check: CheckParts): void {
	// Monitors ask with HEAD, too: the status is enough for them.
	const options = { config: { isProbe: true }, exposeHeadRoute: true };
	const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' };
	app.get(
		'/healthz',
		options,
		async (_request, reply) => await reply.headers(headers).send('ok\n'),
	);
	app.get('/readyz', options, async (request, reply) => {
		const states = await check();
		const isReady = states.every(({ failure }) => failure === undefined);
		const lines = [isReady ? 'ready' : 'not ready'];
		if (isFromHere(request)) {
			lines.push(...states.map(({ part, failure = 'ok' }) => `${part}: ${failure}`));
		}
		void reply.code(isReady ? 200 : 503).headers(headers);
		return lines.map((line) => `${line}\n`).join('');
	});
}

/** Only who runs the service learns which part fails. */
function isFromHere({ socket, headers }: FastifyRequest): boolean {
	const isForwarded = OF_PROXIES.some((name) => headers[name] !== undefined);
	return LOOPBACK.test(socket.remoteAddress ?? '') && !isForwarded;
}

function keepResult<Result>(run: () => Promise<Result>): () => Promise<Result> {
	let kept: { result: Promise<Result>; until: number } | undefined;
	return async () => {
		const now = performance.now();
		if (kept === undefined || kept.until <= now) kept = { result: run(), until: now + KEPT_MS };
		return await kept.result;
	};
}

async function checkParts({ database, storage, keys }: Vault): Promise<PartState[]> {
	const newest = database.selectFrom('containers').select('master_key_id').orderBy('seq', 'desc');
	let container: { master_key_id: string } | undefined;
	const checkDatabase = async () => {
		container = await newest.executeTakeFirst();
		// Changes nothing. A database that can only be read, such as a standby, refuses it.
		await database.updateTable('meta').set({ value: '' }).where('name', '=', '').execute();
	};
	const stores = await Promise.all([
		checkPart('database', checkDatabase),
		checkPart('storage', async () => await storage.check()),
	]);
	// After the database: one that hangs says nothing about the key.
	const checkKey = async () => {
		keys.current();
		if (container && !keys.find(container.master_key_id)) throw new Error('It is another key');
	};
	return [...stores, await checkPart('master key', checkKey)];
}

async function checkPart(part: string, check: () => Promise<unknown>): Promise<PartState> {
	const beLate = async () => {
		await sleep(PART_MS, undefined, { ref: false });
		throw new Error('No answer in time');
	};
	try {
		await Promise.race([check(), beLate()]);
		return { part };
	} catch (error) {
		// The words of a database or a mail server can hold addresses and passwords.
		const { code } = error as NodeJS.ErrnoException;
		return { part, failure: `failed${code ? ` (${code})` : ''}` };
	}
}
