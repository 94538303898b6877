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
	type ListDefinition,
	type ListEntry,
} from '../../shared/api/lists';
import { findCreation, fold, readRecord, sortNewestFirst } from '../../shared/api/records';
import { Client } from '../../shared/client/client';
import { getConnection } from '../../shared/client/connection';
import { Limiter } from '../../shared/client/limiter';
import { createNodeError } from '../../shared/errors/errors';
import { Parameters } from '../../shared/parameters/fields';
import { readUserId } from '../../shared/parameters/requests';
import { hasExpression } from '../../shared/parameters/values';
import { parseRequestOptions } from '../parameters/requestOptions';

/** A person waits for the list, so an early error is better than a late response. */
const MAX_SECONDS = 10;

/** Lists the containers to choose from: by name, with the start of the ID and the date to distinguish equal names. */
export const searchContainers = createSearch(CONTAINER_LIST, 'By ID', ({ id, name, record }) => {
	// The editor shows about fifty characters of an entry.
	const day = findCreation(record)?.toISOString().slice(0, 10);
	const suffix = [name && id.slice(0, 8), day].filter(Boolean).join(', ');
	return suffix === '' ? id : `${name ?? id} (${suffix})`;
});

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
			const { client, entries, isWhole } = await fetchAvailable(this, list, manualMode);
			const words = fold(filter).split(/\s/);
			const results = sortNewestFirst(entries).flatMap((entry) => {
				const name = client.redactor.redactLine(getLabel(entry));
				const text = fold(`${name} ${entry.id}`);
				if (isEvaluated(entry.id) || !words.every((word) => text.includes(word))) return [];
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

/** What the service lists without a link to others, or within the time. */
async function fetchAvailable(context: ILoadOptionsFunctions, list: ListDefinition, mode: string) {
	const options = getEntered(context, 'options');
	const chosenUser = readUserId(new Parameters({}, (name, preset) => options[name] ?? preset));
	const signal = AbortSignal.timeout(MAX_SECONDS * 1000);
	const client = await connectPicker(context, signal);
	const entries: ListEntry[] = [];
	let isWhole = true;
	const onRest = () => (isWhole = false);
	const fetchAll = async () => {
		const userId = chosenUser ?? (await client.getCurrentUser()).id;
		await fetchEntries(client, list, userId, { entries, onRest });
	};
	await fetchAll().catch((error: Error) => {
		if (!signal.aborted) throw error;
		if (entries.length === 0) throw createLateError(list, mode);
		isWhole = false;
	});
	return { client, entries, isWhole };
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
