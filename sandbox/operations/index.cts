import { contactOperations } from './contacts.cts';
import { containerOperations } from './containers.cts';
import { drmRulesOperations } from './drmRules.cts';
import { userOperations } from './user.cts';
import type { OperationId } from '../contract/document.cts';
import type { Operation } from '../service/context.cts';

/** What the twelve operations of docs/openapi.yaml do, once a request fits the contract. */
export const operations: Record<OperationId, Operation> = {
	...userOperations,
	...containerOperations,
	...drmRulesOperations,
	...contactOperations,
};
