import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { defaultCredentials } from '../../support/engine.cts';

/** A container as the user picks it by its identifier. */
export const containerId = (value: string) => ({ __rl: true, mode: 'id', value });

/** A contact as the user picks it by its address. */
export const contactEmail = (value: string) => ({ __rl: true, mode: 'email', value });

/** The user whom most tests name, so that no test has to ask for them. */
export const userId = 'user-1';

/** No second try and one request at a time: tests are quick, and requests in the order of the items. */
export const oneByOne = { maxRetries: 0, maxConcurrent: 1 };

/** Input items with an identifier each. */
export const itemsWith = (...ids: string[]) => ids.map((id) => ({ json: { id } }));

/** Expression that any node after this one may hold: the input item that an output item comes from. */
export const itsInput = { id: "={{ $('Input').item.json.id }}" };

let keys = 0;

/** A key that no run has used before, whose user the node cannot know yet. */
export function newKey(): { apiKey: string } {
	keys += 1;
	return { apiKey: `${defaultCredentials.apiKey}-${keys}` };
}

/** Parameters of an operation, its options merged. */
export function withOptions(parameters: INodeParameters, options: IDataObject): INodeParameters {
	const { options: present = {} } = parameters as { options?: IDataObject };
	return { ...parameters, options: { ...present, ...options } } as INodeParameters;
}
