import type { INodeParameters, INodeType, NodeHint } from 'n8n-workflow';
import { NodeHelpers, Workflow, type INode } from 'n8n-workflow';
import { loadPackage } from '../support/package.cts';

const type = 'encryptedContainers';
const recipients = 'anna@example.com';

/** Returns the hints that the editor shows for these parameters, as it decides that: only on the boolean true. */
async function getHints(parameters: INodeParameters, items = 1): Promise<string[]> {
	const { loader } = await loadPackage();
	const nodeType = loader.getNode(type).type as INodeType;
	const node: INode = {
		id: '1',
		name: 'Tested',
		type,
		typeVersion: 1,
		position: [0, 0],
		parameters,
	};
	const workflow = new Workflow({
		nodes: [node],
		connections: {},
		active: false,
		nodeTypes: {
			getByName: () => nodeType,
			getByNameAndVersion: () => nodeType,
			getKnownTypes: () => ({}),
		},
	});
	const input = Array.from({ length: items }, () => ({ json: {} }));
	const evaluate = ({ displayCondition = '' }: NodeHint): unknown =>
		workflow.expression.getParameterValue(
			displayCondition,
			null,
			0,
			0,
			node.name,
			input,
			'manual',
			{},
		);
	const shown = (nodeType.description.hints ?? []).filter((hint) => {
		const value = evaluate(hint);
		expect(typeof value).toBe('boolean');
		return value === true && hint.whenToDisplay === 'beforeExecution';
	});
	return shown.map(({ message }) => message);
}

const encode = { resource: 'container', operation: 'encode' };

const withManifest = (container: unknown) => ({
	...encode,
	specifyManifest: 'json',
	manifestJson: JSON.stringify({ container }),
});
const changeable = { drm: { dynamic: true } };
const noRecipients = 'Without recipients, it is up to the service who can open the container.';
const sealed =
	"The rules will be sealed into the container permanently. Access can't be revoked then.";

describe('the hints beside the output', () => {
	it.each<[string, INodeParameters, string[]]>([
		['a manifest without recipients', withManifest(changeable), [noRecipients]],
		['empty recipients', withManifest({ recipients: [], ...changeable }), [noRecipients]],
		['a manifest without rules', withManifest({ recipients: [recipients] }), [sealed]],
		[
			'a change that seals the rules',
			{ resource: 'drm', operation: 'update', containerId: 'c-1', rules: { dynamic: false } },
			[sealed],
		],
	])('warn before the run about %s', async (_what, parameters, expected) => {
		expect(await getHints(parameters)).toEqual(expected);
	});

	it.each<[string, INodeParameters]>([
		['a complete manifest', withManifest({ recipients: [recipients], ...changeable })],
		['recipients in the rules', withManifest({ drm: { dynamic: true, recipients: [recipients] } })],
		[
			'an expression',
			{ ...encode, specifyManifest: 'json', manifestJson: '={{ $json.manifest }}' },
		],
		['fields, which have notices', { ...encode, dynamic: false }],
		['another operation', { resource: 'drm', operation: 'revoke', containerId: 'c-1' }],
	])('say nothing with %s', async (_what, parameters) => {
		expect(await getHints(parameters)).toEqual([]);
	});

	it('can be decided without input items', async () => {
		expect(await getHints({ resource: 'user', operation: 'getMe' }, 0)).toEqual([]);
	});
});

describe('the notice of Sync without fields', () => {
	it.each<[string, INodeParameters, boolean]>([
		['none with Define Below', { dataToSend: 'defineBelow', fieldsUi: {} }, true],
		[
			'one with Define Below',
			{ dataToSend: 'defineBelow', fieldsUi: { fields: [{ name: 'company', value: 'X' }] } },
			false,
		],
		['none with Auto-Map', { dataToSend: 'autoMapInputData', fieldsUi: {} }, false],
	])('is shown where there is no field: %s', async (_which, parameters, isShown) => {
		const { loader } = await loadPackage();
		const { properties } = (loader.getNode(type).type as INodeType).description;
		const [notice] = properties.filter(({ name }) => name === 'noFieldsNotice');
		const values = { resource: 'contact', operation: 'sync', ...parameters };

		expect(NodeHelpers.displayParameter(values, notice, null, null, values)).toBe(isShown);
	});
});
