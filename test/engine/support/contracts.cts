import type nock from 'nock';
import type { IDataObject } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { storedRecord } from '../../support/engine.cts';
import type { MockedService } from '../../support/nock.cts';
import { loadPackage } from '../../support/package.cts';
import {
	expectRefusal,
	inputItemId,
	itemsWith,
	newService,
	operation,
	outputOf,
	tries,
	type Run,
} from './operations.cts';

type Method = 'get' | 'post' | 'patch' | 'delete';
type Rejected = [what: string, value: unknown, message: RegExp];
type Body = '' | IDataObject | ((id: string) => IDataObject);

/** What the shared tests must know of an operation. */
export interface TestedOperation {
	/** Such as `container: get`. */
	name: string;
	/** Parameters that use `$json.id` as the identifier of an item, with the required options. */
	parameters: IDataObject;
	/** Three values of `$json.id`. */
	ids: string[];
	method: Method;
	/** Encoded path below the base URL. */
	path: (id: string) => string;
	/** Expects the requests before the last one of an item, which differ in a second run. */
	expectBefore?: (service: MockedService, id: string, run: number) => void;
	/** A body that the service responds with, and the resulting output for `$json.id`. */
	response: Body;
	output: Body;
	/** The fields of an error item that identify its input. */
	errorFields: (id: string) => IDataObject;
	/** Rejected values of `$json.id`, with the expected message. */
	rejected?: Rejected[];
}

const forId = (body: Body, id: string) => (typeof body === 'function' ? body(id) : body);

/** Runs an operation, and what the service must be asked for by it. */
function setUp(service: MockedService, tested: TestedOperation) {
	const { ids, method, path, expectBefore, response, output } = tested;
	const expectRequest = (id: string, run = 0): nock.Interceptor => {
		expectBefore?.(service, id, run);
		return service[method](path(id));
	};
	return {
		...tested,
		run: operation(tested.name, tested.parameters, itemsWith(ids[0])),
		all: itemsWith(...ids),
		expectRequest,
		expectSuccess: (id: string, run?: number) =>
			expectRequest(id, run).reply(200, forId(response, id)),
		refuse: (id: string) => expectRequest(id).reply(422, { message: 'Words of the service' }),
		requests: () => service.requests.filter((sent) => sent.method === method.toUpperCase()),
		item: (index: number) =>
			expect.objectContaining({
				json: forId(output, ids[index]),
				pairedItem: { item: index },
			}) as unknown,
	};
}

/** The five cases that each operation must pass. Each operation has its own tests beside these. */
export function describeOperationContract(service: MockedService, tested: TestedOperation): void {
	const { ids, path, run, all, expectSuccess, refuse, requests, item, errorFields } = setUp(
		service,
		tested,
	);
	const { rejected = [] } = tested;
	const inputs = (...indexes: number[]) => indexes.map((index) => ({ id: ids[index] }));

	// The first execution of a file loads the package and n8n's engine.
	beforeAll(async () => void (await loadPackage()), 60_000);

	it('sends method, encoded path and headers, and links its output to its input', async () => {
		for (const id of ids) expectSuccess(id);
		const credentials = newService();

		const { items, error, next } = await run(
			{},
			{},
			{ items: all, next: inputItemId, credentials },
		);

		expect(error).toBeUndefined();
		expect(requests().map((request) => request.path)).toEqual(
			ids.map((id) => `/api/v1${path(id)}`),
		);
		// The API key is nowhere else.
		for (const { headers, ...request } of service.requests) {
			const { authorization, ...others } = headers;
			expect(authorization).toBe(`Bearer ${credentials.apiKey}`);
			expect(JSON.stringify([request, others])).not.toContain(credentials.apiKey);
		}
		for (const { headers, origin } of requests()) {
			expect(origin).toBe('https://share.example.com');
			expect(headers).toMatchObject({
				authorization: `Bearer ${credentials.apiKey}`,
				accept: 'application/json',
			});
		}
		expect(items).toEqual([item(0), item(1), item(2)]);
		expect(next).toEqual(inputs(0, 1, 2));
	});

	it("fails with the service's message, and names the item", async () => {
		refuse(ids[0]);

		const { error, items } = await run();

		expect(error).toBeInstanceOf(NodeApiError);
		expect(`${error?.message} ${error?.description}`).toContain('Words of the service');
		expect(error).toMatchObject({ httpCode: '422', context: { itemIndex: 0 } });
		expect(error?.message).toMatch(/\[item 0\]$/);
		expect(items).toEqual([]);
	});

	it('leaves the other items alone with an error output, and names the failed item there', async () => {
		expectSuccess(ids[0]);
		refuse(ids[1]);
		expectSuccess(ids[2]);

		const { items, errorItems, next, nextOfErrors, error } = await run(
			{},
			{},
			{ items: all, onError: 'continueErrorOutput', next: inputItemId },
		);

		expect(error).toBeUndefined();
		expect(items).toEqual([item(0), item(2)]);
		expect(errorItems).toEqual([
			expect.objectContaining({
				json: {
					// n8n adds the fields of the input item.
					id: ids[1],
					...errorFields(ids[1]),
					error: expect.stringContaining('Words of the service'),
					errorDescription: expect.any(String),
					httpCode: '422',
				},
				pairedItem: { item: 1 },
			}),
		]);
		expect(next).toEqual(inputs(0, 2));
		expect(nextOfErrors).toEqual(inputs(1));
	});

	it('sends only what failed in a later try of Retry On Fail', async () => {
		refuse(ids[2]);
		for (const id of ids) expectSuccess(id);

		const { items, error, next } = await run({}, {}, { items: all, ...tries, next: inputItemId });

		expect(error).toBeUndefined();
		expect(requests()).toHaveLength(4);
		expect(items).toEqual([item(0), item(1), item(2)]);
		expect(next).toEqual(inputs(0, 1, 2));
	});

	if (rejected.length === 0) return;

	it.each(rejected)('is refused before anything is sent for %s', async (_what, id, message) => {
		const items = [all[0], { json: { id } as IDataObject }, all[2]];
		const { error } = await run({}, {}, { items });
		expect(error).toBeInstanceOf(NodeOperationError);

		await expectRefusal(service, run({}, {}, { items }), message, { item: 1 });
	});
}

/** What the runner promises for every operation, so that two operations show it. */
export function describeRunner(service: MockedService, tested: TestedOperation): void {
	const { ids, run, all, expectRequest, expectSuccess, refuse, requests, item } = setUp(
		service,
		tested,
	);
	const { method } = tested;

	it.each([
		[401, /did not accept the API key/],
		[403, /API key has no permission to \w/],
		[500, /could not \w.* \(status 500/],
	])('is sent once for status %i, and the API key appears nowhere', async (status, message) => {
		const credentials = newService();
		expectRequest(ids[0]).reply(status, { message: `Refused Bearer ${credentials.apiKey}` });

		const { error, execution, log } = await run({}, {}, { credentials });

		expect(error?.message).toMatch(message);
		const isOutcomeUnknown = status === 500 && method !== 'get';
		expect(/might have/.test(error?.description ?? '')).toBe(isOutcomeUnknown);
		expect(requests()).toHaveLength(1);
		expect([storedRecord(execution), ...log].join('\n')).not.toContain(credentials.apiKey);
	});

	it.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
		'sends only what failed in a later try, with %s',
		async (onError) => {
			// Where the node continues, n8n only tries again if the first item failed.
			refuse(ids[0]);
			for (const id of ids) expectSuccess(id);

			const { items } = await run({}, {}, { items: all, onError, ...tries });

			expect(requests()).toHaveLength(4);
			expect(items).toEqual([item(0), item(1), item(2)]);
		},
	);

	it('sends all items again in a second run, as in a loop', async () => {
		for (const round of [0, 1]) for (const id of ids) expectSuccess(id, round);

		const { execution } = await run({}, {}, { items: all, ...tries, runs: 2 });

		expect(execution.status).toBe('success');
		expect(requests()).toHaveLength(6);
	});
}

/** An operation whose path contains a user. */
export interface UserOperation {
	name: string;
	/** Parameters that use nothing of the item. */
	parameters: IDataObject;
	method: Method;
	path: (userId: string) => string;
	response: IDataObject | IDataObject[];
}

/** What each operation on a user's records promises: it uses the API key's user, unless another is set. */
export function describeUserContract(service: MockedService, tested: UserOperation): void {
	const { run, expectFor, userRequestCount } = setUpUser(service, tested);

	it('fetches the user of the API key once for all items, and not again in the next execution', async () => {
		const credentials = newService();
		service.get('/me').reply(200, { id: 'user?7', email: 'ada@example.com' });
		expectFor('user%3F7', 4);

		await outputOf(run({}, { userId: '' }, { items: itemsWith('1', '2', '3'), credentials }));
		expect(userRequestCount()).toBe(1);
		await outputOf(run({}, { userId: '' }, { credentials }));
		expect(userRequestCount()).toBe(1);
	});

	it('uses the user that is set, without a request for one', async () => {
		expectFor('user-5');

		await outputOf(run({}, { userId: ' user-5 ' }));

		expect(userRequestCount()).toBe(0);
	});
}

export function setUpUser(
	service: MockedService,
	{ name, parameters, method, path, response }: UserOperation,
) {
	return {
		run: operation(name, parameters) as Run,
		expectFor: (user: string, times = 1) =>
			service[method](path(user)).times(times).reply(200, response),
		userRequestCount: () => service.requests.filter((sent) => sent.path === '/api/v1/me').length,
	};
}

/** Identifiers of containers that cannot be sent. The unit tests of paths know more. */
export const rejectedContainers: Rejected[] = [
	['spaces', '  ', /"Container" is empty/],
	['two dots', '..', /"Container" can't be "\.\."/],
];

/** Email addresses of contacts that cannot be sent. */
export const rejectedContacts = (label: string): Rejected[] => [
	['an empty address', '', new RegExp(`"${label}" is empty`)],
	['no @', 'anna', new RegExp(`"anna" in "${label}" is not an email address`)],
	['a slash', 'a/b@x.example', new RegExp(`"${label}" contains a slash or a backslash`)],
];
