import type {
	DeclarativeRestApiSettings,
	IDataObject,
	IExecutePaginationFunctions,
	IHttpRequestMethods,
	IHttpRequestOptions,
	INode,
	INodeExecutionData,
	INodePropertyRouting,
} from 'n8n-workflow';

import { Redactor } from '../../shared/responses/redact';
import { getRequestLimits } from '../../shared/parameters/limits';
import { enteredIdentity } from './pathParams';
import { ServiceClient } from '../../shared/client/client';
import type { Connection } from '../../shared/client/connect';
import { readConnection } from '../../shared/client/connect';
import { CANCELED } from '../../shared/errors/messages';
import type { NodeError } from '../../shared/errors/nodeErrors';
import {
	createApiError,
	toNodeApiError,
	withItemIndex,
	createInputError,
} from '../../shared/errors/nodeErrors';
import type { Run } from './runContext';
import { enterRun, RunStopped } from './runContext';

/** One end point of service-api.md: its method, and its path with placeholders named after the parameters. */
export interface Route {
	method: IHttpRequestMethods;
	url: string;
}

/** An operation: what it reads from an item, and what it then sends. */
export interface Operation<Prepared> {
	/**
	 * Reads and checks the parameters of one item. Every item of a run is prepared before anything is sent.
	 *
	 * @throws UserError for input that cannot be sent
	 */
	prepare(context: IExecutePaginationFunctions, route: Route): Prepared;

	/** Sends what was prepared and answers the JSON of the output items. */
	send(call: Call, prepared: Prepared): Promise<IDataObject[]>;

	/** What tells an item apart when it fails, where that is not in its route; `prepared` is missing for refused input. */
	identify?(context: IExecutePaginationFunctions, prepared: Prepared | undefined): IDataObject;

	/** Secrets among the parameters, kept out of whatever leaves the node. */
	secretsOf?(prepared: Prepared): Array<string | undefined>;

	/** The input items that an output item comes from, where that is not just its own. */
	sourcesOf?(context: IExecutePaginationFunctions): number[];

	/** Whether this item has nothing of its own to send because another one sends for all. */
	isCarriedByAnother?(prepared: Prepared, itemIndex: number): boolean;
}

/** What an operation works with while it sends. */
export interface Call {
	context: IExecutePaginationFunctions;
	itemIndex: number;
	run: Run;
	route: Route;
	client: ServiceClient;
	connection: Connection;
}

/**
 * Declares an operation: its request, and the one way in which every operation is run.
 *
 * The function stands in the place of n8n's pagination, the one hook around a declarative request: there it can bound
 * requests in flight, try again, link items and turn what went wrong into items (engine behaviour: RoutingNode).
 *
 * @param route the end point
 * @param operation what to read and send
 * @returns the routing of the operation's option
 */
export function routing<Prepared>(
	route: Route,
	operation: Operation<Prepared>,
): INodePropertyRouting {
	return {
		request: { ...route },
		send: { paginate: true },
		operations: {
			async pagination(
				this: IExecutePaginationFunctions,
				requestData: DeclarativeRestApiSettings.ResultOptions,
			): Promise<INodeExecutionData[]> {
				return await runItem(this, operation, requestData);
			},
		},
	};
}

async function runItem<Prepared>(
	context: IExecutePaginationFunctions,
	operation: Operation<Prepared>,
	requestData: DeclarativeRestApiSettings.ResultOptions,
): Promise<INodeExecutionData[]> {
	const itemIndex = context.getItemIndex();
	const { options } = requestData;
	const route: Route = { method: options.method ?? 'GET', url: options.url ?? '' };
	let run: Run | undefined;
	let prepared: Prepared | undefined;
	try {
		const limits = getRequestLimits(context);
		run = enterRun(context, limits.maxConcurrent);
		prepared = operation.prepare(context, route);
		// n8n has handed over all items by the next tick. Only then is it known whether every one of them can be sent.
		await Promise.resolve();
		if (run.isStopped || wasGivenUp(context, run)) return [];
		if (operation.isCarriedByAnother?.(prepared, itemIndex)) return [];
		const ready = prepared;
		const shared = run;
		const records = await run.track(async () => {
			const { connection, secrets } = await shared.once('connection', async () => {
				const read = await readConnection(context);
				return { connection: read, secrets: new Redactor([read.apiKey]) };
			});
			const client = new ServiceClient({
				context,
				connection,
				secrets: secrets.extend(operation.secretsOf?.(ready)),
				limiter: shared.limiter,
				turn: itemIndex,
				maxRetries: limits.maxRetries,
				requestOptions: userRequestOptions(options),
				itemIndex,
				onFailure: () => {
					if (!context.continueOnFail()) shared.stop();
				},
			});
			const call: Call = { context, itemIndex, run: shared, route, client, connection };
			return await operation.send(call, ready);
		});
		const pairedItem = pairing(operation.sourcesOf?.(context) ?? [itemIndex]);
		return records.map((json) => ({ json, pairedItem }));
	} catch (error) {
		if (error instanceof RunStopped) return [];
		return await conclude(
			context,
			operation,
			route,
			run,
			prepared,
			toNodeError(context.getNode(), error, itemIndex),
		);
	}
}

/** In Continue modes a failed item becomes an error item; otherwise it stops the run and ends last. */
async function conclude<Prepared>(
	context: IExecutePaginationFunctions,
	operation: Operation<Prepared>,
	route: Route,
	run: Run | undefined,
	prepared: Prepared | undefined,
	error: NodeError,
): Promise<INodeExecutionData[]> {
	const itemIndex = context.getItemIndex();
	if (context.getExecutionCancelSignal()?.aborted) {
		throw createApiError(context.getNode(), {
			...CANCELED,
			itemIndex,
		});
	}
	if (context.continueOnFail()) {
		const identity = operation.identify?.(context, prepared) ?? enteredIdentity(context, route);
		const item: INodeExecutionData = {
			json: {
				...identity,
				error: error.message,
				...(error.description ? { errorDescription: error.description } : {}),
				...('httpCode' in error && error.httpCode ? { httpCode: error.httpCode } : {}),
			},
			pairedItem: pairing(operation.sourcesOf?.(context) ?? [itemIndex]),
		};
		return [context.getNode().onError === 'continueErrorOutput' ? withError(item, error) : item];
	}
	if (run !== undefined) {
		run.stop();
		await run.settled();
		tellWhatWasMade(error, run);
	}
	throw toNodeApiError(error);
}

/**
 * Marks an item for the error output. A plain property `error` would cost the item its json: n8n puts the message alone
 * in its place, so that nobody could tell which input it was. One that is not enumerable is found all the same when
 * n8n parts the items by output, and does not get any further (engine: handleNodeErrorOutput, then normalizeNodeErrors).
 */
function withError(item: INodeExecutionData, error: NodeError): INodeExecutionData {
	return Object.defineProperty(item, 'error', { value: error, enumerable: false });
}

/** Names what exists at the service already, since a run that stops hands on no items. */
function tellWhatWasMade(error: NodeError, run: Run): void {
	if (run.made.length === 0) return;
	const named = run.made.slice(0, 20).join(', ');
	const more = run.made.length > 20 ? ` and ${run.made.length - 20} more` : '';
	error.description =
		`${error.description ?? ''} Made before the run stopped: ${named}${more}. To keep the items that succeed, set "On Error" to Continue in the node's settings.`.trim();
}

/**
 * Whether n8n stopped at an item before handing over the rest, as it does when an expression fails: what it already
 * handed over must not be sent then. With Batching the rest may still come.
 */
function wasGivenUp(context: IExecutePaginationFunctions, run: Run): boolean {
	if (run.complete || context.continueOnFail()) return false;
	const { batching } = context.getNodeParameter('requestOptions', {}) as { batching?: unknown };
	return batching === undefined;
}

/** What the user set under Request Options (timeout, proxy, certificates); n8n puts it beside what is declared. */
function userRequestOptions(
	options: DeclarativeRestApiSettings.HttpRequestOptions,
): Partial<IHttpRequestOptions> {
	const { timeout, proxy, skipSslCertificateValidation } = options as Partial<IHttpRequestOptions>;
	const set = { timeout, proxy, skipSslCertificateValidation };
	return Object.fromEntries(Object.entries(set).filter(([, value]) => value !== undefined));
}

function pairing(items: number[]): INodeExecutionData['pairedItem'] {
	return items.length === 1 ? { item: items[0] } : items.map((item) => ({ item }));
}

function toNodeError(node: INode, error: unknown, itemIndex: number): NodeError {
	if (error instanceof Error && 'node' in error && 'context' in error) {
		return withItemIndex(error as NodeError, itemIndex);
	}
	const { message, description } = error as Error & { description?: string };
	return createInputError(node, { message, description, itemIndex });
}
