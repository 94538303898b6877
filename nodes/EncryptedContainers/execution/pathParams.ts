import type { IHttpRequestMethods, INodeProperties } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import { parseId } from '../../shared/client/path';
import { userIdOption } from '../../shared/descriptions/options';
import { isWildcard } from '../../shared/parameters/addresses';
import { assertAddress, cleanAddress, getEmail } from '../../shared/parameters/lists';
import { parseShortText } from '../../shared/parameters/scalars';
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
	/** @throws UserError for a value that can't be a segment of the path, or is not an email address where one is needed */
	parse(entered: unknown, label: string): string;
}

/** One endpoint of docs/openapi.yaml. A parameter in its path has the name of its field: `/containers/{containerId}`. */
export interface Endpoint {
	method: IHttpRequestMethods;
	path: string;
}

export const containerParam: PathParam = {
	key: 'containerId',
	field: containerLocator,
	parse: parseId,
};

const contactParam: PathParam = { key: 'contactEmail', field: contactLocator, parse: parseEmail };

/** An address that is entered, and not one that the service shows, which can have any form. */
export const newContactParam: PathParam = {
	key: 'contactEmail',
	field: contactEmailField,
	parse(entered, label) {
		const address = parseEmail(entered, label);
		if (!isWildcard(address)) return address;
		throw new UserError(`"${address}" in "${label}" is not the address of one person`, {
			description: `Nothing was sent. Enter one address, such as anna@example.com, in "${label}".`,
		});
	},
};

export const hasUserId = ({ path }: Endpoint): boolean => path.includes(`{${userIdOption.name}}`);

/** The parameters of the path but for the user, whose field is among the options. */
export function listPathParams({ path }: Endpoint): PathParam[] {
	const params = [containerParam, contactParam, newContactParam];
	return params.filter(({ field }) => path.includes(`{${field.name}}`));
}

function parseEmail(entered: unknown, label: string): string {
	const text = parseShortText(getEmail(entered), label, 'id');
	const address = cleanAddress(text.replace(/(?<![,;])[,;]+$/, ''));
	if (address !== '')
		assertAddress(address, label, 'Enter one address, for example anna@example.com.');
	return parseId(address, label);
}
