import type { IDataObject, IExecutePaginationFunctions, INodeExecutionData } from 'n8n-workflow';

import type { ItemState } from './itemState';
import type { Endpoint, PathParams } from './pathParams';
import { getEnteredIds, parsePathParams } from './pathParams';

/** One input item of an operation. */
export class ItemContext {
	readonly itemIndex: number;

	/** The input items that the output comes from. An operation that handles several sets them in `prepare`. */
	pairedItem: INodeExecutionData['pairedItem'];

	/** The fields that identify an error item: what the user entered for the endpoint's path. */
	getErrorFields: () => IDataObject;

	/** Redacted in all output. An operation that knows a password adds it in `prepare`. */
	readonly sensitiveValues: string[] = [];

	/** Redacts a message about the item, once it has a client. */
	redactText = (text: string): string => text;

	private pathParams?: PathParams;

	private options?: IDataObject;

	constructor(
		readonly context: IExecutePaginationFunctions,
		private readonly endpoint: Endpoint,
		readonly state: ItemState,
	) {
		this.itemIndex = context.getItemIndex();
		this.pairedItem = { item: this.itemIndex };
		this.getErrorFields = () => getEnteredIds(context, endpoint);
	}

	getParameter(name: string, fallback?: unknown): unknown {
		return this.context.getNodeParameter(name, fallback);
	}

	getOptions(): IDataObject {
		this.options ??= this.context.getNodeParameter('options', {}) as IDataObject;
		return this.options;
	}

	/** @throws UserError when a parameter in the endpoint's path can't be used */
	getPathParams(): PathParams {
		this.pathParams ??= parsePathParams(this.context, this.endpoint, this.getOptions());
		return this.pathParams;
	}
}
