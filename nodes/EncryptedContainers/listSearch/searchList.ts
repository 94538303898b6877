import {
	UserError,
	type IDataObject,
	type ILoadOptionsFunctions,
	type INodeListSearchResult,
} from 'n8n-workflow';

import {
	CONTACT_LIST,
	CONTAINER_LIST,
	fetchEntries,
	REQUEST_LIST,
	type ListDefinition,
	type ListEntry,
	type ListOptions,
} from '../../shared/api/lists';
import {
	CONTAINERS_BY_RECIPIENT,
	findsRecipients,
	toRecipientQuery,
} from '../../shared/api/recipientFilter';
import { findCreation, fold, readRecord, sortNewestFirst } from '../../shared/api/records';
import { Client } from '../../shared/client/client';
import { getConnection } from '../../shared/client/connection';
import { Limiter } from '../../shared/client/limiter';
import { createNodeError, hasStatus } from '../../shared/errors/errors';
import { Parameters } from '../../shared/parameters/fields';
import { readUserId, type QueryParameters } from '../../shared/parameters/requests';
import { hasExpression } from '../../shared/parameters/values';
import { parseRequestOptions } from '../parameters/requestOptions';

/** A person waits for the list, so an early error is better than a late response. */
const MAX_SECONDS = 10;

/** Lists the containers to choose from: by name, with the start of the ID and the date to distinguish equal names. */
export const searchContainers = createSearch(CONTAINER_LIST, 'By ID', describeDated);

export const searchRequests = createSearch(REQUEST_LIST, 'By ID', describeDated);

function describeDated({ id, name, record }: ListEntry): string {
	// The editor shows about fifty characters of an entry.
	const day = findCreation(record)?.toISOString().slice(0, 10);
	const suffix = [name && id.slice(0, 8), day].filter(Boolean).join(', ');
	return suffix === '' ? id : `${name ?? id} (${suffix})`;
}

export const searchContacts = createSearch(CONTACT_LIST, 'By Email', ({ id, record }) => {
	const { fields } = readRecord('contact', record);
	const fullName = [fields.first_name, fields.last_name].filter(Boolean).join(' ');
	return fullName === '' ? id : `${fullName} (${id})`;
});

/** The list search of a resource locator: each word that the user types is in the label or value, in capitals or not. */
function createSearch(
	list: ListDefinition,
	manualMode: string,
	getLabel: (entry: ListEntry) => string,
) {
	return async function (this: ILoadOptionsFunctions, filter = ''): Promise<INodeListSearchResult> {
		try {
			const { client, entries, isWhole, isFiltered } = await fetchAvailable(this, {
				list,
				manualMode,
				filter,
			});
			const words = fold(filter).split(/\s/);
			const results = sortNewestFirst(entries).flatMap((entry) => {
				const name = client.redactor.redactLine(getLabel(entry));
				const text = fold(`${name} ${entry.id}`);
				const isFound = isFiltered || words.every((word) => text.includes(word));
				if (isEvaluated(entry.id) || !isFound) return [];
				// The editor stores the label, too.
				return [{ name: isEvaluated(name) ? `"${name}"` : name, value: entry.id }];
			});
			const more = `There are more ${list.records}: choose ${manualMode} to enter one`;
			// Chosen, it is as empty as the field was.
			if (!isWhole) results.push({ name: more, value: '' });
			return { results };
		} catch (error) {
			throw createNodeError(this.getNode(), error as Error);
		}
	};
}

interface Search {
	list: ListDefinition;
	manualMode: string;
	/** What the user typed. */
	filter: string;
}

/** What the service lists without a link to others, or within the time. */
async function fetchAvailable(
	context: ILoadOptionsFunctions,
	{ list, manualMode, filter }: Search,
) {
	const options = getEntered(context, 'options');
	const chosenUser = readUserId(new Parameters({}, (name, preset) => options[name] ?? preset));
	const signal = AbortSignal.timeout(MAX_SECONDS * 1000);
	const client = await connectPicker(context, signal);
	const entries: ListEntry[] = [];
	let isWhole = true;
	let isFiltered = false;
	const onRest = () => (isWhole = false);
	const fetchAll = async () => {
		const userId = chosenUser ?? (await client.getCurrentUser()).id;
		const options = { entries, onRest };
		isFiltered = list === CONTAINER_LIST && (await isRecipient(client, filter));
		if (isFiltered) await fetchNamed(client, userId, filter.trim(), options);
		else await fetchEntries(client, list, userId, options);
	};
	await fetchAll().catch((error: Error) => {
		if (!signal.aborted) throw error;
		if (entries.length === 0) throw createLateError(list, manualMode);
		isWhole = false;
	});
	return { client, entries, isWhole, isFiltered };
}

/** Whether a whole address was typed, and the service finds containers by it. */
async function isRecipient(client: Client, filter: string): Promise<boolean> {
	return /^[^\s@]+@[^\s@]+\.[^\s@.]+$/.test(filter.trim()) && (await findsRecipients(client));
}

/** The containers that an address can open, and then those that have it in their name. */
async function fetchNamed(client: Client, userId: string, address: string, options: ListOptions) {
	const query = toRecipientQuery([], address);
	const byRecipient = fetchEntries(client, CONTAINERS_BY_RECIPIENT, userId, { ...options, query });
	await byRecipient.catch((error: unknown) => {
		// It is none, such as one that isn't typed to its end.
		if (!hasStatus(error, 422)) throw error;
	});
	const known = new Set(options.entries?.map(({ id }) => id));
	const matches = ({ id }: ListEntry) => !known.has(id);
	const named = { ...options, matches, query: [['name', address]] as QueryParameters };
	await fetchEntries(client, CONTAINER_LIST, userId, named);
}

function createLateError({ records }: ListDefinition, mode: string): UserError {
	const message = `The service could not list the ${records} within ${MAX_SECONDS} seconds`;
	const description = `Set the field to ${mode} and enter the value, or try again later.`;
	return new UserError(message, { description });
}

async function connectPicker(context: ILoadOptionsFunctions, signal: AbortSignal): Promise<Client> {
	const { requestOptions } = parseRequestOptions(getEntered(context, 'requestOptions'));
	const connection = await getConnection(context);
	return new Client({
		context,
		connection,
		requestOptions,
		canceled: signal,
		limiter: new Limiter(connection.key, 1, signal),
		maxRetries: 1,
		deadline: Date.now() + MAX_SECONDS * 1000,
		// Longer than the list can take, whose own error says what to do.
		responseTimeout: 2 * MAX_SECONDS * 1000,
	});
}

/** What the user entered in a collection, without expressions, which the editor can't resolve. */
function getEntered(context: ILoadOptionsFunctions, name: string): IDataObject {
	const saved = (context.getCurrentNodeParameter(name) ?? {}) as IDataObject;
	return Object.fromEntries(Object.entries(saved).filter(([, value]) => !hasExpression(value)));
}

/** Whether n8n would evaluate a text that the editor stores, also after somebody switches the field to an expression. */
function isEvaluated(text: string): boolean {
	return /^\s*=|\{\{/.test(text);
}
