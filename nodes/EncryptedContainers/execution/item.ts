import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { RequestLimits } from '../../shared/parameters/limits';
import type { RequestOptions } from '../parameters/requestOptions';
import type { Host } from './host';
import type { ItemState, Memory } from './memory';
import type { Endpoint, PathParams } from './pathParams';
import { getEnteredIds, parsePathParams } from './pathParams';

/** One input item of an operation. */
export class Item {
	/** Redacted in all output. An operation that knows a password adds it when it parses the item. */
	readonly sensitiveValues: string[] = [];

	/** Redacts a message about the item, while it has a client. */
	redactText?: (text: string) => string;

	/** Set by the runner before the operation parses the item. */
	settings!: RequestLimits & RequestOptions;

	private options?: IDataObject;
	private pathParams?: PathParams;

	constructor(
		readonly host: Host,
		readonly index: number,
		private readonly endpoint: Endpoint,
		private readonly memory: Memory,
	) {}

	get input(): INodeExecutionData {
		return this.host.items.get(this.index) ?? { json: {} };
	}

	get state(): ItemState {
		return this.memory.getState(this.index);
	}

	get timeZone(): string {
		return this.host.context.getTimezone();
	}

	getParameter(name: string, fallback: unknown = ''): unknown {
		return this.host.getParameter(name, this.index, fallback);
	}

	/** What the workflow stores: an expression unevaluated. */
	getRawParameter(name: string): unknown {
		return this.host.context.getNode().parameters[name];
	}

	/** The fields that identify an error item: what the user entered for the endpoint's path. */
	getErrorFields(): IDataObject {
		return getEnteredIds(this, this.endpoint);
	}

	getOptions(): IDataObject {
		this.options ??= this.getParameter('options', {}) as IDataObject;
		return this.options;
	}

	/** @throws UserError when a parameter in the endpoint's path can't be used */
	getPathParams(): PathParams {
		this.pathParams ??= parsePathParams(this, this.endpoint);
		return this.pathParams;
	}
}
