import type { IDataObject } from 'n8n-workflow';

import type { ServiceClient } from '../../shared/client/client';
import { buildPath } from '../../shared/client/path';
import type { Session } from '../../shared/client/session';
import type { ItemContext } from './itemContext';
import type { Endpoint } from './pathParams';
import { runAlone } from './processQueue';
import type { RunContext } from './runContext';
import type { Tasks } from './tasks';

/** What an operation does with an item. */
export interface Operation<Prepared> {
	/** Seconds that a whole response can take, where it is another number than usual. */
	responseTimeout?: number;

	/** Whether each item needs all others: Retry On Fail then runs the finished ones too, so they must bear it. */
	isForAllItems?: boolean;

	/**
	 * Parses the parameters of one item, before any request; undefined when there is nothing to send for the item.
	 * An operation on all items together collects them by `run`.
	 *
	 * @throws UserError for input that can't be sent
	 */
	prepare(item: ItemContext, run: RunContext): Prepared | undefined;

	/** Sends the requests and returns the JSON of the output items. */
	send(operation: OperationContext, prepared: Prepared): Promise<IDataObject[]>;
}

/** A task that belongs to all input items: it has an output item, or an error item, of its own. */
export interface FollowUp {
	/** The fields that identify its error item. */
	errorFields: IDataObject;
	send(): Promise<IDataObject>;
}

/** What an operation sends its requests with. */
export class OperationContext {
	/** Tasks that run after the item's own, whether or not that one fails. */
	readonly followUps: FollowUp[] = [];

	constructor(
		readonly item: ItemContext,
		readonly run: RunContext,
		readonly session: Session,
		readonly tasks: Tasks,
		readonly client: ServiceClient,
		readonly endpoint: Endpoint,
	) {}

	/**
	 * Runs what the items change one after the other, in their order.
	 *
	 * @param key what it is, such as a container
	 * @param isRepeatable whether the task runs again after an earlier item that a later try of the node finished, so that
	 *   the last item still counts
	 */
	async runInOrder(
		key: string,
		task: () => Promise<IDataObject>,
		isRepeatable = true,
	): Promise<IDataObject[]> {
		return await this.tasks.runExclusive(key, async () => {
			const { state } = this.item;
			const isOverwritten = isRepeatable && this.run.exclusiveKeys.has(key);
			if (state.output !== undefined && !isOverwritten) return state.output.map(({ json }) => json);
			this.run.exclusiveKeys.add(key);
			state.exclusiveKey = key;
			return [await task()];
		});
	}

	/**
	 * Runs what reads and then writes the same thing alone, in all executions of this n8n process.
	 *
	 * @param subject what the key stands for, for the error of an item that waits too long
	 */
	async runAlone<T>(key: string, subject: string, task: () => Promise<T>): Promise<T> {
		const { connection, limiter } = this.session;
		return await runAlone(`${connection.baseUrl} ${key}`, subject, limiter, task);
	}

	/** The user that the item acts for. */
	async getUserId(): Promise<string> {
		const { userId } = this.item.getPathParams();
		return userId ?? (await this.session.getCurrentUser(this.client));
	}

	/** What a list of the item's user is known by in this n8n process. */
	async getListKey(segment: string): Promise<string> {
		return `${this.session.connection.baseUrl} ${segment} of ${await this.getUserId()}`;
	}

	/** The encoded path of the operation's endpoint for this item. */
	async getPath(): Promise<string> {
		const segments: string[] = [];
		for (const segment of this.endpoint.path) {
			if (typeof segment === 'string') segments.push(segment);
			else if (segment.key === 'userId') segments.push(await this.getUserId());
			else segments.push(this.item.getPathParams()[segment.key]);
		}
		return buildPath(segments);
	}
}
