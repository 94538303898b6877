import type { IDataObject, IExecutePaginationFunctions } from 'n8n-workflow';

import type { Call, Route } from './defineOperation';
import { getCurrentUser } from '../../shared/client/currentUser';
import { encodePathSegment, buildPath } from '../../shared/client/path';
import { assertAddress } from '../../shared/parameters/lists';
import { getLocatorValue } from '../parameters/locator';

/** What a route is about, as the user entered it; `userId` is missing when it is the API key's own user. */
export interface Target {
	containerId?: string;
	contactEmail?: string;
	userId?: string;
}

/** Display names of the fields that fill the placeholders of routes. */
const LABELS = {
	containerId: 'Container',
	contactEmail: 'Contact',
	email: 'Email',
	userId: 'User ID',
};

/**
 * Reads and checks the parameters that a route's placeholders are named after.
 *
 * @param context the item's context
 * @param route the operation's end point
 * @returns the values, trimmed and unencoded
 * @throws UserError when one cannot become a segment of the path, or is no address where one is needed
 */
export function readTarget(context: IExecutePaginationFunctions, { url }: Route): Target {
	const target: Target = {};
	if (url.includes('{containerId}')) {
		target.containerId = read(context.getNodeParameter('containerId', ''), LABELS.containerId);
	}
	if (url.includes('{contactEmail}')) {
		target.contactEmail = readAddress(
			context.getNodeParameter('contactEmail', ''),
			LABELS.contactEmail,
		);
	}
	if (url.includes('{email}')) {
		target.contactEmail = readAddress(context.getNodeParameter('email', ''), LABELS.email);
	}
	if (url.includes('{userId}')) {
		const { userId } = context.getNodeParameter('options', {}) as { userId?: unknown };
		const isGiven =
			typeof userId === 'number' || (typeof userId === 'string' && userId.trim() !== '');
		if (isGiven) target.userId = read(userId, LABELS.userId);
	}
	return target;
}

/**
 * Fills a route, asking for the API key's own user where the user gave none.
 *
 * @param call the item's means of sending
 * @param target what the route is about
 * @returns the encoded path below the base URL
 */
export async function pathOf(call: Call, target: Target, url = call.route.url): Promise<string> {
	const userId = url.includes('{userId}')
		? (target.userId ?? (await getCurrentUser(call)).id)
		: undefined;
	return buildPath(url, { ...target, email: target.contactEmail, userId }, LABELS);
}

/**
 * What tells an item apart when it fails, also when its input is refused.
 *
 * @param context the item's context
 * @param route the operation's end point
 * @returns the identifier or address as entered, under its parameter's name
 */
export function enteredIdentity(context: IExecutePaginationFunctions, { url }: Route): IDataObject {
	const entered = (name: string): IDataObject[string] => {
		const value = getLocatorValue(context.getNodeParameter(name, ''));
		return typeof value === 'string' || typeof value === 'number' ? value : '';
	};
	if (url.includes('{containerId}')) return { containerId: entered('containerId') };
	if (url.includes('{contactEmail}')) return { contactEmail: entered('contactEmail') };
	return url.includes('{email}') ? { contactEmail: entered('email') } : {};
}

function readAddress(value: unknown, label: string): string {
	const address = read(value, label);
	assertAddress(address, label);
	return address;
}

function read(value: unknown, label: string): string {
	const entered = getLocatorValue(value);
	encodePathSegment(entered, label);
	return String(entered).trim();
}
