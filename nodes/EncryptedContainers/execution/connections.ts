import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { CREDENTIAL, getConnection } from '../../shared/client/connection';
import { Pace } from '../../shared/client/pace';
import { ITEM_MEMORY, ResponseMemory } from '../../shared/client/responseMemory';
import { Session } from '../../shared/client/session';
import { takeBreak } from '../../shared/client/delay';
import { estimateMemory } from '../../shared/responses/memory';
import type { Item } from './item';
import type { RunServices } from './operation';
import { Call } from './operation';
import type { Endpoint } from './pathParams';

/** A shorter pause nobody notices, in milliseconds. */
const MIN_HELD_BACK = 1000;

/** The credentials of an execution: a field of one can be an expression, so each item can have another. */
export class Connections {
	private readonly sessions = new Map<string, Session>();

	private readonly calls = new WeakMap<Item, Promise<Call>>();

	private last?: { credential: ICredentialDataDecryptedObject; session: Session };

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
		return [
			...(heldBack < MIN_HELD_BACK
				? []
				: [`The service's rate limit held the node back for ${seconds} s.`]),
			...(retries === 0 ? [] : [`Requests sent again after an outage: ${retries}.`]),
		];
	}

	/** @throws UserError for a credential that can't be used */
	async connect(item: Item): Promise<Call> {
		const known = this.calls.get(item);
		if (known !== undefined) return await known;
		// One at a time: each credential is a query to n8n's database.
		const call = this.loading.then(async () => await this.createCall(item));
		this.loading = call.catch(() => undefined);
		this.calls.set(item, call);
		return await call;
	}

	private async getSession(
		credential: ICredentialDataDecryptedObject,
		maxConcurrent: number,
	): Promise<Session> {
		const connection = await getConnection({
			getCredentials: async () => await Promise.resolve(credential),
		});
		const key = JSON.stringify(connection);
		const session =
			this.sessions.get(key) ?? new Session(connection, new Pace(maxConcurrent, this.run.signal));
		this.sessions.set(key, session);
		return session;
	}

	private async createCall(item: Item): Promise<Call> {
		const { host } = item;
		this.run.signal.throwIfAborted();
		const { maxConcurrent, maxRetries, responseTimeout, requestOptions } = item.settings;
		const credential = await host.getCredentials(CREDENTIAL, item.index);
		const session =
			this.last?.credential === credential
				? this.last.session
				: await this.getSession(credential, maxConcurrent);
		this.last = { credential, session };
		const client = session.createClient(
			{
				context: host.context,
				maxRetries,
				responseTimeout,
				requestOptions,
				cancelled: host.context.getExecutionCancelSignal(),
				itemIndex: item.index,
				chosenUser: item.getPathParams().userId,
				memory: new ResponseMemory(this.run.memory.kept, ITEM_MEMORY),
			},
			item.sensitiveValues,
		);
		item.redactText = (text) => client.redactText(text);
		item.settle = async (output) => {
			let bytes = 0;
			for (const { json } of output) {
				bytes += estimateMemory(json);
				await takeBreak();
			}
			client.memory.settle(bytes);
		};
		return new Call(item, this.run, session, client, this.endpoint);
	}
}
