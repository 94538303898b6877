import type { INodeParameters } from 'n8n-workflow';
import { runListSearch, runNode } from '../../../support/engine.cts';
import { base as encodeBase } from '../../support/encode.cts';
import { contactEmail, containerId, sequential, userId } from '../../support/operations.cts';
import { Polling } from '../../support/polling.cts';
import type { MockedService } from '../../../support/nock.cts';

interface Outcome {
	error?: { message: string; description?: string | null };
	items: unknown[];
}

export interface TestedCall {
	call: string;
	/** Method of its first request. */
	method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
	run: () => Promise<Outcome>;
}

const container = containerId('c-1');
const contact = contactEmail('a@example.com');
const fields = { email: 'a@example.com', dataToSend: 'json', bodyJson: '{ "company": "X" }' };

const node = (
	resource: string,
	operation: string,
	method: TestedCall['method'],
	parameters: object = {},
	options: object = {},
): TestedCall => ({
	call: `${resource}.${operation}`,
	method,
	run: async () => {
		const { error, items } = await runNode({
			parameters: {
				resource,
				operation,
				...parameters,
				options: { ...sequential, userId, ...options },
			} as INodeParameters,
		});
		return { error, items: items.map(({ json }) => json) };
	},
});

const changeRules = { containerId: container, specifyRules: 'fields', rules: { opens: 1 } };

/** Every operation. */
export const OPERATIONS: TestedCall[] = [
	node('user', 'getMe', 'GET'),
	node('container', 'encode', 'POST', { ...encodeBase, name: 'One' }, { allowNoRecipients: true }),
	node('container', 'get', 'GET', { containerId: container }),
	node('container', 'getEnvelope', 'GET', { containerId: container }),
	node('container', 'getAll', 'GET'),
	node('container', 'delete', 'DELETE', { containerId: container }),
	node('drm', 'get', 'GET', { containerId: container }),
	node('drm', 'update', 'GET', changeRules),
	node('drm', 'revoke', 'GET', { containerId: container }),
	node('contact', 'getAll', 'GET'),
	node('contact', 'get', 'GET', { contactEmail: contact }),
	node('contact', 'upsert', 'PATCH', fields),
	node('contact', 'sync', 'GET', fields),
	node('contact', 'delete', 'DELETE', { contactEmail: contact }),
];

/** The operations whose response can be empty. */
export const CHANGES: TestedCall[] = [
	...OPERATIONS.filter(({ call }) => /delete|upsert/.test(call)),
	node('drm', 'update', 'PATCH', changeRules, { keepOtherRules: false }),
];

const events = [
	'containerCreated',
	'containerDeleted',
	'drmChanged',
	'accessEnding',
	'contactCreated',
	'contactChanged',
	'contactDeleted',
];

/** Every event of the trigger. */
export const pollsOf = (service: MockedService): TestedCall[] =>
	events.map((event) => ({
		call: `the trigger, ${event}`,
		method: 'GET',
		run: async () => {
			const options = { maxRetries: 0, userId };
			const polling = new Polling(service, { event, withinDays: 7, options });
			const { error, emitted } = await polling.poll({});
			return { error, items: emitted };
		},
	}));

/** Both pickers. */
export const PICKERS: TestedCall[] = ['searchContainers', 'searchContacts'].map((method) => ({
	call: method,
	method: 'GET',
	run: async () => {
		try {
			const { results } = await runListSearch({ method, parameters: { options: { userId } } });
			return { items: results };
		} catch (error) {
			return { error: error as Error, items: [] };
		}
	},
}));
