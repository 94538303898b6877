import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { runNode, type RunNodeOptions } from '../../support/engine.cts';
import { containerId, newService, sequential } from './parameters.cts';

export const base: INodeParameters = {
	resource: 'drm',
	operation: 'revoke',
	containerId: containerId('={{ $json.id }}'),
	options: {},
};

export const revoke = async (options: IDataObject = {}, more: Partial<RunNodeOptions> = {}) =>
	await runNode({
		items: [{ json: { id: 'c-1' } }],
		// The node remembers what changed in a service, and each test has rules of its own.
		credentials: newService(),
		...more,
		parameters: { ...base, options: { ...sequential, ...options } } as INodeParameters,
	});
