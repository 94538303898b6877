import type { IHttpRequestMethods, INodeProperties } from 'n8n-workflow';

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

/** One endpoint of docs/openapi.yaml: its path consists of fixed segments and of parameters. */
export interface Endpoint {
	method: IHttpRequestMethods;
	path: Array<string | PathParam>;
}

export const containerParam: PathParam = { key: 'containerId', field: containerLocator };
export const contactParam: PathParam = { key: 'contactEmail', field: contactLocator };
/** An address that is entered, and not one that the service shows, which can have any form. */
export const newContactParam: PathParam = { key: 'contactEmail', field: contactEmailField };
/** Its field is among the options, and may be left empty. */
export const userParam: PathParam = { key: 'userId', field: userIdOption };

export function listPathParams({ path }: Endpoint): PathParam[] {
	return path.filter((segment) => typeof segment !== 'string');
}

/** The path as in documentation: `/containers/{containerId}`. */
export function formatPath({ path }: Endpoint): string {
	const segments = path.map((segment) =>
		typeof segment === 'string' ? segment : `{${segment.field.name}}`,
	);
	return `/${segments.join('/')}`;
}
