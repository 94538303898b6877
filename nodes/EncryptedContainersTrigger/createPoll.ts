import { OperationalError, type IPollFunctions } from 'n8n-workflow';

import { Client } from '../shared/client/client';
import { getConnection } from '../shared/client/connection';
import { delay } from '../shared/client/delay';
import { Limiter } from '../shared/client/limiter';
import { hasStatus } from '../shared/errors/errors';
import { parseChoice } from '../shared/parameters/values';
import { eventOptions, events, hash } from './events';
import { getParameters } from './parameters';

/** Milliseconds, where n8n sets no limit (before 2.40): a poll that hangs must not end the others. */
const MAX_POLL = 3_600_000;

/** What is left of the time is for the comparison. */
const TIME_TO_READ = 0.95;

export type Poll = Awaited<ReturnType<typeof createPoll>>;

/**
 * What n8n stores for the trigger: when it activates it and when it emits; with n8n's durable scheduler after each poll.
 * After a restart, only a record that was created since and changed or deleted while n8n was not running is missed.
 */
export interface PollState {
	/** What the last poll saw: contents by key. */
	known: Record<string, string>;
	/** Where the next poll continues: the ID of the last event, or the key of the last container whose rules were read. */
	readUntil?: string;
}

/** @param ending aborted when the time is over, or when an error concerns all records: it ends all requests */
export async function createPoll(context: IPollFunctions, ending: AbortController) {
	const eventName = parseChoice(context.getNodeParameter('event'), 'Event', eventOptions);
	const event = events[eventName];
	const parameters = getParameters(context);
	const { maxConcurrent, maxRetries, responseTimeout, userId: chosenUser } = parameters;
	const { signal } = ending;
	const budget = (context as Partial<IPollFunctions>).getPollBudgetMs?.() ?? MAX_POLL;
	const left = budget * TIME_TO_READ;
	void delay(left, signal).then(
		() => ending.abort(createTimeError()),
		() => undefined,
	);
	const connection = await getConnection(context);
	const limiter = new Limiter(connection.key, maxConcurrent, signal);
	const limits = { limiter, maxRetries, responseTimeout, deadline: Date.now() + left };
	const onFailure = (error: Error) => {
		// All other requests would fail as well.
		if (hasStatus(error, 401) || hasStatus(error, 429)) ending.abort(error);
	};
	const client = new Client({ context, connection, cancelled: signal, onFailure, ...limits });
	const userId = chosenUser ?? (await client.getCurrentUser()).id;
	const { query, nameContains, fieldsToIgnore } = parameters;
	const compared = event.activity === undefined && { query, nameContains, fieldsToIgnore };
	const stateKey = hash(JSON.stringify([eventName, connection.baseUrl, userId, compared]));
	const isSample = context.getMode() === 'manual';
	const { saved } = context.getWorkflowStaticData('node') as {
		saved?: PollState & { key: string };
	};
	return {
		...{ event, parameters, client, userId, ending, stateKey, isSample },
		state: saved?.key === stateKey && !isSample ? saved : undefined,
		warn(text: string) {
			context.logger.warn(client.redactLine(`${context.getNode().name}: ${text}`));
		},
	};
}

function createTimeError(): OperationalError {
	return new OperationalError('The service responded too slowly for a poll', {
		description:
			'The time that n8n gives a poll was over before there was anything to compare. The next poll tries again. If the error persists, contact the operator of the service, or raise N8N_SCHEDULER_POLL_TIMEOUT in n8n.',
	});
}
