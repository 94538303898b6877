import {
	UserError,
	type IDataObject,
	type INodeExecutionData,
	type INodeProperties,
} from 'n8n-workflow';

import {
	createApiError,
	createNodeError,
	extendError,
	type Cause,
	type NodeError,
} from '../../shared/errors/errors';
import { listSome } from '../../shared/parameters/values';
import type { Execution, Host } from './execution';
import type { Item } from './item';

/** What an operation does: with each item alone (send), or with all of them together (plan). */
export interface Operation<Input> {
	fields?: INodeProperties[];
	/** Seconds that a whole response can take, where it is another number than usual. */
	responseTimeout?: number;
	/** Parses the parameters of an item, before anything is sent. It can ask for the calendar. @throws UserError for what can't be sent */
	parse(item: Item): Input | Promise<Input>;
	send?(item: Item, input: Input): Promise<IDataObject[]>;
	/** Decides what to do in steps: each begins when the one before is done. An error is one of all items. */
	plan?(parsed: Array<ParsedItem<Input>>, run: Execution): AsyncGenerator<Job[], void>;
}

/** An item, and what its parameters say. With an error, the node continues on errors, or is the tool of an agent. */
export type ParsedItem<Input> = { item: Item } & (
	{ input: Input; error?: undefined } | { input?: undefined; error: Error }
);

export interface Job {
	/** The same in each try of the node. */
	id: string;
	pairedItem: INodeExecutionData['pairedItem'];
	item: Item;
	getErrorFields: (error: Error) => IDataObject;
	/** Whether the other jobs still run if it fails: then the execution ends with an error that names all of them. */
	isIndependent?: boolean;
	/** Then an error names no item. */
	isForAllItems?: boolean;
	send(): Promise<IDataObject[]>;
}

/** The job of one item, or its error. Its output is redacted. */
export function createJob<Input>(
	{ item, input, error }: { item: Item; input?: Input; error?: Error },
	send: (item: Item, input: Input) => Promise<IDataObject[]> = async () =>
		await Promise.resolve([]),
): Job {
	return {
		id: String(item.index),
		item,
		pairedItem: { item: item.index },
		getErrorFields: () => item.errorFields,
		async send() {
			if (error !== undefined) throw error;
			return await item.redactor.redactJson(await send(item, input as Input));
		},
	};
}

/** The error as n8n shows it: with the item, and without secrets. */
export function toNodeError(job: Job, cause: Cause): NodeError {
	const { redactor, host, index } = job.item;
	const { itemIndex = job.isForAllItems ? undefined : index } = cause.context ?? {};
	const [message, description] = [cause.message, cause.description ?? ''].map((text) =>
		redactor.redactText(text),
	);
	const create = host.isRouted ? createApiError : createNodeError;
	return create(host.node, extendError(cause, { message, description }), itemIndex);
}

/** The output item, where the node continues on errors. */
export function createErrorItem(job: Job, cause: Error): INodeExecutionData {
	const error = toNodeError(job, cause);
	const { item, pairedItem, isForAllItems } = job;
	const isErrorOutput = item.host.node.onError === 'continueErrorOutput';
	// n8n merges the fields of the input, or of the first of several, into the error output: there, those of one input win.
	const keepsInput = isErrorOutput && !isForAllItems && !Array.isArray(pairedItem);
	const { message, description, httpCode } = error as NodeError & { httpCode?: string | null };
	const fields = { ...job.getErrorFields(cause), ...(httpCode ? { httpCode } : {}) };
	const own = Object.entries(fields)
		.filter(([name]) => !keepsInput || !Object.hasOwn(item.input.json, name))
		.map(([name, value]) => [name, item.redactor.redactValue(name, value)] as const);
	const details = { error: message, ...(description ? { errorDescription: description } : {}) };
	const json = { ...(Object.fromEntries(own) as IDataObject), ...details };
	if (!isErrorOutput) return { json, pairedItem };
	// With an enumerable `error`, n8n replaces the item's json by the message. One that is not enumerable only tells n8n
	// to which output the item goes (engine: handleNodeErrorOutput).
	return Object.defineProperty({ json, pairedItem }, 'error', { value: error, enumerable: false });
}

export type Failures = Array<{ job: Job; cause: Cause }>;

/** One failure for all of them, where the others went on. */
export function combineFailures(failures: Failures): Failures[0] | undefined {
	const [first] = failures;
	if (failures.length < 2) return first;
	const messages = listSome(failures.map(({ cause }) => cause.message));
	const { description } = first.cause;
	const about = description ? ` About the first: ${description}` : '';
	const cause = new UserError(`${failures.length} containers failed; the others did not`, {
		description: `To get an item for each of them, set "On Error" to Continue in the node's settings. ${messages}.${about}`,
	});
	return { job: { ...first.job, isForAllItems: true }, cause };
}

/**
 * An agent passes the output of its tool to the model, but of an error nothing or little. One that calls the node by
 * itself calls it again after an error (engine: makeHandleToolInvocation); n8n's engine also does so after an error item.
 */
export function continuesOnErrors({ context, node, isCalledByAgent }: Host, tries: number) {
	const { type, retryOnFail, maxTries = 3 } = node;
	if (context.continueOnFail()) return true;
	if (!type.endsWith('Tool')) return false;
	const allTries = Math.min(5, Math.max(2, maxTries));
	return !(retryOnFail === true && isCalledByAgent && tries < allTries);
}
