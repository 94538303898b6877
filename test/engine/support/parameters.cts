import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { defaultCredentials } from '../../support/engine.cts';

/** A container that is selected by its identifier. */
export const containerId = (value: string) => ({ __rl: true, mode: 'id', value });

/** A contact that is selected by its email address. */
export const contactEmail = (value: string) => ({ __rl: true, mode: 'email', value });

/** The user in most tests, so that they need no request for the user. */
export const userId = 'user-1';

/** No retries and one request at a time: tests are fast, and requests keep the order of the items. */
export const sequential = { maxRetries: 0, maxConcurrent: 1 };

/** Input items with an identifier each. */
export const itemsWith = (...ids: string[]) => ids.map((id) => ({ json: { id } }));

/** Expression for a later node: the input item of an output item. */
export const inputItemId = { id: "={{ $('Input').item.json.id }}" };

let keys = 0;

/** A new API key, whose user the node cannot know yet. */
export function newKey(): { apiKey: string } {
	keys += 1;
	return { apiKey: `${defaultCredentials.apiKey}-${keys}` };
}

/** The mocked service under a new base URL, so that the node knows of no change in it. */
export function newService(): { apiKey: string; baseUrl: string } {
	const { origin, pathname } = new URL(defaultCredentials.baseUrl);
	const credentials = newKey();
	return { ...credentials, baseUrl: `${origin}/instance-${keys}${pathname}` };
}

/** Parameters of an operation, with options merged. */
export function withOptions(parameters: INodeParameters, options: IDataObject): INodeParameters {
	const { options: currentOptions = {} } = parameters as { options?: IDataObject };
	return { ...parameters, options: { ...currentOptions, ...options } } as INodeParameters;
}
