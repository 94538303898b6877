import { UserError, type IHttpRequestMethods, type INodeProperties } from 'n8n-workflow';

import { userIdOption } from '../../shared/descriptions/options';
import {
	assertAddress,
	cleanAddress,
	getEmail,
	isWildcard,
} from '../../shared/parameters/addresses';
import { parseId } from '../../shared/parameters/requests';
import { parseShortText } from '../../shared/parameters/values';
import { contactEmailField, contactLocator, containerLocator } from '../descriptions/locators';

/** One endpoint of docs/openapi.yaml. A parameter in its path has the name of its field: `/containers/{containerId}`. */
export interface Endpoint {
	method: IHttpRequestMethods;
	path: string;
}

/** The values in the path of an endpoint; without `userId`, the user of the API key. */
export interface PathParams {
	containerId: string;
	contactEmail: string;
	userId?: string;
}

export const hasUserId = ({ path }: Endpoint): boolean => path.includes(`{${userIdOption.name}}`);

/** The fields of the path but for that of the user, which is among the options. */
export function listPathFields({ path }: Endpoint): INodeProperties[] {
	const fields = [containerLocator, contactLocator, contactEmailField];
	return fields.filter(({ name }) => path.includes(`{${name}}`));
}

export function toPathKey(field: INodeProperties): 'containerId' | 'contactEmail' {
	return field.name === containerLocator.name ? 'containerId' : 'contactEmail';
}

/** @throws UserError for a value that can't be a segment of the path, or is not an email address where one is needed */
export function parsePathValue(field: INodeProperties, entered: unknown): string {
	const { name, displayName: label } = field;
	if (toPathKey(field) === 'containerId') return parseId(entered, label);
	const text = parseShortText(getEmail(entered), label, 'id');
	const address = cleanAddress(text.replace(/(?<![,;])[,;]+$/, ''));
	const advice = `Enter one address, such as anna@example.com, in "${label}".`;
	if (address !== '') assertAddress(address, label, advice);
	// One that the service shows, and not one that is entered, can have any form.
	if (name !== contactEmailField.name || !isWildcard(address)) return parseId(address, label);
	throw new UserError(`"${address}" in "${label}" is not the address of one person`, {
		description: `Nothing was sent. ${advice}`,
	});
}
