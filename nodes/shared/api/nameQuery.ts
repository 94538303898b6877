import type { Client } from '../client/client';
import type { QueryParameters } from '../parameters/requests';
import { describesItself } from './features';

/**
 * Lets the service leave out what has no such name, where it describes itself. What it lists still has to be compared: it
 * looks for one text, the longest part of the pattern without wildcards.
 */
export async function narrowByName(
	client: Client,
	pattern: string,
	query: QueryParameters,
): Promise<QueryParameters> {
	const parts = pattern.split(/[*?]/).map((part) => part.trim());
	const [longest] = parts.sort((one, other) => other.length - one.length);
	const isEntered = query.some(([name]) => name === 'name');
	if (longest === '' || isEntered || !(await describesItself(client))) return query;
	return [...query, ['name', longest]];
}
