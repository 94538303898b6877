import type { FastifyBaseLogger } from 'fastify';
import type { Config } from './config.mts';
import { findLeftovers } from './containers/leftovers.mts';
import { indexLegacyRules } from './containers/recipientIndex.mts';
import { deleteExpiredContainers } from './containers/retention.mts';
import { pruneEvents } from './containers/trailUpkeep.mts';
import type { Vault } from './containers/vault.mts';
import { recordEndedViews } from './containers/views.mts';
import { forgetDeleted } from './database/forget.mts';
import { CODE_LIFE_MS, DAY_MS, HOUR_MS } from './database/limits.mts';
import { openOutbox } from './openMailer.mts';
import { deleteExpiredRequests } from './requests/requestUpkeep.mts';

const MINUTE_MS = 60_000;

/** Removes now, and again and again, what is kept for a time only, and what broken uploads left. */
export function keepTidy(vault: Vault, config: Config, log: FastifyBaseLogger): void {
	const { database } = vault;
	const onError = (error: Error) => log.error(error, 'Upkeep failed');
	const repeat = (run: () => Promise<void>, interval: number) => {
		run().catch(onError);
		setInterval(() => void run().catch(onError), interval).unref();
	};
	repeat(async () => void (await indexLegacyRules(database)), CODE_LIFE_MS);
	repeat(async () => await removeOutdated(vault, config), CODE_LIFE_MS);
	repeat(async () => await recordEndedViews(vault), MINUTE_MS);
	repeat(async () => await removeLeftovers(vault), DAY_MS);
	const { deleteAfterDays: afterDays, calendar } = config;
	if (afterDays === undefined) return;
	repeat(async () => {
		const retention = { calendar, afterDays };
		const found = await deleteExpiredContainers(vault, retention, onError);
		if (found.deleted + found.onHold.length > 0)
			log.info(found, 'Containers beyond DELETE_AFTER_DAYS');
		const requests = await deleteExpiredRequests(vault, retention, onError);
		if (requests > 0) log.info({ requests }, 'Requests for files beyond DELETE_AFTER_DAYS');
	}, HOUR_MS);
}

/** What is kept for a fixed time: events, codes, attempts, responses, and mails that are files. */
async function removeOutdated({ database, keys }: Vault, config: Config): Promise<void> {
	const now = Date.now();
	const hourAgo = now - HOUR_MS;
	const dayAgo = now - DAY_MS;
	const oldest = new Date(now - config.eventsDays * DAY_MS).toISOString();
	await pruneEvents(database, keys, oldest);
	await database.deleteFrom('codes').where('expires_at', '<', now).execute();
	await database.deleteFrom('attempts').where('made_at', '<', hourAgo).execute();
	await database.deleteFrom('idempotency_keys').where('created_at', '<', dayAgo).execute();
	await forgetDeleted(database);
	const outbox = await openOutbox(config);
	for await (const { name, modified } of outbox.list()) {
		if (modified.getTime() < dayAgo) await outbox.remove(name);
	}
}

async function removeLeftovers(vault: Vault): Promise<void> {
	for await (const name of findLeftovers(vault)) await vault.storage.remove(name);
}
