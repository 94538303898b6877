import type { IDataObject, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import type { Execution } from './execution';
import type { Item } from './item';

/** What an operation does: with each item alone (send), or with all of them together (plan). */
export type Operation<Input> = {
	fields?: INodeProperties[];
	/** Seconds that a whole response can take, where it is another number than usual. */
	responseTimeout?: number;
	/** Parses the parameters of an item, before the first request of all. @throws UserError for what can't be sent */
	parse(item: Item): Input;
} & (
	| { plan?: undefined; send(item: Item, input: Input): Promise<IDataObject[]> }
	| { send?: undefined; plan: Plan<Input> }
);

/** Decides what to do for all items, in steps: each begins when the one before is done. An error is one of all items. */
type Plan<Input> = (
	parsed: Array<ParsedItem<Input>>,
	run: Execution,
) => AsyncGenerator<Job[], void, undefined>;

/** An item, and what its parameters say. With an error, the node continues on errors, or is the tool of an agent. */
export type ParsedItem<Input> = { item: Item } & (
	{ input: Input; error?: undefined } | { input?: undefined; error: Error }
);

export interface Job {
	/** The same in each try of the node. */
	id: string;
	pairedItem: INodeExecutionData['pairedItem'];
	item: Item;
	/** The fields that identify its error item. */
	getErrorFields: (error: Error) => IDataObject;
	/** Whether the other jobs still run if it fails: then the execution ends with an error that names all of them. */
	isIndependent?: boolean;
	/** Whether an error is about all items, and names none. */
	isForAllItems?: boolean;
	send(): Promise<IDataObject[]>;
}

/** The job of one item, or its error. Its output is redacted. */
export function createJob(
	{ item, error }: { item: Item; error?: Error },
	send: (item: Item) => Promise<IDataObject[]> = async () => await Promise.resolve([]),
): Job {
	return {
		id: String(item.index),
		item,
		pairedItem: { item: item.index },
		getErrorFields: () => item.errorFields,
		async send() {
			if (error === undefined) {
				return await item.redactor.redactJson(await send(item));
			}
			// What an earlier try might have done matters more than why this one can't do it.
			item.state.assertRepeatable();
			throw error;
		},
	};
}
