import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { runNode, type RunNodeOptions } from '../../support/engine.cts';
import { containerId, newService, sequential } from './parameters.cts';

export const base: INodeParameters = {
	resource: 'drm',
	operation: 'update',
	containerId: containerId('={{ $json.id }}'),
	specifyRules: 'fields',
	rules: { opens: 1 },
	options: {},
};

export const path = '/containers/c-1/drm';

export const currentRules = () => ({
	dynamic: true,
	geo: { allow: [{ country: 'CH' }], block: [{ country: 'KP' }] },
	ip: { allow: ['192.0.2.1'] },
	opens: 5,
	time: { start: '2026-01-01', end: '2099-12-31' },
	downloadable: false,
	recipients: ['anna@example.com', 'bob@example.com'],
});

export const withoutCurrentRules = { keepOtherRules: false };

export const update = async (
	parameters: INodeParameters = {},
	options: IDataObject = {},
	more: Partial<RunNodeOptions> = {},
) =>
	await runNode({
		items: [{ json: { id: 'c-1' } }],
		// The node remembers what changed in a service, and each test has rules of its own.
		credentials: newService(),
		...more,
		parameters: {
			...base,
			...parameters,
			options: { ...sequential, ...options },
		} as INodeParameters,
	});

/** What the node returns for rules of the container. */
export const output = (shown: IDataObject, changed = true) => ({
	containerId: 'c-1',
	changed,
	...shown,
});

export const rules = (fields: IDataObject) => ({ rules: fields }) as INodeParameters;
