import type { INodeParameters, INodeType, NodeHint } from 'n8n-workflow';
import { Workflow, type INode } from 'n8n-workflow';
import { loadPackage } from '../support/package.cts';

type Time = 'beforeExecution' | 'afterExecution';

const type = 'encryptedContainers';
const recipients = 'anna@example.com';

/** Returns the hints that the editor shows for these parameters, as it decides that: only on the boolean true. */
async function getHints(
	parameters: INodeParameters,
	{ time = 'beforeExecution', items = 1 }: { time?: Time; items?: number } = {},
): Promise<string[]> {
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
		return value === true && hint.whenToDisplay === time;
	});
	return shown.map(({ message }) => message);
}

const encode = { resource: 'container', operation: 'encode' };

describe('the hints beside the output', () => {
	it.each([
		['no recipients', { ...encode }],
		['only spaces as recipients', { ...encode, recipients: ' ' }],
	])('warn before the run about %s', async (_what, parameters) => {
		expect(await getHints(parameters)).toEqual([
			'Without recipients, it is up to the service who can open the container.',
		]);
	});

	it('warn before the run about rules that can never change', async () => {
		expect(await getHints({ ...encode, recipients, dynamic: false })).toEqual([
			"The rules will be sealed into the container permanently. Access can't be revoked then.",
		]);
	});

	it.each<[string, INodeParameters]>([
		['recipients', { ...encode, recipients }],
		[
			'an expression',
			{ ...encode, recipients: '={{ $json.recipients }}', dynamic: '={{ false }}' },
		],
		['a manifest as JSON', { ...encode, specifyManifest: 'json', manifestJson: '{}' }],
		['another operation', { resource: 'drm', operation: 'revoke', containerId: 'c-1' }],
	])('say nothing with %s', async (_what, parameters) => {
		expect(await getHints(parameters)).toEqual([]);
		expect(await getHints(parameters, { time: 'afterExecution' })).toEqual([]);
	});

	it('can be decided without input items', async () => {
		expect(await getHints({ resource: 'user', operation: 'getMe' }, { items: 0 })).toEqual([]);
	});

	it('recommend Batching for many items, unless it is set', async () => {
		const parameters = { resource: 'user', operation: 'getMe' };
		const requestOptions = { batching: { batch: { batchSize: 10, batchInterval: 100 } } };

		expect(await getHints(parameters, { items: 1000 })).toEqual([]);
		expect(await getHints(parameters, { items: 1001 })).toEqual([
			expect.stringContaining('Request Options > Batching'),
		]);
		expect(await getHints({ ...parameters, requestOptions }, { items: 1001 })).toEqual([]);
	});

	it('tell after the run what was not changed', async () => {
		const options = { ifExists: 'reuse' };

		expect(await getHints({ ...encode, recipients, options }, { time: 'afterExecution' })).toEqual([
			'Where "reused" is true, the container existed, and nothing was uploaded.',
		]);
	});
});
