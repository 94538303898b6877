import type { IDataObject, IHttpRequestMethods, INodeProperties } from 'n8n-workflow';

import { parseId, parseUserId } from '../../shared/client/path';
import { userIdOption } from '../../shared/descriptions/options';
import { assertAddress, cleanAddress, getEmail } from '../../shared/parameters/lists';
import { contactEmailField, contactLocator, containerLocator } from '../descriptions/locators';

/** What reads the parameters of one item. */
interface Parameters {
	getParameter(name: string): unknown;
	getRawParameter(name: string): unknown;
	getOptions(): IDataObject;
}

/** The values in the path of an endpoint; without `userId`, the user of the API key. */
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

const EMAIL_PARAM = { key: 'contactEmail', isEmail: true } as const;

export const containerParam: PathParam = { key: 'containerId', field: containerLocator };
export const contactParam: PathParam = { ...EMAIL_PARAM, field: contactLocator };
export const newContactParam: PathParam = { ...EMAIL_PARAM, field: contactEmailField };
export const userParam: PathParam = { key: 'userId', field: userIdOption, isOption: true };

/** The parameters in an endpoint's path, in order. */
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

/**
 * Parses the parameters in an endpoint's path; the values are trimmed, not encoded.
 *
 * @throws UserError for a value that can't be a segment of the path, or is not an email address where one is needed
 */
export function parsePathParams(item: Parameters, endpoint: Endpoint): PathParams {
	const params: PathParams = { containerId: '', contactEmail: '' };
	for (const param of listPathParams(endpoint)) {
		Object.assign(params, { [param.key]: parsePathParam(item, param) });
	}
	return params;
}

/** What the user entered for the required parameters of the path, valid or not, for error items. */
export function getEnteredIds(item: Parameters, endpoint: Endpoint): IDataObject {
	const params = listPathParams(endpoint).filter(({ isOption }) => !isOption);
	return Object.fromEntries(
		params.map(({ key, field }) => {
			const value = getLocatorValue(item.getParameter(field.name));
			return [key, typeof value === 'string' || typeof value === 'number' ? value : ''];
		}),
	);
}

/** Parses one parameter, which need not be in the path. @throws UserError as parsePathParams does */
export function parsePathParam(
	item: Parameters,
	{ field, isOption, isEmail }: PathParam,
): string | undefined {
	if (isOption) return parseUserId(item.getOptions(), item.getRawParameter('options'));
	const label = field.displayName;
	const entered = getLocatorValue(item.getParameter(field.name));
	return isEmail ? parseEmail(entered, label) : parseId(entered, label);
}

function parseEmail(entered: unknown, label: string): string {
	const address = cleanAddress(parseId(getEmail(entered), label).replace(/(?<![,;])[,;]+$/, ''));
	assertAddress(address, label, 'Enter one address, for example anna@example.com.');
	return parseId(address, label);
}

/** The value of a resource locator: an object from the editor, plain text from an expression or an AI tool. */
function getLocatorValue(value: unknown): unknown {
	return typeof value === 'object' && value !== null && 'value' in value ? value.value : value;
}
