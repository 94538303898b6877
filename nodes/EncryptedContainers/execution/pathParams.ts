import type {
	IDataObject,
	IExecutePaginationFunctions,
	IHttpRequestMethods,
	INodeProperties,
} from 'n8n-workflow';

import { parseId } from '../../shared/client/path';
import { userIdOption } from '../../shared/descriptions/options';
import { assertAddress } from '../../shared/parameters/lists';
import { contactEmailField, contactLocator, containerLocator } from '../descriptions/locators';
import { getLocatorValue } from '../parameters/locator';

/** What the endpoint of an operation is about; without `userId`, the user of the API key. */
export interface PathParams {
	containerId: string;
	contactEmail: string;
	userId?: string;
}

/** A part of an endpoint's path that the user enters. */
export interface PathParam {
	key: keyof PathParams;
	field: INodeProperties;
	/** Whether the field is among the options, and may be left empty. */
	isOption?: boolean;
	isEmail?: boolean;
}

/** One endpoint of docs/openapi.yaml: its path consists of fixed segments and of parameters. */
export interface Endpoint {
	method: IHttpRequestMethods;
	path: Array<string | PathParam>;
}

export const containerParam: PathParam = { key: 'containerId', field: containerLocator };
export const contactParam: PathParam = {
	key: 'contactEmail',
	field: contactLocator,
	isEmail: true,
};
export const newContactParam: PathParam = {
	key: 'contactEmail',
	field: contactEmailField,
	isEmail: true,
};
export const userParam: PathParam = { key: 'userId', field: userIdOption, isOption: true };

/** The parameters in an endpoint's path, in their order. */
export function listPathParams({ path }: Endpoint): PathParam[] {
	return path.filter((segment) => typeof segment !== 'string');
}

/** The path as documents write it: `/containers/{containerId}`. */
export function formatPath({ path }: Endpoint): string {
	const segments = path.map((segment) =>
		typeof segment === 'string' ? segment : `{${segment.field.name}}`,
	);
	return `/${segments.join('/')}`;
}

/**
 * Parses the parameters in an endpoint's path.
 *
 * @returns the values, trimmed and not encoded
 * @throws UserError when one can't become a segment of the path, or is no email address where one is needed
 */
export function parsePathParams(
	context: IExecutePaginationFunctions,
	endpoint: Endpoint,
): PathParams {
	const params: PathParams = { containerId: '', contactEmail: '' };
	for (const param of listPathParams(endpoint)) {
		const value = parsePathParam(context, param);
		if (value !== undefined) params[param.key] = value;
	}
	return params;
}

/** What the user entered for the required parameters of the path, also where it can't be parsed, for error items. */
export function getEnteredIds(
	context: IExecutePaginationFunctions,
	endpoint: Endpoint,
): IDataObject {
	const params = listPathParams(endpoint).filter(({ isOption }) => !isOption);
	return Object.fromEntries(
		params.map(({ key, field }) => {
			const value = getLocatorValue(context.getNodeParameter(field.name, ''));
			return [key, typeof value === 'string' || typeof value === 'number' ? value : ''];
		}),
	);
}

function parsePathParam(
	context: IExecutePaginationFunctions,
	{ field, isOption, isEmail }: PathParam,
): string | undefined {
	const entered = isOption
		? (context.getNodeParameter('options', {}) as IDataObject)[field.name]
		: getLocatorValue(context.getNodeParameter(field.name, ''));
	if (isOption && isEmpty(entered)) return undefined;
	const text = parseId(entered, field.displayName);
	if (isEmail) assertAddress(text, field.displayName);
	return text;
}

function isEmpty(value: unknown): boolean {
	return typeof value === 'string' ? value.trim() === '' : typeof value !== 'number';
}
