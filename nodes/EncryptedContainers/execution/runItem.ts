import type {
	DeclarativeRestApiSettings,
	IDataObject,
	IExecutePaginationFunctions,
	IHttpRequestOptions,
	INodeExecutionData,
} from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import { getConnection } from '../../shared/client/connection';
import { getRequestLimits } from '../../shared/parameters/limits';
import { parseInteger } from '../../shared/parameters/scalars';
import { assertNoCredentialExpressions } from './credentialExpressions';
import { handleError, reportIfEnded } from './errorItems';
import { ItemContext } from './itemContext';
import { ItemState } from './itemState';
import type { FollowUp, Operation } from './operation';
import { OperationContext } from './operation';
import type { Endpoint } from './pathParams';
import type { RunContext } from './runContext';
import { enterRun, linkToAllItems, RunStoppedError } from './runContext';

/**
 * Runs an operation for one item and returns the output items, or an error item if the node continues on errors.
 *
 * @param options the request that n8n prepared, with the user's Request Options
 * @throws NodeApiError if the node doesn't continue on errors
 */
export async function runItem<Prepared>(
	context: IExecutePaginationFunctions,
	endpoint: Endpoint,
	operation: Operation<Prepared>,
	{ options }: DeclarativeRestApiSettings.ResultOptions,
): Promise<INodeExecutionData[]> {
	const run = enterRun(context);
	const state = run.getItemState(context.getItemIndex());
	const item = new ItemContext(context, endpoint, state);
	/** The output of an earlier try, if nothing of this one can overwrite what it did. */
	const getFinished = () =>
		operation.isForAllItems || state.exclusiveKey !== undefined ? undefined : state.output;
	if (item.itemIndex === 0) void reportIfEnded(context, run);
	const finished = getFinished();
	if (finished !== undefined) return finished;
	let followUps: FollowUp[] = [];
	const output = await tryItem(item, run, async () => {
		assertNoCredentialExpressions(context, run);
		const { maxConcurrent, ...limits } = getRequestLimits(
			item.getOptions(),
			operation.responseTimeout,
		);
		const requestOptions = getUserRequestOptions(options);
		const prepared = operation.prepare(item, run);
		item.getPathParams();
		// n8n has started all items by the next tick. Only then is it known whether each of them can be sent.
		await Promise.resolve();
		await run.ready;
		if (prepared === undefined || getFinished() !== undefined) return [];
		if (isAbandoned(context, run)) return [];
		return await run.track(async () => {
			// A field of the credential can be an expression: it is resolved for each item.
			const connection = await run.inInputOrder(async () => await getConnection(context));
			const { session, tasks } = run.getSession(connection, maxConcurrent);
			const client = session.createClient(
				{
					context,
					...limits,
					cancelled: context.getExecutionCancelSignal(),
					priority: item.itemIndex,
					requestOptions,
					itemIndex: item.itemIndex,
					chosenUser: item.getPathParams().userId,
					onFailure: () => {
						if (!context.continueOnFail()) run.stop();
					},
				},
				item.sensitiveValues,
			);
			item.redactText = (text) => client.redactText(text);
			const call = new OperationContext(item, run, session, tasks, client, endpoint);
			({ followUps } = call);
			const records = await client.redact(await operation.send(call, prepared));
			state.output = toOutput(item, records);
			return records;
		});
	});
	if (item.itemIndex === 0) output.push(...run.earlierFollowUps);
	if (followUps.length === 0) return getFinished() ?? output;
	const pairedItem = linkToAllItems(context);
	const others = followUps.map(async ({ errorFields, send }) => {
		const task = new ItemContext(context, endpoint, new ItemState());
		Object.assign(task, { pairedItem, getErrorFields: () => errorFields });
		return await tryItem(task, run, async () => {
			const records = [await run.track(send)];
			run.finishedFollowUps.push(...toOutput(task, records));
			return records;
		});
	});
	return [output, ...(await Promise.all(others))].flat();
}

/** Returns the output items, or an error item if the node continues on errors. */
async function tryItem(
	item: ItemContext,
	run: RunContext,
	task: () => Promise<IDataObject[]>,
): Promise<INodeExecutionData[]> {
	try {
		return toOutput(item, await task());
	} catch (error) {
		if (error instanceof RunStoppedError) return [];
		return await handleError(item, run, error);
	}
}

function toOutput({ pairedItem }: ItemContext, records: IDataObject[]): INodeExecutionData[] {
	return records.map((json) => ({ json, pairedItem }));
}

/** Whether n8n stopped before it started all items, as when an expression fails: then no item can be sent. */
function isAbandoned(context: IExecutePaginationFunctions, run: RunContext): boolean {
	return !run.isComplete && !run.isBetweenBatches && !context.continueOnFail();
}

/**
 * What the user set under Request Options; n8n merges it with what the description declares.
 *
 * @throws UserError for an option that can't be used
 */
function getUserRequestOptions(
	options: DeclarativeRestApiSettings.HttpRequestOptions,
): Partial<IHttpRequestOptions> {
	const { timeout, proxy, skipSslCertificateValidation } = options as Partial<IHttpRequestOptions>;
	if (skipSslCertificateValidation) {
		throw new UserError('"Ignore SSL Issues (Insecure)" can\'t be turned on in the node', {
			description:
				'Whoever owns the API key decides about it: turn it on in the credential, and remove it from Request Options on the Settings tab of the node.',
		});
	}
	return {
		...(timeout === undefined ? {} : { timeout: parseInteger(timeout, 'Timeout', 1) }),
		proxy,
	};
}
