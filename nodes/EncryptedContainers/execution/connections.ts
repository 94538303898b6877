import type { IDataObject } from 'n8n-workflow';

import { getConnection } from '../../shared/client/connection';
import { takeBreak } from '../../shared/client/delay';
import { Pace } from '../../shared/client/pace';
import { Session } from '../../shared/client/session';
import { ITEM_MEMORY, ResponseMemory } from '../../shared/responses/memory';
import type { Item } from './item';
import type { RunServices } from './operation';
import { Call } from './operation';
import type { Endpoint } from './pathParams';

/** A shorter pause nobody notices, in milliseconds. */
const MIN_HELD_BACK = 1000;

/** The credentials of an execution: a field of one can be an expression, so each item can have another. */
export class Connections {
	private readonly sessions = new Map<string, Session>();

	private readonly calls = new Map<Item, Promise<Call>>();

	/** Of the item before. */
	private last?: Session;

	private loading: Promise<unknown> = Promise.resolve();

	constructor(
		private readonly run: RunServices,
		private readonly endpoint: Endpoint,
	) {}

	/** What a person might want to know of the waiting. */
	listHints(): string[] {
		const paces = [...this.sessions.values()].map(({ pace }) => pace);
		const heldBack = Math.max(0, ...paces.map((pace) => pace.heldBack));
		const retries = paces.reduce((sum, pace) => sum + pace.retries, 0);
		const seconds = Math.round(heldBack / 1000);
		const hints: string[] = [];
		if (heldBack >= MIN_HELD_BACK) {
			hints.push(`The service's rate limit held the node back for ${seconds} s.`);
		}
		if (retries > 0) hints.push(`Requests sent again after an outage: ${retries}.`);
		return hints;
	}

	/** @throws UserError for a credential that can't be used */
	async connect(item: Item): Promise<Call> {
		const call = this.calls.get(item) ?? this.createCall(item);
		this.calls.set(item, call);
		return await call;
	}

	/** Of an item that is done, only its output takes memory. @throws OperationalError for more than n8n can save */
	async settle(item: Item, output: IDataObject[]): Promise<void> {
		const call = await this.calls.get(item)?.catch(() => undefined);
		const isRead = this.endpoint.method === 'GET';
		await call?.client.memory.settle(output, isRead, takeBreak);
	}

	/** Nothing else is done for the item. */
	forget(item: Item): void {
		this.calls.delete(item);
		item.redactText = undefined;
	}

	private async createCall(item: Item): Promise<Call> {
		// One at a time: each credential is a query to n8n's database.
		const loading = this.loading.then(async () => await this.getSession(item));
		this.loading = loading.catch(() => undefined);
		const session = await loading;
		const { maxRetries, responseTimeout, requestOptions } = item.settings;
		const { context } = item.host;
		const client = session.createClient(
			{
				context,
				maxRetries,
				responseTimeout,
				requestOptions,
				cancelled: context.getExecutionCancelSignal(),
				itemIndex: item.index,
				chosenUser: item.getPathParams().userId,
				memory: new ResponseMemory(this.run.memory.kept, ITEM_MEMORY),
			},
			item.sensitiveValues,
		);
		item.redactText = (text) => client.redactText(text);
		return new Call(item, this.run, session, client, this.endpoint);
	}

	private async getSession({ host, index, settings }: Item): Promise<Session> {
		this.run.signal.throwIfAborted();
		if (this.last !== undefined && (await host.hasFixedCredential())) return this.last;
		const getCredentials = async (type: string) => await host.getCredentials(type, index);
		const connection = await getConnection({ getCredentials });
		const key = JSON.stringify(connection);
		const pace = new Pace(settings.maxConcurrent, this.run.signal);
		this.last = this.sessions.get(key) ?? new Session(connection, pace);
		this.sessions.set(key, this.last);
		return this.last;
	}
}
