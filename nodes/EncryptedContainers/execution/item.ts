import {
	UserError,
	type IDataObject,
	type INodeExecutionData,
	type INodeProperties,
} from 'n8n-workflow';

import type { Client } from '../../shared/client/client';
import { isOfUser, toRequest } from '../../shared/client/endpoints';
import {
	assertAddress,
	cleanAddress,
	getEmail,
	isWildcard,
} from '../../shared/parameters/addresses';
import { Calendar } from '../../shared/parameters/calendar';
import { Parameters } from '../../shared/parameters/fields';
import { isLink, parseId, parseLink } from '../../shared/parameters/ids';
import { readLimits, readUserId } from '../../shared/parameters/requests';
import { parseShortText } from '../../shared/parameters/values';
import { Redactor } from '../../shared/responses/redact';
import { isObject } from '../../shared/responses/shapes';
import {
	contactEmailField,
	containerLocator,
	LINK_MODE,
	requestLocator,
} from '../descriptions/commonFields';
import { parseRequestOptions } from '../parameters/requestOptions';
import type { Execution, RequestSettings } from './execution';
import type { Host } from './host';
import { takeTurn } from './turns';

export interface PathParams {
	containerId?: string;
	contactEmail?: string;
	requestId?: string;
	/** Not that of the API key. */
	userId?: string;
}

/** One input item: its parameters, and the client that sends its requests. */
export class Item extends Parameters {
	/** They identify its error item: of the path, what the user entered, valid or not. */
	readonly errorFields: IDataObject = {};
	/** Those that the item has, trimmed, not encoded. */
	readonly pathParams: PathParams = {};
	readonly host: Host;
	readonly isTool: boolean;
	readonly timeZone: string;
	/** What no output shows, beside the API key. */
	readonly secrets: string[] = [];
	redactor = new Redactor([]);
	/** There once the item is prepared, as the client. */
	requestSettings!: RequestSettings;
	client!: Client;
	/** Of its job, the same in each try. */
	readonly id: string;

	constructor(
		readonly execution: Execution,
		readonly index: number,
		readonly input: INodeExecutionData,
	) {
		const { host } = execution;
		super(host.node.parameters, (path, fallback = '') => execution.evaluate(path, index, fallback));
		this.host = host;
		this.isTool = host.node.type.endsWith('Tool');
		this.timeZone = host.context.getTimezone();
		this.id = String(index);
	}

	/** Parses what every operation has, before its own parameters. @throws UserError for what can't be used */
	async prepare(): Promise<void> {
		const { requests, pathFields = [], responseTimeout } = this.execution.operation;
		for (const field of pathFields) this.parsePathParam(field);
		if (requests.some(isOfUser)) this.pathParams.userId = readUserId(this);
		const limits = readLimits(this, responseTimeout);
		const requestOptions = parseRequestOptions(this.getParameter('requestOptions'));
		this.requestSettings = { ...limits, ...requestOptions };
		this.client = await this.execution.connect(this.index, this.requestSettings);
		this.redactor = this.client.redactor;
	}

	/** An operation that knows a password hides it when it parses the item. */
	hide(secrets: string[]): void {
		this.secrets.push(...secrets);
		this.redactor = this.redactor.extend(secrets);
	}

	/** @throws UserError for a value that can't be a segment of the path, or is not an email address where one is needed */
	parsePathParam(field: INodeProperties): string {
		const key = toPathKey(field);
		return (this.pathParams[key] ??= this.parseEntered(field, key));
	}

	private parseEntered(field: INodeProperties, key: PathKey): string {
		const { name, displayName: label } = field;
		const value = this.getParameter(name);
		// A resource locator is an object from the editor, and plain text from an expression or an AI tool.
		const isLocator = isObject(value) && 'value' in value;
		const entered = isLocator ? value.value : value;
		// Nothing is not the text "undefined".
		this.errorFields[key] = isObject(entered) ? '' : String(entered ?? '');
		if (key === 'contactEmail') return parsePathAddress(entered, field);
		const isByLink = (isLocator && value.mode === LINK_MODE) || isLink(entered);
		const id = isByLink ? parseLink(entered, label) : parseId(entered, label);
		this.errorFields[key] = id;
		return id;
	}

	/** Asks the service for its time zone, once in an execution. @throws ServiceError where it doesn't respond */
	async getCalendar(): Promise<Calendar> {
		const { timeZone } = await this.client.getCurrentUser();
		return new Calendar(this.timeZone, timeZone);
	}

	/** Says until when there is access, where the last day ends at another time in the time zone of the workflow. */
	addEndHint(calendar?: Calendar, lastDay?: string): void {
		const text = lastDay === undefined ? undefined : calendar?.describeEnd(lastDay);
		if (text !== undefined) this.execution.addHint(text);
	}

	async getUserId(): Promise<string> {
		const { userId } = this.pathParams;
		return userId ?? (await this.client.getCurrentUser()).id;
	}

	/** The request that the operation declares, with what this item has in its path, and the doubt of an earlier try. */
	async getRequest() {
		const [request] = this.execution.operation.requests;
		const { containerId, contactEmail: email, requestId } = this.pathParams;
		const userId = isOfUser(request) ? await this.getUserId() : undefined;
		const doubt = this.execution.memory.recallDoubt(this.id);
		return { ...toRequest(request, { userId, containerId, email, requestId }), doubt };
	}

	/** Runs a task once for all items with this API key, in all tries; one that fails once in each try. */
	async memoize<T>(key: string, task: () => Promise<T>): Promise<T> {
		const ownKey = `${this.client.connection.key} ${key}`;
		return await this.execution.memory.memoize(ownKey, task);
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
		return await takeTurn(`${href} ${key}`, this.execution.signal);
	}

	/** Of the container that the item creates, in each of its tries. */
	get idempotencyKey(): string {
		return this.execution.memory.getIdempotencyKey(this.id);
	}

	/** For the error of an execution that stops: it returns no items. */
	noteCreated(what: string): void {
		this.execution.memory.noteCreated(what);
	}

	/** What was changed, or might have been, by the ID of a container, in all tries. */
	noteChange(id: string, change: unknown): void {
		this.execution.memory.noteChange(`${this.id} ${id}`, change);
	}

	recallChange(id: string): unknown {
		return this.execution.memory.recallChange(`${this.id} ${id}`);
	}
}

type PathKey = 'containerId' | 'contactEmail' | 'requestId';

function toPathKey({ name }: INodeProperties): PathKey {
	if (name === containerLocator.name) return 'containerId';
	return name === requestLocator.name ? 'requestId' : 'contactEmail';
}

function parsePathAddress(entered: unknown, { name, displayName: label }: INodeProperties): string {
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
