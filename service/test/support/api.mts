export { Api, type ApiResponse, type ErrorBody } from '../../../tools/serviceClient.cts';

export interface Rules {
	opens?: number;
}

export interface Container {
	uuid: string;
	name: string;
	owner_id: string;
	created_date: string;
	updated_date: string;
	size: number;
	file_count: number;
	url: string;
	/** From here on, only in the response of GET /containers/{id}. */
	files: Array<{ name: string; type: string; size: number; sha256: string }>;
	opens_used: number;
}

export interface Envelope {
	org_id: string;
	container: Container;
}

export interface Contact {
	[field: string]: string | number | boolean;
	email: string;
	created_date: string;
	updated_date: string;
}

export interface ServiceEvent {
	id: string;
	created_date: string;
	action: string;
	container_id: string;
	container_name: string;
	user: string;
	detail: { ip?: string; country?: string; reason?: string; changed?: string[] };
}
