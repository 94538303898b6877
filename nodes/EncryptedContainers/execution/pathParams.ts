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
	/** Whether the field is among the options, and may be left empty. */
	isOption?: boolean;
	isEmail?: boolean;
	/** Whether it is entered, and not one that the service shows, which can have any form. */
	isNew?: boolean;
}

/** One endpoint of docs/openapi.yaml: its path consists of fixed segments and of parameters. */
export interface Endpoint {
	method: IHttpRequestMethods;
	path: Array<string | PathParam>;
}

const EMAIL_PARAM = { key: 'contactEmail', isEmail: true } as const;

export const containerParam: PathParam = { key: 'containerId', field: containerLocator };
export const contactParam: PathParam = { ...EMAIL_PARAM, field: contactLocator };
export const newContactParam: PathParam = { ...EMAIL_PARAM, field: contactEmailField, isNew: true };
export const userParam: PathParam = { key: 'userId', field: userIdOption, isOption: true };

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
