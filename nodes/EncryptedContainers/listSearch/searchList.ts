import { NodeApiError, UserError } from 'n8n-workflow';
import type { IDataObject, ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { findCreation, sortNewestFirst } from '../../shared/api/creation';
import type { ListDefinition } from '../../shared/api/lists';
import { CONTACT_LIST, CONTAINER_LIST, fetchList } from '../../shared/api/lists';
import { getContactEmail, getContainerIdentity, unwrapContact } from '../../shared/api/records';
import { ServiceClient } from '../../shared/client/client';
import { getConnection } from '../../shared/client/connection';
import { takeBreak } from '../../shared/client/delay';
import { Limiter } from '../../shared/client/limiter';
import { parseId } from '../../shared/client/path';
import { userIdOption } from '../../shared/descriptions/options';
import { createInputError } from '../../shared/errors/nodeErrors';
import { isExpression } from '../../shared/parameters/values';
import { parseRequestOptions } from '../parameters/requestOptions';

/** A person waits for the list, so an early error is better than a late response. */
const MAX_SECONDS = 10;

/** The entry of a picker for a record. */
type ToChoice = (record: IDataObject) => { label: string; value?: string };

/** Lists the containers to choose from: by name, with the start of the ID and the date to distinguish equal names. */
export const searchContainers = createSearch(CONTAINER_LIST, 'By ID', (record) => {
	const { id = '', name } = getContainerIdentity(record);
	// The first part of a UUID: the editor shows about fifty characters of an entry.
	const shortId = /^[\da-f]{8}-/i.test(id) ? id.slice(0, 8) : id;
	const details = [name === undefined ? '' : shortId, findCreation(record)?.day].filter(Boolean);
	const suffix = details.length === 0 ? '' : ` (${details.join(', ')})`;
	return { label: `${name ?? id}${suffix}`, value: id };
});

export const searchContacts = createSearch(CONTACT_LIST, 'By Email', (record) => {
	const email = getContactEmail(record);
	const { first_name, last_name } = unwrapContact(record);
	const isText = (part: unknown) => typeof part === 'string' && part !== '';
	const fullName = [first_name, last_name].filter(isText).join(' ');
	return { label: fullName === '' ? String(email) : `${fullName} (${email})`, value: email };
});

/** The list search of a resource locator: each word that the user types is in the label or value, in capitals or not. */
function createSearch(list: ListDefinition, manualMode: string, toChoice: ToChoice) {
	return async function (this: ILoadOptionsFunctions, filter = ''): Promise<INodeListSearchResult> {
		try {
			const words = normalize(filter).split(/\s/);
			const { client, records, isWhole } = await fetchAvailable(this, list, manualMode);
			const results: INodeListSearchResult['results'] = [];
			for (const record of sortNewestFirst(records, (entry) => entry)) {
				await takeBreak();
				const { label, value = '' } = toChoice(record);
				if (value === '' || isEvaluated(value)) continue;
				const text = normalize(`${label} ${value}`);
				if (!words.every((word) => text.includes(word))) continue;
				const line = client.redactLine(label);
				// The editor stores the label, too.
				results.push({ name: isEvaluated(line) ? `"${line}"` : line, value });
			}
			if (isWhole) return { results };
			// Chosen, it is as empty as the field was.
			const more = `There are more ${list.segments.join()}: choose ${manualMode} to enter one`;
			return { results: [...results, { name: more, value: '' }] };
		} catch (error) {
			const isOfService = error instanceof NodeApiError;
			throw isOfService ? error : createInputError(this.getNode(), error as Error);
		}
	};
}

/** The records that the service lists without a link to others, or within the time. */
async function fetchAvailable(context: ILoadOptionsFunctions, list: ListDefinition, mode: string) {
	const { requestOptions } = parseRequestOptions(getEntered(context, 'requestOptions'));
	const { userId: entered } = getEntered(context, 'options');
	const isChosen = typeof entered === 'string' && entered.trim() !== '';
	const chosenUser = isChosen ? parseId(entered, userIdOption.displayName) : undefined;
	const signal = AbortSignal.timeout(MAX_SECONDS * 1000);
	const connection = await getConnection(context);
	const client = new ServiceClient({
		context,
		connection,
		limiter: new Limiter({ connection, concurrency: 1, signal }),
		maxRetries: 1,
		deadline: Date.now() + MAX_SECONDS * 1000,
		// Longer than the list can take, whose own error says what to do.
		responseTimeout: 2 * MAX_SECONDS * 1000,
		cancelled: signal,
		requestOptions,
	});
	const records: IDataObject[] = [];
	let isWhole = true;
	const fetchAll = async () => {
		const userId = chosenUser ?? (await client.getCurrentUser()).id;
		await fetchList(client, list, userId, {
			matches: (record) => records.push(record) > 0,
			acceptRest() {
				isWhole = false;
				return true;
			},
		});
	};
	await fetchAll().catch((error: Error) => {
		if (!signal.aborted) throw error;
		isWhole = false;
		if (records.length > 0) return;
		throw new UserError(`The service could not ${list.action} within ${MAX_SECONDS} seconds`, {
			description: `The list is too long or the service is too slow to choose from the list. Set the field to ${mode} and enter the value, or try again later.`,
		});
	});
	return { client, records: await client.redact(records), isWhole };
}

/** What the user entered in a collection, without expressions, which the editor can't resolve. */
function getEntered(context: ILoadOptionsFunctions, name: string): IDataObject {
	const saved = (context.getCurrentNodeParameter(name) ?? {}) as IDataObject;
	return Object.fromEntries(Object.entries(saved).filter(([, value]) => !isExpression(value)));
}

/** Whether n8n would evaluate a text that the editor stores, also after somebody switches the field to an expression. */
function isEvaluated(text: string): boolean {
	return /^\s*=|\{\{/.test(text);
}

/** Without capitals, and with accents in one form: file names from macOS have another. */
function normalize(text: string): string {
	return text.normalize('NFC').toLowerCase();
}
