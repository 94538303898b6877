import type { IExecutePaginationFunctions, INodeProperties } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import { runItem } from './runItem';

/** Runs where n8n finds no operation: otherwise, it would send a request without a URL. */
export const unknownOperation: Pick<INodeProperties, 'routing'> = {
	routing: {
		// For all operations.
		send: { paginate: true },
		operations: {
			async pagination(this: IExecutePaginationFunctions, requestData) {
				const { resource, operation } = this.getNode().parameters;
				return await runItem(
					this,
					{ method: 'GET', path: [] },
					{
						prepare() {
							throw new UserError('"Resource" or "Operation" has an unknown value', {
								description: `The node has no operation "${String(operation ?? '')}" of the resource "${String(resource)}". Choose both from the lists: n8n evaluates no expressions there. To run different operations, add one node for each, after a Switch node.`,
							});
						},
						send: async () => await Promise.resolve([]),
					},
					requestData,
				);
			},
		},
	},
};
