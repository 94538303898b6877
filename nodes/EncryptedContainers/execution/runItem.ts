import type {
	DeclarativeRestApiSettings,
	IExecutePaginationFunctions,
	IHttpRequestOptions,
	INodeExecutionData,
} from 'n8n-workflow';

import { createSession } from '../../shared/client/session';
import { getRequestLimits } from '../../shared/parameters/limits';
import { handleError, linkToItems } from './errorItems';
import { ItemContext } from './itemContext';
import type { Operation } from './operation';
import { OperationContext } from './operation';
import type { Endpoint } from './pathParams';
import type { RunContext } from './runContext';
import { enterRun, RunStoppedError } from './runContext';

/**
 * Runs an operation for one item: every operation goes through here.
 *
 * @param options the request as n8n prepared it, with the user's Request Options
 * @returns the output items, or an error item where the node continues on errors
 * @throws NodeApiError where it does not
 */
export async function runItem<Prepared>(
	context: IExecutePaginationFunctions,
	endpoint: Endpoint,
	operation: Operation<Prepared>,
	{ options }: DeclarativeRestApiSettings.ResultOptions,
): Promise<INodeExecutionData[]> {
	const item = new ItemContext(context, endpoint);
	let run: RunContext | undefined;
	try {
		const { maxConcurrent, maxRetries } = getRequestLimits(context);
		run = enterRun(context, maxConcurrent);
		const prepared = operation.prepare(item);
		item.parsePathParams();
		// n8n has handed over all items by the next tick. Only then is it known whether each of them can be sent.
		await Promise.resolve();
		if (prepared === undefined || run.isStopped || isAbandoned(context, run)) return [];
		const shared = run;
		const records = await shared.track(async () => {
			const session = await shared.memoize(
				'session',
				async () => await createSession(context, shared.limiter),
			);
			const client = session.createClient(
				{
					context,
					maxRetries,
					priority: item.itemIndex,
					requestOptions: getUserRequestOptions(options),
					itemIndex: item.itemIndex,
					onFailure: () => {
						if (!context.continueOnFail()) shared.stop();
					},
				},
				item.sensitiveValues,
			);
			const call = new OperationContext(item, shared, session, client, endpoint);
			return await operation.send(call, prepared);
		});
		return records.map((json) => ({ json, pairedItem: linkToItems(item) }));
	} catch (error) {
		if (error instanceof RunStoppedError) return [];
		return await handleError(item, run, error);
	}
}

/**
 * Whether n8n stopped at an item before handing over the rest, as it does when an expression fails: what it handed over
 * before must not be sent then. With Batching the rest may still come.
 */
function isAbandoned(context: IExecutePaginationFunctions, run: RunContext): boolean {
	if (run.isComplete || context.continueOnFail()) return false;
	const { batching } = context.getNodeParameter('requestOptions', {}) as { batching?: unknown };
	return batching === undefined;
}

/** What the user set under Request Options; n8n puts it beside what the description declares. */
function getUserRequestOptions(
	options: DeclarativeRestApiSettings.HttpRequestOptions,
): Partial<IHttpRequestOptions> {
	const { timeout, proxy, skipSslCertificateValidation } = options as Partial<IHttpRequestOptions>;
	const entries = Object.entries({ timeout, proxy, skipSslCertificateValidation });
	return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}
