import type { INode, INodeParameters, INodePropertyOptions } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';
import { EncryptedContainers } from '../../../../../../nodes/EncryptedContainers/EncryptedContainers.node';

const { description } = new EncryptedContainers();

/** The fields on the form of Encode, as the editor shows them. */
function fieldsFor(entered: INodeParameters, name = 'encryptedContainers') {
	const parameters = { resource: 'container', operation: 'encode', ...entered };
	const node = { type: name, typeVersion: 1, parameters } as unknown as INode;
	return description.properties.filter((field) =>
		NodeHelpers.displayParameter(parameters, field, node, { ...description, name }),
	);
}

const manifestFields = ['name', 'recipients', 'accessEnds', 'dynamic', 'downloadable', 'drmRules'];

describe('the form of Encode', () => {
	it('has either the fields of the manifest or its JSON', () => {
		const [fields, json] = ['fields', 'json'].map((specifyManifest) =>
			fieldsFor({ specifyManifest }).map(({ name }) => name),
		);

		expect(fields).toEqual(expect.arrayContaining(manifestFields));
		expect(fields).not.toContain('manifestJson');
		expect(json.filter((name) => manifestFields.includes(name))).toEqual([]);
		expect(json).toContain('manifestJson');
	});

	it.each([
		['encryptedContainers', ['all', 'named', 'text']],
		['encryptedContainersTool', ['named', 'text']],
	])('offers files of the input item where there is one: %s', (nodeName, choices) => {
		const sources = fieldsFor({}, nodeName).filter(({ name }) => name === 'fileSource');

		expect(
			sources.map(({ options }) => (options as INodePropertyOptions[]).map(({ value }) => value)),
		).toEqual([choices]);
	});
});
