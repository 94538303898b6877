import type { IDataObject, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import { parseId, parseUserId } from '../../shared/client/path';
import { addAdvice } from '../../shared/errors/nodeErrors';
import { isWildcard } from '../../shared/parameters/addresses';
import { getRequestLimits } from '../../shared/parameters/limits';
import { assertAddress, cleanAddress, getEmail } from '../../shared/parameters/lists';
import { parseShortText } from '../../shared/parameters/scalars';
import { isObject } from '../../shared/responses/shapes';
import { parseRequestOptions } from '../parameters/requestOptions';
import type { Host } from './host';
import type { Endpoint, PathParam, PathParams } from './pathParams';
import { listPathParams, newContactParam, userParam } from './pathParams';
import type { Tries } from './tries';

/** What all items of an execution have in common. */
interface Execution {
	host: Host;
	endpoint: Endpoint;
	tries: Tries;
	/** Seconds that a whole response can take, where it is another number than usual. */
	responseTimeout?: number;
	getLabel(name: string): string;
}

export class Item {
	/** Redacted in all output. An operation that knows a password adds it when it parses the item. */
	readonly sensitiveValues: string[] = [];
	readonly host: Host;
	private options?: IDataObject;
	private parsedSettings?: ReturnType<Item['parseSettings']>;
	private pathParams?: PathParams;

	constructor(
		private readonly execution: Execution,
		readonly index: number,
		readonly input: INodeExecutionData,
	) {
		this.host = execution.host;
	}

	/** @throws UserError for an option that every operation has */
	get settings() {
		this.parsedSettings ??= this.parseSettings();
		return this.parsedSettings;
	}

	get endpoint() {
		return this.execution.endpoint;
	}

	/** What the tries of the node (Retry On Fail) know of the item. */
	get state() {
		return this.execution.tries.getState(this.index);
	}

	get isTool(): boolean {
		return this.host.node.type.endsWith('Tool');
	}

	get timeZone(): string {
		return this.host.context.getTimezone();
	}

	getParameter(name: string, fallback: unknown = ''): unknown {
		try {
			return this.host.getParameter(name, this.index, fallback);
		} catch (error) {
			// n8n often doesn't say where an expression is.
			const label = this.execution.getLabel(name);
			throw addAdvice(error as Error, `Correct the expression in "${label}".`);
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

	/** The fields that identify an error item: what the user entered for the endpoint's path, valid or not. */
	getErrorFields(): IDataObject {
		const params = listPathParams(this.endpoint).filter((param) => param !== userParam);
		const fields = params.map((param) => {
			const value = this.getEntered(param);
			return [param.key, typeof value === 'string' || typeof value === 'number' ? value : ''];
		});
		return Object.fromEntries(fields) as IDataObject;
	}

	/** The parameters in the endpoint's path, trimmed, not encoded. @throws UserError as parsePathParam does */
	getPathParams(): PathParams {
		const params = listPathParams(this.endpoint);
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

	private parseSettings() {
		return {
			...getRequestLimits(this.getOptions(), this.execution.responseTimeout),
			...parseRequestOptions(this.getParameter('requestOptions')),
		};
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
