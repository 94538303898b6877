import type {
	IBinaryKeyData,
	IDataObject,
	INodeExecutionData,
	INodeProperties,
} from 'n8n-workflow';

import type { Execution } from './execution';
import type { Item } from './item';

/** A record with a file beside it. */
export class FileOutput {
	constructor(
		readonly json: IDataObject,
		readonly binary: IBinaryKeyData,
	) {}
}

export type Output = IDataObject | FileOutput;

/** What an operation does: with each item alone (send), or with all of them together (plan). */
export interface Operation<Input> {
	/** The fields that its path takes, one value for each item: a container or a contact. */
	pathFields?: INodeProperties[];
	fields?: INodeProperties[];
	/** Seconds that a whole response can take, where it is another number than usual. */
	responseTimeout?: number;
	/** Parses the parameters of an item, before anything is sent. It can ask for the calendar. @throws UserError for what can't be sent */
	parse(item: Item): Input | Promise<Input>;
	send?(item: Item, input: Input): Promise<Output[]>;
	/** Decides what to do in steps: each begins when the one before is done. An error is one of all items. */
	plan?(parsed: Array<ParsedItem<Input>>, execution: Execution): AsyncGenerator<Job[], void>;
}

/** An item, and what its parameters say. With an error, the node continues on errors, or is the tool of an agent. */
export type ParsedItem<Input> = { item: Item } & (
	{ input: Input; error?: undefined } | { input?: undefined; error: Error }
);

/** What is sent for an item, for a record of it, or for several items together. */
export interface Job {
	/** The same in each try of the node. */
	id: string;
	item: Item;
	pairedItem: INodeExecutionData['pairedItem'];
	/** Why it can't be sent. */
	error?: Error;
	getErrorFields: (error: Error) => IDataObject;
	/** Whether each try of the node does it again. */
	isRepeated?: boolean;
	/** Whether the other jobs still run if it fails: then the execution ends with an error that names all of them. */
	isIndependent?: boolean;
	/** Then an error names no item. */
	isForAllItems?: boolean;
	send(): Promise<Output[]>;
}

/** The job of one item, or its error. */
export function createJob<Input>(
	{ item, input, error }: { item: Item; input?: Input; error?: Error },
	send?: (item: Item, input: Input) => Output[] | Promise<Output[]>,
): Job {
	return {
		id: item.id,
		item,
		pairedItem: { item: item.index },
		error,
		getErrorFields: () => item.errorFields,
		send: async () => (await send?.(item, input as Input)) ?? [],
	};
}
