import { OperationalError, type IDataObject, type IPollFunctions } from 'n8n-workflow';

import { Client } from '../shared/client/client';
import { getConnection } from '../shared/client/connection';
import { delay } from '../shared/client/delay';
import { Limiter } from '../shared/client/limiter';
import { Calendar } from '../shared/parameters/calendar';
import { SET_FOR_PAGES } from '../shared/parameters/requests';
import { parseChoice } from '../shared/parameters/values';
import { hash } from '../shared/responses/shapes';
import { eventOptions, events } from './events';
import { parseTriggerParameters, type TriggerParameters } from './parameters';

/** Milliseconds, where n8n sets no limit (before 2.40): a poll that hangs must not end the others. */
const MAX_POLL = 3_600_000;

/** What is left of the time is for the comparison. */
const TIME_TO_READ = 0.95;

/** Query parameters of the list of events. */
const SET_FOR_ACTIVITY = [...SET_FOR_PAGES, 'after', 'limit', 'order'];

export type Poll = Awaited<ReturnType<typeof createPoll>>;

/**
 * What n8n stores for the trigger: when it activates it and when it emits; with n8n's durable scheduler after each poll.
 * After a restart, only a record that was created since and changed or deleted while n8n was not running is missed.
 */
export interface PollState {
	/** What the last poll saw: contents by key. */
	known: Record<string, string>;
	/** Where the next poll continues: the ID of the last event, or the key of the first container that was not read. */
	position?: string;
	/** What it was saved for. */
	key?: string;
}

export interface PollResult {
	items: IDataObject[];
	state: PollState;
	/** What a person has to know, although the poll succeeded. */
	problem?: OperationalError;
}

/**
 * @param ending aborted when the time is over, or when an error concerns all records: it ends all requests
 * @param maxTime milliseconds, unless n8n gives it less
 */
export async function createPoll(
	context: IPollFunctions,
	ending: AbortController,
	maxTime = MAX_POLL,
) {
	const eventName = parseChoice(context.getNodeParameter('event'), 'Event', eventOptions);
	const event = events[eventName];
	const setByNode = 'activity' in event ? SET_FOR_ACTIVITY : SET_FOR_PAGES;
	const parameters = parseTriggerParameters(context, setByNode);
	const client = await connectPoll(context, parameters, ending, maxTime);
	const userId = parameters.userId ?? (await client.getCurrentUser()).id;
	const { query, nameContains, fieldsToIgnore } = parameters;
	const compared = 'list' in event && { query, nameContains, fieldsToIgnore };
	const countsDays = 'list' in event && event.countsDays === true;
	const { timeZone } = countsDays ? await client.getCurrentUser() : {};
	const { today } = new Calendar(context.getTimezone(), timeZone);
	const { baseUrl } = client.connection;
	const stateKey = hash(JSON.stringify([eventName, baseUrl, userId, compared]));
	const isSample = context.getMode() === 'manual';
	const { saved } = context.getWorkflowStaticData('node') as { saved?: PollState };
	return {
		event,
		parameters: { ...parameters, today },
		client,
		userId,
		ending,
		stateKey,
		isSample,
		state: saved?.key === stateKey && !isSample ? saved : undefined,
		warn(text: string) {
			context.logger.warn(client.redactor.redactLine(`${context.getNode().name}: ${text}`));
		},
	};
}

/** Its requests end with the time that n8n gives a poll. */
async function connectPoll(
	context: IPollFunctions,
	parameters: TriggerParameters,
	ending: AbortController,
	maxTime: number,
): Promise<Client> {
	const { maxConcurrent, maxRetries, responseTimeout } = parameters;
	const { signal } = ending;
	const budget = (context as Partial<IPollFunctions>).getPollBudgetMs?.() ?? maxTime;
	const left = Math.min(budget, maxTime) * TIME_TO_READ;
	const tooSlow = new OperationalError('The service responded too slowly for a poll', {
		description:
			'The time that n8n gives a poll was over before there was anything to compare. The next poll tries again. If the error persists, contact the operator of the service, or raise N8N_SCHEDULER_POLL_TIMEOUT in n8n.',
	});
	// Nothing happens where it was aborted before.
	const end = () => ending.abort(tooSlow);
	void delay(left, signal).then(end, end);
	const connection = await getConnection(context);
	return new Client({
		context,
		connection,
		canceled: signal,
		limiter: new Limiter(connection.key, maxConcurrent, signal),
		maxRetries,
		responseTimeout,
		deadline: Date.now() + left,
	});
}
