import type { ContainerRow } from '../database/schema.mts';
import { isShownAlone, type Shows } from './fileKinds.mts';
import type { StoredFile } from './seal.mts';

export function toContainerRecord(row: ContainerRow, publicUrl: string) {
	const { id, name, owner_id, created_date, updated_date, size, file_count } = row;
	const url = `${publicUrl}/c/${id}`;
	return { uuid: id, name, owner_id, created_date, updated_date, size, file_count, url };
}

/** What of the service is in what it says about a container. */
type Described = Shows & { publicUrl: string };

export function toEnvelope(row: ContainerRow, described: Described) {
	const record = toContainerRecord(row, described.publicUrl);
	const container = { ...record, files: describeFiles(row, described) };
	return { org_id: row.owner_id, container };
}

export function toContainerDetails(row: ContainerRow, described: Described) {
	const record = toContainerRecord(row, described.publicUrl);
	const { opens_used, held_date, request_id, sender } = row;
	const origin = request_id === null ? {} : { request_id, sender };
	const on_hold = held_date !== null;
	return { ...record, files: describeFiles(row, described), opens_used, on_hold, ...origin };
}

function describeFiles({ files }: ContainerRow, shows: Shows) {
	return (JSON.parse(files) as StoredFile[]).map((file) => {
		const { name, type, size, sha256 } = file;
		return { name, type, size, sha256, viewable: isShownAlone(file, shows) };
	});
}
