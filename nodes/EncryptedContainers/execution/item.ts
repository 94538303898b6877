import type { IDataObject, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import type { Client } from '../../shared/client/client';
import { parseId, parseUserId } from '../../shared/client/path';
import { withAdvice } from '../../shared/errors/serviceError';
import { isWildcard } from '../../shared/parameters/addresses';
import { getRequestLimits } from '../../shared/parameters/requestSettings';
import { assertAddress, cleanAddress, getEmail } from '../../shared/parameters/lists';
import { parseShortText } from '../../shared/parameters/scalars';
import { Redactor } from '../../shared/responses/redact';
import { isObject } from '../../shared/responses/shapes';
import { parseRequestOptions } from '../parameters/requestOptions';
import type { Host } from './host';
import { enter } from './lock';
import type { Endpoint, PathParam, PathParams } from './pathParams';
import { fillPath, listPathParams, newContactParam, userParam } from './pathParams';
import type { Tries } from './tries';

/** What the items of one execution of the node share. */
export interface Execution {
	readonly host: Host;
	readonly endpoint: Endpoint;
	readonly tries: Tries;
	/** How many jobs failed in this try. */
	readonly failed: number;
	/** Ends waiting: the execution stopped, or was canceled. */
	readonly signal: AbortSignal;
	/** Seconds that a whole response can take, where it is another number than usual. */
	readonly responseTimeout?: number;
	addHint(message: string): void;
	/** The label of a field of the operation, or of one of its options. */
	getLabel(name: string): string;
}

/** One input item: its parameters, and the client that sends its requests. */
export class Item {
	/** Redacted in all output. An operation that knows a password adds it when it parses the item. */
	readonly sensitiveValues: string[] = [];
	private connected?: Client;
	private readErrorFields?: () => IDataObject;
	private options?: IDataObject;
	private pathParams?: PathParams;

	constructor(
		readonly run: Execution,
		readonly index: number,
		readonly input: INodeExecutionData,
	) {}

	get host(): Host {
		return this.run.host;
	}

	get isTool(): boolean {
		return this.host.node.type.endsWith('Tool');
	}

	get timeZone(): string {
		return this.host.context.getTimezone();
	}

	/** What the tries of the node (Retry On Fail) know of the item. */
	get state() {
		return this.run.tries.getState(this.index);
	}

	/** @throws UserError for an option that every operation has */
	get settings() {
		return {
			...getRequestLimits(this.getOptions(), this.run.responseTimeout),
			...parseRequestOptions(this.getParameter('requestOptions')),
		};
	}

	/** There before the parameters are parsed. */
	get client(): Client {
		if (this.connected === undefined) throw new Error('The item has no client yet');
		return this.connected;
	}

	connect(client: Client): void {
		this.connected = client;
	}

	/** Redacts the API key and the passwords of the item. */
	get redactor(): Redactor {
		return (this.connected?.redactor ?? new Redactor([])).extend(this.sensitiveValues);
	}

	getParameter(name: string, fallback: unknown = ''): unknown {
		try {
			return this.host.getParameter(name, this.index, fallback);
		} catch (error) {
			// n8n often doesn't say where an expression is.
			const label = this.run.getLabel(name);
			throw withAdvice(error as Error, `Correct the expression in "${label}".`);
		}
	}

	/** What the workflow stores: an expression unevaluated. */
	getRawParameter(name: string): unknown {
		return this.host.node.parameters[name];
	}

	getOptions(): IDataObject {
		this.options ??= this.getParameter('options', {}) as IDataObject;
		return this.options;
	}

	/** The value of a field among the options; its default where it was not added. */
	parseOption<T>(field: INodeProperties, parse: (value: unknown, label: string) => T): T {
		const { name, displayName, default: preset } = field;
		return parse({ [name]: preset, ...this.getOptions() }[name], displayName);
	}

	/** Sets the fields that identify an error item, where they are not those of the endpoint's path. */
	identify(readFields: () => IDataObject): void {
		this.readErrorFields = readFields;
	}

	/** The fields that identify an error item; of the path, what the user entered, valid or not. */
	getErrorFields(): IDataObject {
		if (this.readErrorFields !== undefined) return this.readErrorFields();
		const params = listPathParams(this.run.endpoint).filter((param) => param !== userParam);
		const fields = params.map((param) => {
			const value = this.getEntered(param);
			return [param.key, typeof value === 'string' || typeof value === 'number' ? value : ''];
		});
		return Object.fromEntries(fields) as IDataObject;
	}

	/** The parameters in the endpoint's path, trimmed, not encoded. @throws UserError as parsePathParam does */
	getPathParams(): PathParams {
		const params = listPathParams(this.run.endpoint);
		const parse = (param: PathParam) => [param.key, this.parsePathParam(param)] as const;
		const none = { containerId: '', contactEmail: '' };
		this.pathParams ??= { ...none, ...Object.fromEntries(params.map(parse)) };
		return this.pathParams;
	}

	/** @throws UserError for a value that can't be a segment of the path, or is not an email address where one is needed */
	parsePathParam(param: PathParam): string | undefined {
		if (param === userParam) return parseUserId(this.getOptions(), this.getRawParameter('options'));
		const { displayName: label } = param.field;
		const entered = this.getEntered(param);
		const parse = param.key === 'contactEmail' ? parseEmail : parseId;
		const value = parse(entered, label);
		if (param !== newContactParam || !isWildcard(value)) return value;
		throw new UserError(`"${value}" in "${label}" is not the address of one person`, {
			description: `Nothing was sent. Enter one address, such as anna@example.com, in "${label}".`,
		});
	}

	async getUserId(): Promise<string> {
		const { userId } = this.getPathParams();
		return userId ?? (await this.client.getCurrentUser()).id;
	}

	/** The encoded path of the operation's endpoint. */
	async getPath(): Promise<string> {
		const { endpoint } = this.run;
		const userId = listPathParams(endpoint).includes(userParam) ? await this.getUserId() : '';
		return fillPath(endpoint, { ...this.getPathParams(), userId });
	}

	/** Runs a task once for all items with this API key, in all tries; one that fails once in each try. */
	async memoize<T>(key: string, task: () => Promise<T>): Promise<T> {
		return await this.run.tries.memoize(`${this.client.key} ${key}`, task);
	}

	/** Runs what reads and then writes the same thing of the service alone, in all executions of this process. */
	async runAlone<T>(key: string, task: () => Promise<T>): Promise<T> {
		const leave = await this.enter(key);
		try {
			return await task();
		} finally {
			leave();
		}
	}

	/** As runAlone, until what it returns is called: with all API keys, as two keys undo each other's changes otherwise. */
	async enter(key: string): Promise<() => void> {
		const { href } = new URL(this.client.connection.baseUrl);
		return await enter(`${href} ${key}`, this.run.signal);
	}

	/** The value of a resource locator: an object from the editor, plain text from an expression or an AI tool. */
	private getEntered({ field }: PathParam): unknown {
		const value = this.getParameter(field.name);
		return isObject(value) && 'value' in value ? value.value : value;
	}
}

function parseEmail(entered: unknown, label: string): string {
	const text = parseShortText(getEmail(entered), label, 'id');
	const address = cleanAddress(text.replace(/(?<![,;])[,;]+$/, ''));
	if (address !== '')
		assertAddress(address, label, 'Enter one address, for example anna@example.com.');
	return parseId(address, label);
}
