import type { IDataObject, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import type { Client } from '../../shared/client/client';
import { userIdOption } from '../../shared/descriptions/options';
import {
	assertAddress,
	cleanAddress,
	getEmail,
	isWildcard,
} from '../../shared/parameters/addresses';
import { Calendar } from '../../shared/parameters/calendar';
import { Parameters } from '../../shared/parameters/fields';
import { buildPath, parseId, readLimits, readUserId } from '../../shared/parameters/requests';
import { parseShortText } from '../../shared/parameters/values';
import { Redactor } from '../../shared/responses/redact';
import { isObject } from '../../shared/responses/shapes';
import { contactEmailField, contactLocator, containerLocator } from '../descriptions/commonFields';
import { parseRequestOptions } from '../parameters/requestOptions';
import { enter, type Endpoint, type Execution, type Host, type ItemState } from './execution';

export interface PathParams {
	containerId: string;
	contactEmail: string;
	/** Not that of the API key. */
	userId?: string;
}

/** One input item: its parameters, and the client that sends its requests. */
export class Item extends Parameters {
	/** Redacted in all output. An operation that knows a password adds it when it parses the item. */
	readonly sensitiveValues: string[] = [];
	/** They identify its error item: of the path, what the user entered, valid or not. */
	readonly errorFields: IDataObject = {};
	/** The parameters in the endpoint's path, trimmed, not encoded. */
	readonly pathParams: PathParams = { containerId: '', contactEmail: '' };
	readonly host: Host;
	readonly isTool: boolean;
	readonly state: ItemState;
	private connected?: Client;

	constructor(
		readonly run: Execution,
		readonly index: number,
		readonly input: INodeExecutionData,
	) {
		super(run.host.node.parameters, (path, fallback = '') => run.evaluate(path, index, fallback));
		this.host = run.host;
		this.isTool = run.host.node.type.endsWith('Tool');
		this.state = run.tries.getState(index);
	}

	get timeZone(): string {
		return this.host.context.getTimezone();
	}

	/** Asks the service for its time zone, once in an execution. @throws ServiceError where it doesn't respond */
	async getCalendar(): Promise<Calendar> {
		const { timeZone } = await this.client.getCurrentUser();
		return new Calendar(this.timeZone, timeZone);
	}

	/** Says until when there is access, where the last day ends at another time in the time zone of the workflow. */
	addEndHint(calendar?: Calendar, lastDay?: string): void {
		const text = lastDay === undefined ? undefined : calendar?.describeEnd(lastDay);
		if (text !== undefined) this.run.addHint(text);
	}

	/** @throws UserError for an option that every operation has */
	get settings() {
		return {
			...readLimits(this, this.run.form.responseTimeout),
			...parseRequestOptions(this.getParameter('requestOptions')),
		};
	}

	/** There once the item is prepared. */
	get client(): Client {
		return this.connected as Client;
	}

	/** Parses what every operation has, before its own parameters. @throws UserError for what can't be used */
	async prepare(): Promise<void> {
		const { endpoint } = this.run;
		for (const field of listPathFields(endpoint)) {
			this.pathParams[toPathKey(field)] = this.parsePathParam(field);
		}
		if (hasUserId(endpoint)) this.pathParams.userId = readUserId(this);
		this.connected = await this.run.connect(this.index, this.settings);
	}

	get redactor(): Redactor {
		return (this.connected?.redactor ?? new Redactor([])).extend(this.sensitiveValues);
	}

	/** @throws UserError for a value that can't be a segment of the path, or is not an email address where one is needed */
	parsePathParam(field: INodeProperties): string {
		const { name, displayName: label } = field;
		const value = this.getParameter(name);
		// A resource locator is an object from the editor, and plain text from an expression or an AI tool.
		const entered = isObject(value) && 'value' in value ? value.value : value;
		const key = toPathKey(field);
		// Nothing is not the text "undefined".
		this.errorFields[key] = isObject(entered) ? '' : String(entered ?? '');
		if (key === 'containerId') return parseId(entered, label);
		const text = parseShortText(getEmail(entered), label);
		const address = cleanAddress(text.replace(/(?<![,;])[,;]+$/, ''));
		const advice = `Enter one address, such as anna@example.com, in "${label}".`;
		if (address !== '') assertAddress(address, label, advice);
		// One that the service shows, and not one that is entered, can have any form.
		if (name !== contactEmailField.name || !isWildcard(address)) return parseId(address, label);
		throw new UserError(`"${address}" in "${label}" is not the address of one person`, {
			description: `Nothing was sent. ${advice}`,
		});
	}

	async getUserId(): Promise<string> {
		const { userId } = this.pathParams;
		return userId ?? (await this.client.getCurrentUser()).id;
	}

	async getPath(): Promise<string> {
		const { pathParams, run } = this;
		const { endpoint } = run;
		const userId = hasUserId(endpoint) ? await this.getUserId() : '';
		const values: Record<string, string> = {
			...pathParams,
			email: pathParams.contactEmail,
			userId,
		};
		const [, ...segments] = endpoint.path.split('/');
		return buildPath(segments.map((segment) => values[segment.replace(/[{}]/g, '')] ?? segment));
	}

	/** Runs a task once for all items with this API key, in all tries; one that fails once in each try. */
	async memoize<T>(key: string, task: () => Promise<T>): Promise<T> {
		return await this.run.tries.memoize(`${this.client.connection.key} ${key}`, task);
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
}

export const hasUserId = ({ path }: Endpoint): boolean => path.includes(`{${userIdOption.name}}`);

/** The fields of the path but for that of the user, which is among the options. */
export function listPathFields({ path }: Endpoint): INodeProperties[] {
	const fields = [containerLocator, contactLocator, contactEmailField];
	return fields.filter(({ name }) => path.includes(`{${name}}`));
}

function toPathKey(field: INodeProperties): 'containerId' | 'contactEmail' {
	return field.name === containerLocator.name ? 'containerId' : 'contactEmail';
}
