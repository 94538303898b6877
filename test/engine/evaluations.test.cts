import { Expression, WorkflowExpression, type INodeParameters } from 'n8n-workflow';
import { runNode } from '../support/engine.cts';
import { mockService } from '../support/nock.cts';
import { containerId, userId } from './support/operations.cts';

const service = mockService();

const ITEMS = 3;

/** Runs the node, and returns how often each expression or other value was evaluated. */
async function countEvaluations(parameters: INodeParameters, value: string) {
	service
		.scope()
		.intercept(/.*/, 'GET')
		.optionally()
		.times(2 * ITEMS)
		.reply(200, (uri) => (/contacts$/.test(uri) ? [] : { dynamic: true, uuid: 'c-1' }));
	for (const method of ['POST', 'PATCH']) {
		const response = { container: { uuid: 'c-1' } };
		service.scope().intercept(/.*/, method).optionally().times(ITEMS).reply(200, response);
	}
	const evaluate = jest.spyOn(Expression.prototype, 'resolveSimpleParameterValue');
	const { error } = await runNode({
		parameters,
		items: Array.from({ length: ITEMS }, (_item, index) => ({
			json: { value, email: `p${index}@example.com` },
		})),
	});
	const counts = new Map<string, number>();
	for (const [entered] of evaluate.mock.calls) {
		const key = String(entered);
		counts.set(key, (counts.get(key) ?? 0) + 1);
	}
	evaluate.mockRestore();
	expect(error).toBeUndefined();
	return counts;
}

/** Different expressions of one meaning. */
const expression = (number: number) => `={{ $json.value }}${' '.repeat(number)}`;

const encode = {
	resource: 'container',
	operation: 'encode',
	fileSource: 'text',
	textContent: expression(1),
	textFileName: expression(2),
	name: expression(3),
	recipients: expression(4),
	drmRules: { password: expression(5) },
	options: { userId: expression(6) },
};
const sync = {
	resource: 'contact',
	email: '={{ $json.email }}',
	dataToSend: 'defineBelow',
	fieldsUi: { fields: [{ name: 'company', value: expression(1) }] },
	options: { userId },
};

it.each<[string, string, INodeParameters]>([
	['encode', 'anna@example.com', encode],
	[
		'get',
		'c-1',
		{ resource: 'container', operation: 'get', containerId: containerId(expression(1)) },
	],
	[
		'update',
		'anna@example.com',
		{
			resource: 'drm',
			operation: 'update',
			containerId: containerId('c-1'),
			rules: { ipAllow: '={{ "10.0.0.1" }}' },
			options: { keepOtherRules: false },
		},
	],
	['upsert', 'Example Ltd', { ...sync, operation: 'upsert' }],
	['sync', 'Example Ltd', { ...sync, operation: 'sync' }],
])('%s evaluates each expression once for each item', async (_operation, value, parameters) => {
	const counts = await countEvaluations(parameters, value);

	const expressions = [...counts].filter(([entered]) => entered.startsWith('='));
	expect(expressions.length).toBeGreaterThan(0);
	for (const [entered, count] of expressions) expect([entered, count]).toEqual([entered, ITEMS]);
});

it('evaluates what is no expression once in an execution', async () => {
	const evaluate = jest.spyOn(WorkflowExpression.prototype, 'getParameterValue');
	const picked = containerId('c-1');

	await countEvaluations({ resource: 'container', operation: 'get', containerId: picked }, '');
	const values = evaluate.mock.calls.map(([entered]) => JSON.stringify(entered));
	evaluate.mockRestore();

	expect(values.filter((entered) => entered === JSON.stringify(picked))).toHaveLength(1);
});
