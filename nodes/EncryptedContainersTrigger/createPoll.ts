import { OperationalError, type IPollFunctions } from 'n8n-workflow';

import { ServiceClient } from '../shared/client/client';
import { getConnection } from '../shared/client/connection';
import { onAbort, startTimer } from '../shared/client/delay';
import { Limiter } from '../shared/client/limiter';
import { getEvent } from './events';
import { getParameters } from './parameters';
import { createStateKey, loadState } from './pollState';

/** How long a poll takes at most where n8n sets no limit: a service that hangs must not end the polls in silence. */
const MAX_POLL = 3_600_000;

/** The part of the time that is left for the comparison. */
const MARGIN = 0.05;

export class OutOfTimeError extends OperationalError {
	constructor() {
		super('The service responded too slowly for a poll', {
			description:
				'The time that n8n gives a poll, or an hour, was over before there was anything to compare. The next poll tries again. If the error persists, contact the operator of the service, or raise N8N_SCHEDULER_POLL_TIMEOUT in n8n.',
		});
	}
}

export type Poll = Awaited<ReturnType<typeof createPoll>>;

/** @param ending aborted when the time is over, or when an error concerns all records: it ends all requests */
export async function createPoll(context: IPollFunctions, ending: AbortController) {
	const event = getEvent(context.getNodeParameter('event'));
	const parameters = getParameters(context);
	const { maxConcurrent, maxRetries, responseTimeout, userId: chosenUser } = parameters;
	const { signal } = ending;
	const time = (context as Partial<IPollFunctions>).getPollBudgetMs?.() ?? MAX_POLL;
	const deadline = Date.now() + time * (1 - MARGIN);
	const stop = startTimer(deadline - Date.now(), () => ending.abort(new OutOfTimeError()));
	onAbort(signal, stop);
	const connection = await getConnection(context);
	const limiter = new Limiter({ connection, concurrency: maxConcurrent, signal });
	const limits = { limiter, maxRetries, responseTimeout, deadline };
	const client = new ServiceClient({ context, connection, cancelled: signal, ...limits });
	const userId = chosenUser ?? (await client.getCurrentUser()).id;
	const options = event.activity === undefined && [parameters.query, event.stateKey?.(parameters)];
	const stateKey = createStateKey([event.option.value, connection.baseUrl, userId, options]);
	/** Whether a few records are enough. */
	const isSample = context.getMode() === 'manual';
	return {
		...{ event, parameters, client, userId, ending, stateKey, isSample },
		state: isSample ? undefined : loadState(context.getWorkflowStaticData('node'), stateKey),
		warn(text: string) {
			context.logger.warn(client.redactLine(`${context.getNode().name}: ${text}`));
		},
	};
}
