import type { IHttpRequestMethods } from 'n8n-workflow';

import { buildPath } from '../parameters/ids';

/** A request of docs/openapi.yaml. A name in braces stands for a value of each request. */
export interface Endpoint {
	method: IHttpRequestMethods;
	url: string;
}

interface PathValues {
	userId?: string;
	containerId?: string;
	email?: string;
	requestId?: string;
}

/** What the nodes send, by the names of docs/openapi.yaml: an operation declares its request from here, and sends it from here. */
export const endpoints = {
	getMe: { method: 'GET', url: '/me' },
	encodeFiles: { method: 'POST', url: '/users/{userId}/containers/encode' },
	listContainers: { method: 'GET', url: '/users/{userId}/containers' },
	getContainerEnvelope: { method: 'GET', url: '/users/{userId}/containers/{containerId}' },
	getContainer: { method: 'GET', url: '/containers/{containerId}' },
	deleteContainer: { method: 'DELETE', url: '/containers/{containerId}' },
	decodeFile: { method: 'POST', url: '/containers/{containerId}/decode' },
	getDrmRules: { method: 'GET', url: '/containers/{containerId}/drm' },
	updateDrmRules: { method: 'PATCH', url: '/containers/{containerId}/drm' },
	createRequest: { method: 'POST', url: '/users/{userId}/requests' },
	listRequests: { method: 'GET', url: '/users/{userId}/requests' },
	getRequest: { method: 'GET', url: '/requests/{requestId}' },
	deleteRequest: { method: 'DELETE', url: '/requests/{requestId}' },
	listContacts: { method: 'GET', url: '/users/{userId}/contacts' },
	getContact: { method: 'GET', url: '/users/{userId}/contacts/{email}' },
	upsertContact: { method: 'PATCH', url: '/users/{userId}/contacts/{email}' },
	deleteContact: { method: 'DELETE', url: '/users/{userId}/contacts/{email}' },
	listEvents: { method: 'GET', url: '/users/{userId}/events' },
	listContainerEvents: { method: 'GET', url: '/users/{userId}/containers/{containerId}/events' },
} satisfies Record<string, Endpoint>;

export function isOfUser({ url }: Endpoint): boolean {
	return url.includes('{userId}');
}

/** The method and the encoded path. @throws UserError for a value that can't be in a path */
export function toRequest({ method, url }: Endpoint, values: PathValues) {
	const [, ...segments] = url.split('/');
	const filled = segments.map((segment) => {
		const [, name] = /^\{(\w+)\}$/.exec(segment) ?? [];
		return name === undefined ? segment : (values[name as keyof PathValues] ?? '');
	});
	return { method, path: buildPath(filled) };
}
