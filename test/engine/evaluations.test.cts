import { Expression, type INodeParameters } from 'n8n-workflow';
import { runNode } from '../support/engine.cts';
import { mockService } from '../support/nock.cts';
import { containerId, userId } from './support/parameters.cts';

const service = mockService();

const ITEMS = 3;
const EXPRESSION = '={{ $json.value }}';

/** Returns how often the expression is evaluated for each item. */
async function countEvaluations(value: string, parameters: INodeParameters): Promise<number> {
	const { operation } = parameters;
	const method = { encode: 'POST', upsert: 'PATCH' }[operation as string] ?? 'GET';
	const response = { org_id: userId, container: { uuid: 'c-1' } };
	service.scope().intercept(/.*/, method).times(ITEMS).reply(200, response);
	const evaluate = jest.spyOn(Expression.prototype, 'resolveSimpleParameterValue');
	const { error } = await runNode({
		parameters,
		items: Array.from({ length: ITEMS }, () => ({ json: { value } })),
	});
	expect(error).toBeUndefined();
	const calls = evaluate.mock.calls.filter(([entered]) => entered === EXPRESSION);
	evaluate.mockRestore();
	return calls.length / ITEMS;
}

const encode = {
	resource: 'container',
	operation: 'encode',
	fileSource: 'text',
	textContent: 'x',
	name: 'Invoice',
	recipients: 'anna@example.com',
	options: { userId },
};
const upsert = { resource: 'contact', operation: 'upsert', email: 'anna@example.com' };

describe('an expression', () => {
	it.each<[string, string, INodeParameters]>([
		['a plain field', 'anna@example.com', { ...encode, recipients: EXPRESSION }],
		['an option', 'user-1', { ...encode, options: { userId: EXPRESSION } }],
		['a rule', '10.0.0.1', { ...encode, drmRules: { ipAllow: EXPRESSION } }],
		[
			'the container',
			'c-1',
			{ resource: 'container', operation: 'get', containerId: containerId(EXPRESSION) },
		],
		[
			'a list of fields',
			'Example Ltd',
			{
				...upsert,
				fieldsUi: { fields: [{ name: 'company', value: EXPRESSION }] },
				options: { userId },
			},
		],
	])('in %s is evaluated once for each item', async (_where, value, parameters) => {
		expect(await countEvaluations(value, parameters)).toBe(1);
	});
});
