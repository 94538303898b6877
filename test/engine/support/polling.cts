import type { IDataObject, INodeParameters } from 'n8n-workflow';
import {
	defaultCredentials,
	runPoll,
	type RunPollOptions,
	type RunPollResult,
} from '../../support/engine.cts';
import type { MockedService } from '../../support/nock.cts';

type StatusResponse = { status: number; body?: unknown; headers?: Record<string, string> };

/** What the service responds with during one poll. What is left out must not be requested. */
export interface Responses {
	containers?: unknown;
	/** What GET /me shows of the user beside the rest. */
	me?: object;
	contacts?: unknown;
	/** Responses to GET drm by container. A value with a status is a response with that status. */
	rules?: Record<string, unknown>;
}

export interface Poll extends RunPollResult {
	/** The JSON of the items. Empty when the poll returned null. */
	emitted: IDataObject[];
}

/** One workflow with the trigger: consecutive polls, and the static data that n8n keeps between them. */
export class Polling {
	staticData: Record<string, unknown> = {};

	constructor(
		private readonly service: MockedService,
		public parameters: INodeParameters,
		private readonly more: Partial<RunPollOptions> = {},
	) {}

	/** Changes parameters, as the user does. */
	set(parameters: INodeParameters): void {
		this.parameters = { ...this.parameters, ...parameters };
	}

	/** Polls once with these responses. Every response must be requested. */
	async poll(responses: Responses, more: Partial<RunPollOptions> = {}): Promise<Poll> {
		this.expect(responses);
		const result = await runPoll({
			parameters: this.parameters,
			staticData: this.staticData,
			...this.more,
			...more,
		});
		this.staticData = result.staticData;
		return { ...result, emitted: (result.items?.[0] ?? []).map(({ json }) => json) };
	}

	private expect({ containers, contacts, me, rules = {} }: Responses) {
		const scope = this.service.scope();
		scope
			.get('/me')
			.matchHeader('authorization', `Bearer ${defaultCredentials.apiKey}`)
			.optionally()
			.reply(200, { id: 'user-1', email: 'ada@example.com', features: ['events'], ...me });
		const respond = (path: string, value: unknown) => {
			const { status, body, headers } = isStatusResponse(value)
				? value
				: { status: 200, body: value };
			scope.get(path).reply(status, body as never, headers);
		};
		if (containers !== undefined) respond(`/users/user-1/containers`, containers);
		if (contacts !== undefined) respond(`/users/user-1/contacts`, contacts);
		for (const [id, value] of Object.entries(rules)) {
			respond(`/containers/${encodeURIComponent(id)}/drm`, value);
		}
	}
}

/** Starts workflows with the trigger, without retries unless its options set them. */
export const pollingsOf =
	(service: MockedService) =>
	(event: string, parameters: INodeParameters = {}, more: Partial<RunPollOptions> = {}) =>
		new Polling(service, { event, options: { maxRetries: 0 }, ...parameters }, more);

function isStatusResponse(value: unknown): value is StatusResponse {
	return typeof value === 'object' && value !== null && 'status' in value;
}

/** Containers as the service lists them, named after their identifiers. */
export function containers(...ids: string[]): IDataObject[] {
	return ids.map((uuid) => ({ org_id: 'user-1', container: { uuid, name: `Name of ${uuid}` } }));
}
