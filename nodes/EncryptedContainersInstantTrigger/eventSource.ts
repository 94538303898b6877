import { UserError, type IDataObject, type ITriggerFunctions } from 'n8n-workflow';

import { matchesName } from '../shared/api/records';
import { fetchEvents, fetchNewestEventId } from '../shared/api/serviceEvents';
import { Client, type ClientSettings } from '../shared/client/client';
import type { Connection } from '../shared/client/connection';
import { delay } from '../shared/client/delay';
import { Limiter } from '../shared/client/limiter';
import type { QueryParameters } from '../shared/parameters/requests';
import type { InstantParameters } from './instantFields';

/** How long the service keeps a request that finds no event. Proxies end one after 30 or 60 seconds. */
const WAIT_MS = 25_000;

/** How long reading takes at least where it waits and finds no event. */
const MIN_WAIT_MS = 1000;

/** Of one reading, and so of one execution. */
const MAX_EVENTS = 1000;

/** Where reading begins: behind an event, or at a moment (ISO 8601) by the clock of this machine. */
export interface Place {
	position?: string;
	since?: string;
}

interface Limits {
	canceled: AbortSignal;
	/** Milliseconds that a response can take beside the time that the service waits. */
	responseTimeout: number;
}

/** The events of one user, as the service has them. */
export class EventSource {
	/** Stands for the credential as it was, in memory only. */
	readonly credential: string;
	private readonly settings: ClientSettings;
	private client: Client;
	private userId = '';

	constructor(
		context: ITriggerFunctions,
		connection: Connection,
		private readonly parameters: InstantParameters,
		{ canceled, responseTimeout }: Limits,
	) {
		this.credential = JSON.stringify(connection);
		this.settings = {
			context,
			connection,
			canceled,
			limiter: new Limiter(connection.key, parameters.maxConcurrent, canceled),
			// The trigger itself tries again, as long as it is active.
			maxRetries: 0,
			responseTimeout: responseTimeout + WAIT_MS,
		};
		this.client = new Client(this.settings);
	}

	/** Has to come first. @returns the ID of the user @throws UserError where the service can't wait for events */
	async connect(): Promise<string> {
		// A client asks for its user once, also where that fails.
		this.client = new Client(this.settings);
		const { id, features } = await this.client.getCurrentUser();
		this.userId = this.parameters.userId ?? id;
		if (features.includes('events_wait')) return this.userId;
		throw new UserError("The service can't start workflows at once", {
			description:
				'Use the node "Encrypted Containers Trigger" instead: it asks the service every few minutes. The instant trigger needs a service whose response to GET /me has "events_wait" in "features".',
		});
	}

	/** Where only what happens from now on is behind. */
	async findEnd(): Promise<Place> {
		return { position: (await fetchNewestEventId(this.client, this.userId)) ?? '0' };
	}

	/** The next events behind a place, oldest first; none where none came in time. @param waits whether it waits for one */
	async read(place: Place, { waits }: { waits: boolean }): Promise<IDataObject[]> {
		const askedAt = Date.now();
		const query: QueryParameters = [this.toQuery(place)];
		if (waits) query.push(['wait', String(WAIT_MS / 1000)]);
		const found = await fetchEvents(this.client, this.userId, { query, limit: MAX_EVENTS });
		await this.client.redactor.redactJson(found);
		// A service that stops responds at once.
		if (waits && found.length === 0) {
			await delay(askedAt + MIN_WAIT_MS - Date.now(), this.settings.limiter.signal);
		}
		return found;
	}

	/** Those that the trigger is for. */
	select(found: IDataObject[]): IDataObject[] {
		const { actions, nameContains } = this.parameters;
		return found.filter(({ action, container_name: name }) => {
			return actions.includes(String(action)) && matchesName(String(name ?? ''), nameContains);
		});
	}

	private toQuery({ position, since = '' }: Place): QueryParameters[number] {
		if (position !== undefined) return ['after', position];
		const moment = new Date(new Date(since).getTime() + this.client.clockOffset);
		return ['created_after', moment.toISOString()];
	}
}
