import type { INodeParameters, INodePropertyOptions } from 'n8n-workflow';
import { singleNode } from '../support/definition.cts';

/** What the canvas shows below the name of a node, evaluated as n8n does. */
async function subtitleOf(node: string, parameters: INodeParameters): Promise<unknown> {
	const { node: created, workflow, loaded } = await singleNode({ node, parameters });
	const { description } = loaded.nodeTypes.getByNameAndVersion(created.type);
	const subtitle = description.subtitle ?? '';
	return workflow.expression.getSimpleParameterValue(created, subtitle, 'internal', {});
}

it.each([
	['container', 'encode', 'Encode: Container'],
	['container', 'getAll', 'Get Many: Container'],
	['drm', 'revoke', 'Revoke Access: DRM'],
	['contact', 'upsert', 'Create or Update: Contact'],
	['user', 'getMe', 'Get Me: User'],
])('the canvas shows %s %s as %j', async (resource, operation, words) => {
	expect(await subtitleOf('encryptedContainers', { resource, operation })).toBe(words);
});

it('the canvas shows every event of the trigger in its own words', async () => {
	const { node, loaded } = await singleNode({ node: 'encryptedContainersTrigger', parameters: {} });
	const { properties } = loaded.nodeTypes.getByNameAndVersion(node.type).description;
	const options = properties.find(({ name }) => name === 'event')?.options;
	expect(options?.length).toBeGreaterThan(0);
	for (const { name, value } of options as INodePropertyOptions[]) {
		expect(await subtitleOf('encryptedContainersTrigger', { event: value })).toBe(name);
	}
});
