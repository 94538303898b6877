import type { Client } from '../client/client';
import type { QueryParameters } from '../parameters/requests';
import { describesItself } from './features';

/**
 * Lets the service leave out what has no such name, where it describes itself. What it lists still has to be compared: it
 * looks for one text, the longest part of the pattern without wildcards and without what it refuses, such as line breaks.
 */
export async function narrowByName(
	client: Client,
	pattern: string,
	query: QueryParameters,
): Promise<QueryParameters> {
	const parts = pattern.split(/[*?\p{Cc}]/u).map((part) => part.trim());
	const [longest] = parts.sort((one, other) => other.length - one.length);
	const isEntered = query.some(([name]) => name === 'name');
	if (longest === '' || isEntered) return query;
	// The list itself says what is wrong.
	const canNarrow = await describesItself(client).catch(() => false);
	if (!canNarrow) return query;
	return [...query, ['name', longest]];
}
