import type { ContainerRow } from '../database/schema.mts';
import type { StoredFile } from './seal.mts';

/** A container as the API shows it (docs/openapi.yaml, Container). */
export function toContainerRecord(row: ContainerRow, publicUrl: string) {
	const { id, name, owner_id, created_date, updated_date, size, file_count } = row;
	const url = `${publicUrl}/c/${id}`;
	return { uuid: id, name, owner_id, created_date, updated_date, size, file_count, url };
}

/** The container of a user with its owner (docs/openapi.yaml, ContainerEnvelope). */
export function toEnvelope(row: ContainerRow, publicUrl: string) {
	return { org_id: row.owner_id, container: toContainerRecord(row, publicUrl) };
}

/** A container with its files (docs/openapi.yaml, ContainerDetails). */
export function toContainerDetails(row: ContainerRow, publicUrl: string) {
	const files = (JSON.parse(row.files) as StoredFile[]).map(({ name, type, size, sha256 }) => ({
		...{ name, type, size, sha256 },
	}));
	return { ...toContainerRecord(row, publicUrl), files, opens_used: row.opens_used };
}
