import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { MockedService } from '../../support/nock.cts';
import { containers, dayFromNow, Polling, type Responses, type Poll } from './polling.cts';

export const TOMORROW = dayFromNow(1, 'UTC');

export const LATER = dayFromNow(40, 'UTC');

export interface Scenario {
	event: string;
	scenario: string;
	parameters?: INodeParameters;
	/** The responses of each poll. A function runs between two polls. */
	polls: Array<Responses | ((polling: Polling) => void)>;
	/** What each poll emits: identifiers or email addresses. */
	expected: string[][];
	/** Polls that fail. They emit nothing and must not change the state. */
	fails?: number[];
}

const listContainers = (...names: string[]) => ({ containers: containers(...names) });

export const listContacts = (...contacts: Array<[email: string, name: string]>): Responses => ({
	contacts: contacts.map(([email, first_name]) => ({ email, first_name })),
});

/** The list, and what is missing from it and was deleted. */
export const without = (list: Responses, ...deleted: string[]): Responses => ({ ...list, deleted });

/** The list, and what is missing from it although it exists. */
export const hiding = (list: Responses, ...existing: string[]): Responses => ({
	...list,
	existing,
});

export const listRules = (rules: Record<string, unknown>): Responses => ({
	containers: containers(...Object.keys(rules)),
	rules,
});

export const listEnds = (ends: Record<string, string>): Responses =>
	listRules(
		Object.fromEntries(
			Object.entries(ends).map(([id, end]) => [id, { dynamic: true, time: { end } }]),
		),
	);

export const includeExisting = { options: { includeExisting: true, maxRetries: 0 } };

export const setParameters = (parameters: INodeParameters) => (polling: Polling) =>
	polling.set(parameters);

/** The same history for every event about new records. */
export const creationEvents: Array<[event: string, make: (...names: string[]) => Responses]> = [
	['containerCreated', listContainers],
	[
		'contactCreated',
		(...names) => listContacts(...names.map((name): [string, string] => [name, 'X'])),
	],
];

export function fail(responses: Responses): Responses {
	return responses.containers === undefined
		? { contacts: { status: 500, body: { message: 'Out of order' } } }
		: { containers: { status: 500, body: { message: 'Out of order' } } };
}

const DOMAIN = '@example.com';

const toAddress = (name: string) => `${name}${DOMAIN}`;

/** Scenarios name contacts without the domain of their addresses. */
function withDomain(responses: Responses): Responses {
	const { contacts, deleted = [], existing = [], confirmations = {} } = responses;
	if (!Array.isArray(contacts)) return responses;
	return {
		...responses,
		contacts: contacts.map((contact: IDataObject) => ({
			...contact,
			email: toAddress(String(contact.email)),
		})),
		deleted: deleted.map(toAddress),
		existing: existing.map(toAddress),
		confirmations: Object.fromEntries(
			Object.entries(confirmations).map(([name, response]) => [toAddress(name), response]),
		),
	};
}

const getId = (item: IDataObject): string => {
	const container = item.container as IDataObject | undefined;
	const id = item.containerId ?? container?.uuid ?? item.uuid ?? item.email;
	return String(id).replace(DOMAIN, '');
};

/** Runs each scenario as a test. */
export function describeScenarios(service: MockedService, scenarios: Scenario[]): void {
	describe.each([...new Set(scenarios.map(({ event }) => event))])('%s', (name) => {
		it.each(scenarios.filter(({ event }) => event === name))(
			'$scenario',
			async ({ event, parameters, polls, expected, fails = [] }) => {
				const polling = new Polling(
					service,
					{ event, options: { maxRetries: 0 }, ...parameters },
					{ timezone: 'UTC' },
				);
				const results: Array<Poll & { before: string; after: string }> = [];
				for (const step of polls) {
					if (typeof step === 'function') {
						step(polling);
						continue;
					}
					const before = JSON.stringify(polling.staticData);
					const result = await polling.poll(withDomain(step));
					results.push({ ...result, before, after: JSON.stringify(polling.staticData) });
				}

				const emitted = results.map((result) => result.emitted.map(getId));
				expect(emitted).toEqual(expected);
				for (const [number, { error, items, before, after }] of results.entries()) {
					const failed = fails.includes(number);
					expect(error === undefined).toBe(!failed);
					if (failed) expect(after).toBe(before);
					if (expected[number].length === 0) expect(items).toBeNull();
				}
			},
			// A thousand requests, on a busy machine.
			120_000,
		);
	});
}
