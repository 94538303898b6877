import type { IHttpRequestMethods, INodeProperties } from 'n8n-workflow';

import { userIdOption } from '../../shared/descriptions/options';
import { contactEmailField, contactLocator, containerLocator } from '../descriptions/commonFields';

/**
 * A request of docs/openapi.yaml, as an operation declares it. A parameter in its path that a person enters has the name of
 * its field: `/containers/{containerId}`. One that the node finds by itself has the name that it has in the API:
 * `/containers/{container_id}`.
 */
export interface DeclaredRequest {
	method: IHttpRequestMethods;
	url: string;
}

export const needsUserId = (requests: DeclaredRequest[]): boolean => has(requests, userIdOption);

/** The fields of the paths but for that of the user, which is among the options. */
export function listPathFields(requests: DeclaredRequest[]): INodeProperties[] {
	const fields = [containerLocator, contactLocator, contactEmailField];
	return fields.filter((field) => has(requests, field));
}

function has(requests: DeclaredRequest[], { name }: Pick<INodeProperties, 'name'>): boolean {
	return requests.some(({ url }) => url.includes(`{${name}}`));
}
