import type { IDataObject, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import type { ServiceClient } from '../../shared/client/client';
import { takeBreak } from '../../shared/client/delay';
import type { Redactor } from '../../shared/responses/redact';
import type { Item } from './item';
import { enter, runAlone } from './lock';
import { fillPath, listPathParams, userParam } from './pathParams';
import type { Tries } from './tries';

/** What an operation does: with each item alone, or with all of them together. */
export type Operation<Input> = {
	fields?: INodeProperties[];
	/** Seconds that a whole response can take, where it is another number than usual. */
	responseTimeout?: number;
	/** Parses the parameters of an item, before the first request of all. @throws UserError for what can't be sent */
	parse(item: Item): Input;
	/** As parse, for what the credential decides. */
	check?(call: Call, input: Input): void;
	/** The fields that identify an error item, where they are not those in the path; without input, it couldn't be parsed. */
	getErrorFields?(item: Item, input?: Input): IDataObject;
} & (ItemOperation<Input> | PlannedOperation<Input>);

interface ItemOperation<Input> {
	plan?: undefined;
	send(call: Call, input: Input): Promise<IDataObject[]>;
	/** What the item changes, such as a container. What has one key runs one after the other, in input order. */
	getKey?(input: Input): string;
	/** Whether one that is done runs again after an earlier one (Retry On Fail), so that the last item still counts. */
	isRepeatable?(input: Input): boolean;
}

interface PlannedOperation<Input> {
	send?: undefined;
	/** Decides what to do for all items, in steps: each begins when the one before is done. An error is one of all items. */
	plan(parsed: Array<ParsedItem<Input>>, run: RunServices): AsyncGenerator<Job[], void, undefined>;
}

/** An item, and what its parameters say. With an error, the node continues on errors, or is the tool of an agent. */
export type ParsedItem<Input> = { item: Item } & (
	| { input: Input; error?: undefined }
	/** `refused` is what the credential doesn't allow. */
	| { input?: undefined; error: Error; refused?: Input }
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
	/** As of an operation, and in all executions of this process. */
	key?: string;
	isRepeatable?: boolean;
	send(): Promise<IDataObject[]>;
}

export type Send = (call: Call) => Promise<IDataObject[]>;

/** What the items of one execution of the node share. */
export interface RunServices {
	readonly tries: Tries;
	/** How many jobs failed in this try. */
	readonly failed: number;
	/** Ends waiting: the execution stopped, or was canceled. */
	readonly signal: AbortSignal;
	/** Loads the credential of an item; a field of it can be an expression. */
	connect(item: Item): Promise<Call>;
	addHint(message: string): void;
	/** The label of a field of the operation, or of one of its options. */
	getLabel(name: string): string;
	/** The job of one item, or its error. Its output is redacted. */
	createJob(parsed: ParsedItem<unknown>, send?: Send): Job;
}

export class Call {
	private ownRedactor?: Redactor;

	constructor(
		readonly item: Item,
		readonly run: RunServices,
		readonly client: ServiceClient,
	) {}

	/** Runs what reads and then writes the same thing of the service alone, in all executions of this process. */
	async runAlone<T>(key: string, task: () => Promise<T>): Promise<T> {
		return await runAlone(this.getServiceKey(key), this.run.signal, task);
	}

	/** As runAlone, until what it returns is called. */
	async enter(key: string): Promise<() => void> {
		return await enter(this.getServiceKey(key), this.run.signal);
	}

	/** Redacts the API key and the passwords of the item. */
	get redactor(): Redactor {
		this.ownRedactor ??= this.client.redactor.extend(this.item.sensitiveValues);
		return this.ownRedactor;
	}

	/** In place. */
	async redact(records: IDataObject[]): Promise<IDataObject[]> {
		return await this.redactor.redactJson(records, async () => await takeBreak(20));
	}

	/** Text for a person, as `redactor` redacts it: one line. */
	redactLine(text: string): string {
		return this.redactor.redactLine(text);
	}

	/** What something of the service is known by in this process, to those with the same API key. */
	getSharedKey(key: string): string {
		return `${this.client.key} ${key}`;
	}

	/** As getSharedKey, to all API keys. */
	private getServiceKey(key: string): string {
		return `${new URL(this.client.connection.baseUrl).href} ${key}`;
	}

	async getUserId(): Promise<string> {
		const { userId } = this.item.getPathParams();
		return userId ?? (await this.client.getCurrentUser()).id;
	}

	/** Whether the service has a feature that not every one has (`features` of GET /me). */
	async hasFeature(name: string): Promise<boolean> {
		const { features } = await this.client.getCurrentUser();
		return features.includes(name);
	}

	/** The encoded path of the operation's endpoint for this item. */
	async getPath(): Promise<string> {
		const { endpoint } = this.item;
		const userId = listPathParams(endpoint).includes(userParam) ? await this.getUserId() : '';
		return fillPath(endpoint, { ...this.item.getPathParams(), userId });
	}
}
