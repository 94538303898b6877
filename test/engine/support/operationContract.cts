import type nock from 'nock';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { runNode as runNodeOf, storedRecord, type RunNodeOptions } from '../../support/engine.cts';
import type { MockedService } from '../../support/nock.cts';
import { loadPackage } from '../../support/package.cts';
import { itemsWith, inputItemId, newService, sequential, withOptions } from './parameters.cts';
import type { ResponseShape } from './shapes.cts';
import { errorBodies, headersOf, errorsWithoutMessage } from './shapes.cts';

/** What the shared tests must know of an operation. */
export interface TestedOperation {
	/** Parameters that use `$json.id` as the identifier of an item, with the required options. */
	parameters: INodeParameters;
	/** Three values of `$json.id`. */
	ids: [string, string, string];
	method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
	/** Encoded path below the base URL. */
	path: (id: string) => string;
	/** Expects the requests before the last one of an item, which differ in a second run. */
	expectBefore?: (service: MockedService, id: string, run: number) => void;
	/** A body that the service responds with, and the resulting output for `$json.id`. */
	response: IDataObject | ((id: string) => IDataObject);
	output: IDataObject | ((id: string) => IDataObject);
	/** The fields of an error item that identify its input. */
	errorFields: (id: string) => IDataObject;
	/** Rejected values of `$json.id`, with the expected message. */
	rejected?: Array<[string, unknown, RegExp]>;
}

type Method = 'get' | 'post' | 'patch' | 'delete';

/**
 * What every operation promises. Each operation has its own tests beside these.
 *
 * @param isWhole also with each form of a response and of On Error, which the runner treats alike for all operations
 */
export function describeOperationContract(
	service: MockedService,
	operation: TestedOperation,
	isWhole = false,
): void {
	const some = <T,>(rows: readonly T[]) => (isWhole ? rows : rows.slice(0, 1));
	const { parameters, ids, method, path, expectBefore, response, output, errorFields } = operation;
	const forId = (body: TestedOperation['response'], id: string) =>
		typeof body === 'function' ? body(id) : body;
	const outputOf = (item: number) => forId(output, ids[item]);
	const sequentialParameters = withOptions(parameters, sequential);
	const expectRequest = (id: string, run = 0): nock.Interceptor => {
		expectBefore?.(service, id, run);
		return service.scope()[method.toLowerCase() as Method](path(id));
	};
	const expectSuccess = (id: string, run?: number) =>
		expectRequest(id, run).reply(200, forId(response, id));
	const respondWith = (id: string, shape: ResponseShape) =>
		expectRequest(id).reply(shape.status, shape.body, headersOf(shape));
	const operationRequests = () => service.requests.filter((request) => request.method === method);

	// The node remembers what each key changed, and each test has records of its own.
	let credentials = newService();
	beforeEach(() => {
		credentials = newService();
	});
	const runNode = async (options: RunNodeOptions) => await runNodeOf({ credentials, ...options });

	// The first execution of a file loads the package and n8n's engine.
	beforeAll(async () => void (await loadPackage()), 60_000);

	describe('every request', () => {
		it('has method, encoded path and headers, and its output is linked to its input', async () => {
			for (const id of ids) expectSuccess(id);

			const { items, error, next } = await runNode({
				parameters: sequentialParameters,
				items: itemsWith(...ids),
				next: inputItemId,
			});

			expect(error).toBeUndefined();
			expect(operationRequests().map((request) => request.path)).toEqual(
				ids.map((id) => `/api/v1${path(id)}`),
			);
			for (const { headers, origin } of operationRequests()) {
				expect(origin).toBe('https://share.example.com');
				expect(headers).toMatchObject({
					authorization: `Bearer ${credentials.apiKey}`,
					accept: 'application/json',
				});
			}
			expect(items).toEqual(
				ids.map((_id, item) =>
					expect.objectContaining({ json: outputOf(item), pairedItem: { item } }),
				),
			);
			expect(next).toEqual(ids.map((id) => ({ id })));
		});
	});

	describe('a failed request', () => {
		it.each(some(errorBodies))("contains the service's message: $shape", async (shape) => {
			respondWith(ids[0], shape);

			const { error, items } = await runNode({
				parameters: sequentialParameters,
				items: itemsWith(ids[0]),
			});

			expect(error).toBeInstanceOf(NodeApiError);
			expect(`${error?.message} ${error?.description}`).toContain('Words of the service');
			expect(error).toMatchObject({ httpCode: '422', context: { itemIndex: 0 } });
			expect(error?.message).toMatch(/\[item 0\]$/);
			expect(items).toEqual([]);
		});

		it.each(some(['continueErrorOutput', 'continueRegularOutput'] as const))(
			'leaves the other items alone with %s, and names the failed item',
			async (onError) => {
				expectSuccess(ids[0]);
				expectRequest(ids[1]).reply(422, { message: 'Words of the service' });
				expectSuccess(ids[2]);

				const { items, errorItems, next, nextOfErrors, error } = await runNode({
					parameters: sequentialParameters,
					items: itemsWith(...ids),
					onError,
					next: inputItemId,
				});

				expect(error).toBeUndefined();
				// n8n adds the fields of the input item in the error output.
				const inputFields = onError === 'continueErrorOutput' ? { id: ids[1] } : {};
				const failed = expect.objectContaining({
					json: {
						...inputFields,
						...errorFields(ids[1]),
						error: expect.stringContaining('Words of the service'),
						errorDescription: expect.any(String),
						httpCode: '422',
					},
					pairedItem: { item: 1 },
				});
				const created = (item: number) =>
					expect.objectContaining({ json: outputOf(item), pairedItem: { item } });
				if (onError === 'continueRegularOutput') {
					expect(items).toEqual([created(0), failed, created(2)]);
					expect(next).toEqual(ids.map((id) => ({ id })));
				} else {
					expect(items).toEqual([created(0), created(2)]);
					expect(errorItems).toEqual([failed]);
					expect(next).toEqual([{ id: ids[0] }, { id: ids[2] }]);
					expect(nextOfErrors).toEqual([{ id: ids[1] }]);
				}
			},
		);

		if (!isWhole) return;

		it.each(errorsWithoutMessage)(
			'has its own message when the service sends none: $shape',
			async (shape) => {
				respondWith(ids[0], shape);

				const { error } = await runNode({
					parameters: sequentialParameters,
					items: itemsWith(ids[0]),
				});

				expect(error).toBeInstanceOf(NodeApiError);
				expect(error?.message).toMatch(/did not accept the request/);
				expect(error?.description).toMatch(/no message \(status 422\)/);
			},
		);

		it.each([
			[302, 'https://elsewhere.example.com/login', /redirected the request to another URL/],
			[307, '/api/v2/somewhere', /redirected the request to another URL/],
		])('explains a redirect (%i), which is not followed', async (status, location, message) => {
			expectRequest(ids[0]).reply(status, '', { location });

			const { error } = await runNode({
				parameters: sequentialParameters,
				items: itemsWith(ids[0]),
			});

			expect(error?.message).toMatch(message);
			expect(error?.description).toContain(location);
			expect(operationRequests()).toHaveLength(1);
		});

		it.each([
			[401, /did not accept the API key/],
			[403, /API key has no permission to \w/],
			[500, /could not \w.* \(status 500/],
		])('with status %i is sent once, and the API key appears nowhere', async (status, message) => {
			expectRequest(ids[0]).reply(status, {
				message: `Refused Bearer ${credentials.apiKey}`,
			});

			const { error, execution, log } = await runNode({
				parameters: sequentialParameters,
				items: itemsWith(ids[0]),
			});

			expect(error?.message).toMatch(message);
			const isOutcomeUnknown = status === 500 && method !== 'GET';
			expect(/might have/.test(error?.description ?? '')).toBe(isOutcomeUnknown);
			expect(operationRequests()).toHaveLength(1);
			expect([storedRecord(execution), ...log].join('\n')).not.toContain(credentials.apiKey);
		});

		it('stops the execution otherwise, and the remaining items are not sent', async () => {
			expectSuccess(ids[0]);
			expectRequest(ids[1]).reply(422, { message: 'Words of the service' });

			const { error, items } = await runNode({
				parameters: sequentialParameters,
				items: itemsWith(...ids),
			});

			expect(error?.message).toMatch(/\[item 1\]$/);
			expect(error).toMatchObject({ context: { itemIndex: 1 } });
			expect(items).toEqual([]);
			expect(operationRequests()).toHaveLength(2);
		});
	});

	describe('with Retry On Fail', () => {
		const tries = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };

		it.each(some([undefined, 'continueRegularOutput', 'continueErrorOutput'] as const))(
			'a later try sends only what failed (On Error: %s)',
			async (onError) => {
				// Where the node continues, n8n only tries again if the first item failed.
				const failing = onError === undefined ? ids[2] : ids[0];
				expectRequest(failing).reply(422, { message: 'not now' });
				for (const id of ids) expectSuccess(id);

				const { items, error, next } = await runNode({
					parameters: sequentialParameters,
					items: itemsWith(...ids),
					onError,
					...tries,
					next: inputItemId,
				});

				expect(error).toBeUndefined();
				expect(operationRequests()).toHaveLength(4);
				expect(items).toEqual(
					ids.map((_id, item) =>
						expect.objectContaining({ json: outputOf(item), pairedItem: { item } }),
					),
				);
				expect(next).toEqual(ids.map((id) => ({ id })));
			},
		);

		if (!isWhole) return;

		it('a second run of the node, as in a loop, sends all of its items', async () => {
			for (const run of [0, 1]) {
				for (const id of ids) expectSuccess(id, run);
			}

			const { execution } = await runNode({
				parameters: sequentialParameters,
				items: itemsWith(...ids),
				...tries,
				runs: 2,
			});

			expect(execution.status).toBe('success');
			expect(operationRequests()).toHaveLength(6);
		});
	});

	describe('invalid input', () => {
		const rejected: Array<[string, unknown, RegExp]> = operation.rejected ?? [];
		const withBad = (id: unknown) => [
			...itemsWith(ids[0]),
			{ json: { id } as IDataObject },
			...itemsWith(ids[2]),
		];

		it.each(
			some([
				['Max Concurrent Requests', { maxConcurrent: 0 }],
				['Max Retries', { maxRetries: 1.5 }],
			] as const),
		)('in %s is rejected before anything is sent', async (label, options) => {
			const { error } = await runNode({
				parameters: withOptions(sequentialParameters, options),
				items: itemsWith(ids[0]),
			});

			expect(error).toBeInstanceOf(NodeOperationError);
			expect(error?.message).toContain(`"${label}"`);
			expect(service.requests).toEqual([]);
		});

		if (rejected.length === 0) return;

		it.each(some(rejected))(
			'is rejected before anything is sent, and its item is named: %s',
			async (_what, id, message) => {
				const { error } = await runNode({ parameters: sequentialParameters, items: withBad(id) });

				expect(error).toBeInstanceOf(NodeOperationError);
				expect(error?.message).toMatch(message);
				expect(error?.message).toMatch(/\[item 1\]$/);
				expect(error).toMatchObject({ context: { itemIndex: 1 } });
				expect(error?.description).toMatch(/\w/);
				expect(service.requests).toEqual([]);
			},
		);

		if (!isWhole) return;

		it('of one item leaves the others alone when the workflow continues on errors', async () => {
			expectSuccess(ids[0]);
			expectSuccess(ids[2]);
			const [, bad, message] = rejected[0];

			const { items, errorItems, next } = await runNode({
				parameters: sequentialParameters,
				items: withBad(bad),
				onError: 'continueErrorOutput',
				next: inputItemId,
			});

			expect(items).toHaveLength(2);
			expect(next).toEqual([{ id: ids[0] }, { id: ids[2] }]);
			expect(errorItems).toEqual([
				expect.objectContaining({
					json: expect.objectContaining({ error: expect.stringMatching(message) }),
					pairedItem: { item: 1 },
				}),
			]);
		});
	});
}

/** Identifiers of containers that cannot be sent. */
export const rejectedContainers: Array<[string, unknown, RegExp]> = [
	['an empty identifier', '', /"Container" is empty/],
	['spaces', '  ', /"Container" is empty/],
	['a missing field', null, /"Container" is empty/],
	['a dot', '.', /"Container" can't be "\."/],
	['two dots', '..', /"Container" can't be "\.\."/],
	['a slash', '../me', /"Container" contains a slash or a backslash/],
	['a backslash', 'a\\b', /"Container" contains a slash or a backslash/],
	['a line end', 'a\r\nb', /"Container" contains a character that can't be sent/],
	['a null byte', 'a\0b', /"Container" contains a character that can't be sent/],
];

/** Identifiers of containers that are sent as one segment, with their encoded form. */
export const unusualContainers: Array<[string, string]> = [
	['a?b=c#d', 'a%3Fb%3Dc%23d'],
	['%2e%2e', '%252e%252e'],
	['c;v=1', 'c%3Bv%3D1'],
	['größe 1', 'gr%C3%B6%C3%9Fe%201'],
	['...', '...'],
];

/** Email addresses of contacts that cannot be sent. */
export const rejectedContacts = (label: string): Array<[string, unknown, RegExp]> => [
	['an empty address', '', new RegExp(`"${label}" is empty`)],
	['a missing field', null, new RegExp(`"${label}" is empty`)],
	['two dots', '..', new RegExp(`"${label}" can't be "\\.\\."`)],
	['no @', 'anna', new RegExp(`"anna" in "${label}" is not an email address`)],
	['a slash', 'a/b@x.example', new RegExp(`"${label}" contains a slash or a backslash`)],
	['a line end', 'a@x\r\nb', new RegExp(`"${label}" contains a character`)],
];

/** Email addresses of contacts that must arrive intact, with their encoded form. */
export const unusualContacts: Array<[string, string]> = [
	['anna+news@example.com', 'anna%2Bnews%40example.com'],
	["o'neil&co@example.com", "o'neil%26co%40example.com"],
	['grüße@exämple.com', 'gr%C3%BC%C3%9Fe%40ex%C3%A4mple.com'],
	['用户@例え.jp', '%E7%94%A8%E6%88%B7%40%E4%BE%8B%E3%81%88.jp'],
	['a%2fb@example.com', 'a%252fb%40example.com'],
	['a?b#c@example.com', 'a%3Fb%23c%40example.com'],
];
