import type { ServiceClient } from '../../shared/client/client';
import { getConnection } from '../../shared/client/connection';
import { Pace } from '../../shared/client/pace';
import { Session } from '../../shared/client/session';
import type { Item } from './item';
import { Call, type RunServices } from './operation';

/** A shorter pause nobody notices, in milliseconds. */
const MIN_HELD_BACK = 1000;

/** The credentials of an execution: a field of one can be an expression, so each item can have another. */
export class Connections {
	private readonly sessions = new Map<string, Session>();

	constructor(private readonly run: RunServices) {}

	/** What a person might want to know of the waiting. */
	listHints(): string[] {
		const paces = [...this.sessions.values()].map(({ pace }) => pace);
		const heldBack = Math.max(0, ...paces.map((pace) => pace.heldBack));
		const retries = paces.reduce((sum, pace) => sum + pace.retries, 0);
		const seconds = Math.round(heldBack / 1000);
		return [
			heldBack >= MIN_HELD_BACK && `The service's rate limit held the node back for ${seconds} s.`,
			retries > 0 && `Requests sent again after an outage: ${retries}.`,
		].filter((hint) => hint !== false);
	}

	async connect(item: Item): Promise<Call> {
		const session = await this.getSession(item);
		item.client ??= this.createClient(item, session);
		return new Call(item, this.run, session, item.client);
	}

	/** @throws UserError for a credential that can't be used */
	async getSession(item: Item): Promise<Session> {
		if (item.session !== undefined) return item.session;
		const { host, index, settings } = item;
		// Of an expression in the credential that fails, n8n doesn't say where it is.
		const advise = (error: Error & { description?: string | null }) => {
			const texts = [error.description, 'Check the credential, and the expressions in it.'];
			throw Object.assign(error, { description: texts.filter(Boolean).join(' ') });
		};
		const getCredentials = async () => await host.getCredential(index).catch(advise);
		const connection = await getConnection({ getCredentials });
		const key = JSON.stringify(connection);
		const createPace = () => new Pace(settings.maxConcurrent, this.run.signal);
		item.session = this.sessions.get(key) ?? new Session(connection, createPace());
		this.sessions.set(key, item.session);
		return item.session;
	}

	private createClient(item: Item, session: Session): ServiceClient {
		const { context } = item.host;
		const settings = {
			...item.settings,
			context,
			cancelled: context.getExecutionCancelSignal(),
			itemIndex: item.index,
			chosenUser: item.getPathParams().userId,
		};
		return session.createClient(settings, item.sensitiveValues);
	}
}
