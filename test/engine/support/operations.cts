import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { AjvCompiler } from '@fastify/ajv-compiler';
import { loadOutputSchema } from 'n8n-core';
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import {
	defaultCredentials,
	runNode,
	type RunNodeOptions,
	type RunNodeResult,
} from '../../support/engine.cts';
import { repositoryRoot } from '../../support/package.cts';
import { rewrite } from '../../support/proxy.cts';

/** A container that is selected by its identifier. */
const containerId = (value: string) => ({ __rl: true, mode: 'id', value });

/** The parameter that selects it. */
export const byId = (value: string) => ({ containerId: containerId(value) });

/** A contact that is selected by its email address. */
export const contactEmail = (value: string) => ({ __rl: true, mode: 'email', value });

/** A service that doesn't find containers by recipient, such as an earlier version. For GET /me. */
export const withoutFilter = rewrite((me) => {
	const { features, ...user } = me as { features: string[] };
	return { ...user, features: features.filter((name) => name !== 'recipient_filter') };
});

/** The user in most tests, so that they need no request for the user. */
export const userId = 'user-1';

/** Where the containers and contacts of this user are. */
export const containersPath = `/users/${userId}/containers`;
export const contactsPath = `/users/${userId}/contacts`;
export const contactPath = (address: string) => `${contactsPath}/${encodeURIComponent(address)}`;

/** No retries and one request at a time: tests are fast, and requests keep the order of the items. */
const sequential = { maxRetries: 0, maxConcurrent: 1 };

/** Input items with an identifier each. */
export const itemsWith = (...ids: string[]) => ids.map((id) => ({ json: { id } }));

/** The settings of a node that tries up to three times, without a pause. */
export const tries = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };

export const inBatchesOf = (batchSize: unknown, batchInterval: unknown) => ({
	requestOptions: { batching: { batch: { batchSize, batchInterval } } },
});

/** Expression for a later node: the input item of an output item. */
export const inputItemId = { id: "={{ $('Input').item.json.id }}" };

/** The day this many days from today, in a time zone. */
export function dayFromNow(days: number, timeZone: string): string {
	const day = new Intl.DateTimeFormat('sv-SE', { timeZone }).format(new Date());
	return new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);
}

/** The node remembers keys and services for the whole process, in which other files can have run before. */
let keys = Date.now();

/** A new API key, of which the node can know nothing yet. */
export function newKey(): { apiKey: string } {
	keys += 1;
	return { apiKey: `${defaultCredentials.apiKey}-${keys}` };
}

/** New for each test. */
let credentials = newKey();
beforeEach(() => {
	credentials = newKey();
});

/** Parameters of an operation, with options merged. */
function withOptions(
	{ options: current, ...parameters }: IDataObject,
	options: IDataObject,
): INodeParameters {
	return { ...parameters, options: { ...(current as object), ...options } } as INodeParameters;
}

/** Runs an operation, with parameters and options beside the usual ones. */
export type Run = (
	parameters?: IDataObject,
	options?: IDataObject,
	more?: Partial<RunNodeOptions>,
) => Promise<RunNodeResult>;

/**
 * An operation with parameters that most of its tests share.
 *
 * @param name such as `container: get`
 */
export function operation(name: string, base: IDataObject = {}, items?: INodeExecutionData[]): Run {
	const [resource, value] = name.split(': ');
	const usual = withOptions({ resource, operation: value, ...base }, {});
	return async ({ options: inside, ...parameters } = {}, options = {}, more = {}) =>
		await runNode({
			items,
			credentials,
			...more,
			parameters: withOptions(
				{ ...usual, ...parameters },
				{ userId, ...sequential, ...(usual.options as object), ...(inside as object), ...options },
			),
		});
}

/** Runs any operation once. */
export const run = async (
	name: string,
	...[parameters, options, more]: Parameters<Run>
): Promise<RunNodeResult> => await operation(name)(parameters, options, more);

/** What a run returned, which must not fail. */
export async function outputOf(running: Promise<RunNodeResult>): Promise<IDataObject[]> {
	const { items, error } = await running;
	expect(error?.message).toBeUndefined();
	return items.map(({ json }) => json);
}

/** A run fails before anything but the question for the time zone is sent, names its item, and says what to do. */
export async function expectRefusal(
	service: { requests: Array<{ path: string }> },
	running: Promise<RunNodeResult>,
	message: string | RegExp,
	{ item = 0, advice = /\w/ }: { item?: number; advice?: string | RegExp } = {},
): Promise<void> {
	const { error, items } = await running;
	expect(error?.message).toMatch(message);
	expect(error?.message).toMatch(new RegExp(`\\[item ${item}\\]$`));
	expect(error).toMatchObject({ context: { itemIndex: item } });
	expect(error?.description).toMatch(advice);
	expect(items).toEqual([]);
	expect(service.requests.filter(({ path }) => path !== '/api/v1/me')).toEqual([]);
}

/**
 * Holds requests until this many run, at any speed of the machine. `peak` is the most at a time.
 */
export function gather(count: number) {
	const meeting = { peak: 0, join };
	let inFlight = 0;
	let open: () => void = () => undefined;
	const complete = new Promise<void>((resolve) => (open = resolve));
	async function join() {
		inFlight += 1;
		meeting.peak = Math.max(meeting.peak, inFlight);
		if (inFlight === count) open();
		await complete;
		// Time for one too many.
		await wait(5);
		inFlight -= 1;
	}
	return meeting;
}

const customOptions = { allErrors: true, coerceTypes: false, removeAdditional: false };
const compile = AjvCompiler()({}, { customOptions });

/**
 * Compares outputs with the schema of the built package, found as n8n finds it.
 * @param operation such as `container/get`; without one, the schema of a trigger, which is that of all its events
 */
export function findSchemaErrors(outputs: IDataObject[], node: string, operation = ''): string[] {
	const [resource, value] = operation.split('/');
	const schema = loadOutputSchema({
		...{ nodeDir: join(repositoryRoot, 'dist/nodes', node), version: 1, versionFallback: true },
		...{ resource, operation: value },
	});
	if (schema === undefined) throw new Error(`n8n finds no schema of ${node} ${operation}`);
	// What the editor offers must be there.
	const required = operation === '' ? [] : Object.keys(schema.properties as object);
	const validate = compile({ schema: { ...schema, required } } as never);
	return outputs.flatMap((json) => {
		validate(json);
		return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
	});
}
