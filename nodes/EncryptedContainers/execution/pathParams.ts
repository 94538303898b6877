import type { IHttpRequestMethods, INodeProperties } from 'n8n-workflow';

import { buildPath } from '../../shared/client/path';
import { userIdOption } from '../../shared/descriptions/options';
import { contactEmailField, contactLocator, containerLocator } from '../descriptions/locators';

/** The values in the path of an endpoint; without `userId`, the user of the API key. */
export interface PathParams {
	containerId: string;
	contactEmail: string;
	userId?: string;
}

export interface PathParam {
	key: keyof PathParams;
	field: INodeProperties;
}

/** One endpoint of docs/openapi.yaml. A parameter in its path has the name of its field: `/containers/{containerId}`. */
export interface Endpoint {
	method: IHttpRequestMethods;
	path: string;
}

export const containerParam: PathParam = { key: 'containerId', field: containerLocator };
const contactParam: PathParam = { key: 'contactEmail', field: contactLocator };
/** An address that is entered, and not one that the service shows, which can have any form. */
export const newContactParam: PathParam = { key: 'contactEmail', field: contactEmailField };
/** Its field is among the options, and may be left empty. */
export const userParam: PathParam = { key: 'userId', field: userIdOption };

const params = [containerParam, contactParam, newContactParam, userParam];

export function listPathParams({ path }: Endpoint): PathParam[] {
	return params.filter(({ field }) => path.includes(`{${field.name}}`));
}

export function fillPath(endpoint: Endpoint, values: Required<PathParams>): string {
	const entered = new Map(params.map(({ key, field }) => [`{${field.name}}`, values[key]]));
	const [, ...segments] = endpoint.path.split('/');
	return buildPath(segments.map((segment) => entered.get(segment) ?? segment));
}
