import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { readAllContainers } from '../database/queries.mts';
import * as rows from '../database/recipients.mts';
import type { ContainerRow, Database, IndexRow, Queries } from '../database/schema.mts';
import { attempt } from '../errors.mts';
import { foldRecipient } from './addresses.mts';
import type { DrmRules } from './rules.mts';
import type { MasterKeys } from './masterKeys.mts';
import { openSeal } from './seal.mts';

/** Each can have 10,000 recipients. */
const BATCH = 50;

/** Rules that can't be read name nobody: nobody can open such a container. */
export const readRecipients = ({ rules }: Pick<ContainerRow, 'rules'>) =>
	attempt(() => (JSON.parse(rules) as DrmRules).recipients) ?? [];

/** Adds legacy rules, which aren't in the index, of one owner or of all. @returns of how many containers */
export async function indexLegacyRules(database: Database, ownerId?: string): Promise<number> {
	for (let count = 0; ; await yieldToOthers()) {
		const ids = await rows.listBehind(database, { ownerId, limit: BATCH });
		if (ids.length === 0) return count;
		await indexContainers(database, ids);
		count += ids.length;
	}
}

/** Writes the index of containers anew. @returns the IDs of those in which something was wrong */
export async function indexContainers(database: Database, ids: string[]): Promise<string[]> {
	return await database.transaction().execute(async (queries) => {
		const containers = await rows.markIndexed(queries, ids);
		return await writeIndex(queries, containers);
	});
}

/** To be called in the transaction of the rules, by whoever writes them. */
export async function writeIndex(queries: Queries, containers: ContainerRow[]): Promise<string[]> {
	const differences = await compareIndex(queries, containers);
	for (const { container, gone } of differences) {
		await rows.deleteFromIndex(queries, container.seq, gone);
	}
	const missing = differences.flatMap(({ missing }) => missing);
	await rows.insertIntoIndex(queries, missing);
	return differences.map(({ container }) => container.id);
}

interface Difference {
	container: ContainerRow;
	/** Whom the index has, and the rules don't. */
	gone: string[];
	missing: IndexRow[];
}

async function compareIndex(queries: Queries, containers: ContainerRow[]): Promise<Difference[]> {
	const indexed = new Map(containers.map(({ seq }) => [seq, new Map<string, string>()]));
	for (const row of await rows.readIndex(queries, [...indexed.keys()])) {
		indexed.get(row.container_seq)?.set(row.recipient, row.owner_id);
	}
	const differences = containers.map((container) => {
		const { seq: container_seq, owner_id } = container;
		const owners = indexed.get(container_seq)!;
		const named = new Set(readRecipients(container).flatMap((entry) => foldRecipient(entry) ?? []));
		const gone = [...owners.keys()].filter((recipient) => !named.has(recipient));
		const missing = [...named].filter((recipient) => owners.get(recipient) !== owner_id);
		const toRow = (recipient: string) => ({ container_seq, recipient, owner_id });
		return { container, gone, missing: missing.map(toRow) };
	});
	return differences.filter(({ gone, missing }) => gone.length + missing.length > 0);
}

type Indexed = { database: Database; keys: MasterKeys };

/** Compares the index with the rules of all containers, and writes it anew where it differs. */
export async function inspectIndex({ database, keys }: Indexed) {
	const added = await indexLegacyRules(database);
	const wrong: string[] = [];
	const inspect = async (batch: ContainerRow[]) => {
		const different = (await compareIndex(database, batch)).map(({ container }) => container);
		// Rules that were changed outside of the service count for nobody.
		const sealed = different.filter((container) => attempt(() => openSeal(keys, container)));
		const ids = sealed.map(({ id }) => id);
		if (ids.length > 0) wrong.push(...(await indexContainers(database, ids)));
	};
	let batch: ContainerRow[] = [];
	for await (const row of readAllContainers(database)) {
		batch.push(row);
		if (batch.length < BATCH) continue;
		await inspect(batch);
		batch = [];
	}
	if (batch.length > 0) await inspect(batch);
	return { added, wrong };
}
