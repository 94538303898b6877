import type {
	IDataObject,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	INodeListSearchResult,
} from 'n8n-workflow';

import type { ListDefinition } from '../../shared/api/lists';
import { fetchList } from '../../shared/api/lists';
import { Pace } from '../../shared/client/pace';
import { parseId } from '../../shared/client/path';
import type { Session } from '../../shared/client/session';
import { createSession } from '../../shared/client/session';
import { takeBreak } from '../../shared/client/delay';
import { userIdOption } from '../../shared/descriptions/options';
import { createInputError } from '../../shared/errors/nodeErrors';
import { isExpression } from '../../shared/parameters/values';
import { parseRequestOptions } from '../parameters/requestOptions';

/** A person waits for the list, so an early error is better than a late response. */
const MAX_RETRIES = 1;
const MAX_SECONDS = 10;

/** An entry of a picker. The newest come first; those without a time keep their order behind them. */
interface Choice {
	label: string;
	value: string;
	/** Milliseconds since 1970. */
	time?: number;
}

/** What a picker lists. */
export interface Picker {
	list: ListDefinition;
	/** Converts a record to an entry of the picker; undefined omits it. */
	toChoice(record: IDataObject): Choice | undefined;
	/** The mode of the field in which the user enters the value instead. */
	manualMode: 'By ID' | 'By Email';
}

/**
 * Fetches a list for a resource locator.
 *
 * @param filter what the user typed, searched for in labels and values: each word of it, in capitals or not
 * @throws NodeApiError or NodeOperationError, also when the list is not complete in time
 */
export async function searchList(
	context: ILoadOptionsFunctions,
	picker: Picker,
	filter = '',
): Promise<INodeListSearchResult> {
	const signal = AbortSignal.timeout(MAX_SECONDS * 1000);
	const { session, requestOptions } = await open(context, signal);
	const chosenUser = getChosenUser(context);
	const client = session.createClient({
		context,
		chosenUser,
		maxRetries: MAX_RETRIES,
		deadline: Date.now() + MAX_SECONDS * 1000,
		// Longer than the list can take, whose own error says what to do.
		responseTimeout: 2 * MAX_SECONDS * 1000,
		cancelled: signal,
		requestOptions,
	});
	try {
		const userId = chosenUser ?? (await session.getCurrentUser(client));
		const records = await client.redact(
			await fetchList(client, picker.list, userId, { needs: 'id' }),
		);
		const words = normalize(filter).split(/\s/);
		const choices: Choice[] = [];
		for (const record of records) {
			await takeBreak();
			const choice = picker.toChoice(record);
			if (choice === undefined || isEvaluated(choice.value) || !matches(choice, words)) continue;
			const label = client.redactLine(choice.label);
			// The editor stores the label, too.
			choices.push({ ...choice, label: isEvaluated(label) ? `"${label}"` : label });
		}
		const getTime = ({ time = Number.MIN_SAFE_INTEGER }: Choice) => time;
		choices.sort((a, b) => getTime(b) - getTime(a));
		return { results: choices.map(({ label, value }) => ({ name: label, value })) };
	} catch (error) {
		throw signal.aborted ? tooSlowError(context, picker) : error;
	}
}

function tooSlowError(context: ILoadOptionsFunctions, { list, manualMode }: Picker): Error {
	return createInputError(context.getNode(), {
		message: `The service could not ${list.action} within ${MAX_SECONDS} seconds`,
		description: `The list is too long or the service is too slow to choose from the list. Set the field to ${manualMode} and enter the value, or try again later.`,
	});
}

async function open(
	context: ILoadOptionsFunctions,
	signal: AbortSignal,
): Promise<{ session: Session; requestOptions: Partial<IHttpRequestOptions> }> {
	try {
		const { requestOptions } = parseRequestOptions(
			withoutExpressions(context.getCurrentNodeParameter('requestOptions')),
		);
		return { session: await createSession(context, new Pace(1, signal)), requestOptions };
	} catch (error) {
		throw createInputError(context.getNode(), error as Error & { description?: string });
	}
}

/** The editor can't resolve expressions. */
function withoutExpressions(saved: unknown): IDataObject {
	const set = Object.entries((saved ?? {}) as IDataObject);
	return Object.fromEntries(set.filter(([, value]) => !isExpression(value)));
}

function matches({ label, value }: Choice, words: string[]): boolean {
	const text = normalize(`${label} ${value}`);
	return words.every((word) => text.includes(word));
}

/** Whether n8n would evaluate a text that the editor stores, also after somebody switches the field to an expression. */
function isEvaluated(text: string): boolean {
	return /^[\s\p{C}\p{Default_Ignorable_Code_Point}]*=|\{\{/u.test(text.normalize('NFKC'));
}

/** Without capitals, and with accents in one form: file names from macOS have another. */
function normalize(text: string): string {
	return text.normalize('NFC').toLowerCase();
}

/** The user in the options, unless it is an expression, which the editor can't resolve. */
function getChosenUser(context: ILoadOptionsFunctions): string | undefined {
	const options = context.getCurrentNodeParameter('options') as { userId?: unknown } | undefined;
	const userId = options?.userId;
	const isChosen = typeof userId === 'string' && userId.trim() !== '' && !isExpression(userId);
	return isChosen ? parseId(userId, userIdOption.displayName) : undefined;
}
