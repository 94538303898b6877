import { randomUUID } from 'node:crypto';
import stringify from 'safe-stable-stringify';
import { normalizeRecipient } from '../containers/addresses.mts';
import { createMac, createMacCheck } from '../containers/proofs.mts';
import { dropDoubles, findRuleProblems, NO_RECIPIENT } from '../containers/rules.mts';
import type { MasterKeys } from '../containers/masterKeys.mts';
import { transact, type NewEvent, type RecordEvent } from '../containers/trail.mts';
import type { Vault } from '../containers/vault.mts';
import * as rows from '../database/fileRequests.mts';
import { forgetDeleted } from '../database/forget.mts';
import type { FileRequestRow, Queries } from '../database/schema.mts';
import { assertValid, attempt, notFound, ServiceError } from '../errors.mts';

/** What the owner of a request decides, as docs/openapi.yaml describes it. */
export interface RequestSettings {
	/** Addresses and wildcards. */
	senders: string[];
	message?: string;
	time?: { start?: string; end?: string };
	/** Of one delivery. */
	max_files: number;
	max_bytes: number;
	/** How many are possible, of all senders together. */
	deliveries: number;
}

/** A request as its owner made it. */
export interface FileRequest extends Omit<FileRequestRow, 'settings'> {
	settings: RequestSettings;
}

type Optional = 'max_files' | 'max_bytes' | 'deliveries';
export type SentRequest = { name: string } & Omit<RequestSettings, Optional> &
	Partial<Pick<RequestSettings, Optional>>;

export const DEFAULTS = { max_files: 100, max_bytes: 1_000_000_000, deliveries: 100 };

interface RequestCreation {
	ownerId: string;
	by: { user: string; ip: string };
	sent: SentRequest;
	/** Of one upload, whatever a request says. */
	maxUploadBytes: number;
	/** Called in the transaction. */
	onCreated: (queries: Queries, row: FileRequestRow) => Promise<void>;
}

/** @throws ServiceError 422 */
export async function createRequest(vault: Vault, creation: RequestCreation) {
	const { ownerId, by, sent, maxUploadBytes } = creation;
	assertValid(findRequestProblems(sent, maxUploadBytes));
	const max_bytes = Math.min(DEFAULTS.max_bytes, maxUploadBytes);
	const { name, ...given } = { ...DEFAULTS, max_bytes, ...sent };
	const settings = { ...given, senders: dropDoubles(given.senders) };
	const facts = {
		id: randomUUID(),
		owner_id: ownerId,
		name,
		created_date: new Date().toISOString(),
		settings: stringify(settings),
	};
	return await transact(vault, async (queries, record) => {
		const values = { ...facts, delivered: 0, mac: signRequest(vault.keys, facts) };
		const row = await rows.insertRequest(queries, values);
		const about = { ownerId, requestId: row.id, user: by.user };
		await record({ ...about, action: 'request.create', detail: { ip: by.ip } });
		await creation.onCreated(queries, row);
		return row;
	});
}

function findRequestProblems({ senders, time, max_bytes = 0 }: SentRequest, most: number) {
	const problems = findRuleProblems({ time });
	for (const [index, sender] of senders.entries()) {
		if (!normalizeRecipient(sender)) problems[`senders.${index}`] = NO_RECIPIENT;
	}
	if (max_bytes > most) {
		problems.max_bytes = `must be at most ${most}, which is as much as this service takes at once`;
	}
	return problems;
}

export function toRequestRecord(row: FileRequestRow, publicUrl: string) {
	const { id, name, owner_id, created_date, delivered } = row;
	const settings = JSON.parse(row.settings) as RequestSettings;
	const url = `${publicUrl}/r/${id}`;
	return { uuid: id, name, owner_id, created_date, url, ...settings, delivered };
}

/** Nobody can send any more; what came stays. @throws ServiceError 404 */
export async function closeRequest(vault: Vault, id: string, { user, ip }: RequestActor) {
	await transact(vault, async (queries, record) => {
		const row = await rows.findRequestForUpdate(queries, id);
		if (row === undefined) throw notFound('request');
		await removeRequest(queries, row, { record, user, detail: { ip } });
	});
	await forgetDeleted(vault.database);
}

type RequestActor = { user: string; ip?: string };
type Removal = { record: RecordEvent } & Pick<NewEvent, 'user' | 'detail'>;

export async function removeRequest(
	queries: Queries,
	{ id, owner_id: ownerId }: FileRequestRow,
	{ record, user, detail }: Removal,
): Promise<void> {
	await rows.deleteRequestRow(queries, id);
	await record({ action: 'request.delete', ownerId, requestId: id, user, detail });
}

type Signed = Pick<FileRequestRow, 'id' | 'owner_id' | 'name' | 'created_date' | 'settings'>;

/** Says who asks whom for what. Whoever changes it in the database gets no file. docs/keys.md describes it: it never changes. */
const encodeRequest = ({ id, owner_id, name, created_date, settings }: Signed) =>
	JSON.stringify(['request', 1, id, owner_id, name, created_date, settings]);

const signRequest = (keys: MasterKeys, row: Signed) =>
	createMac(keys.current(), 'request', encodeRequest(row));

/** @throws ServiceError where it isn't what the service wrote, or its master key is missing */
export function openRequest(keys: MasterKeys, row: FileRequestRow): FileRequest {
	const isRight = createMacCheck(keys)('request', encodeRequest(row), row.mac);
	if (isRight === undefined) {
		const [id] = row.mac.split(':');
		const message = `Request ${row.id} can't be used: the service doesn't have the master key ${id} that signed it.`;
		throw new ServiceError(500, 'master_key_missing', message);
	}
	const message = `Request ${row.id} can't be used: it was changed outside of the service.`;
	if (!isRight) throw new ServiceError(500, 'seal_broken', message);
	return { ...row, settings: JSON.parse(row.settings) as RequestSettings };
}

/** As they stand in the database, which proves nothing. Nobody can send where they can't be read. */
export const readRequestSettings = ({ settings }: Pick<FileRequestRow, 'settings'>) =>
	attempt(() => JSON.parse(settings) as Partial<RequestSettings>) ?? {};

/** Gives it other facts, such as another owner, under a new MAC. */
export async function changeRequest(
	queries: Queries,
	keys: MasterKeys,
	row: FileRequestRow,
	change: Partial<Pick<FileRequestRow, 'owner_id' | 'settings'>> = {},
): Promise<void> {
	openRequest(keys, row);
	const mac = signRequest(keys, { ...row, ...change });
	await rows.updateRequest(queries, row.id, { ...change, mac });
}
