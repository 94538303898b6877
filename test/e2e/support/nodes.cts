import type { INodeParameters } from 'n8n-workflow';
import type { NodeOptions } from '../../../tools/realN8n/workflow.cts';

/** Reads files that n8n can access into the binary field `data`. */
export function readFiles(name: string, selector: string): NodeOptions {
	return {
		name,
		type: 'n8n-nodes-base.readWriteFile',
		parameters: { operation: 'read', fileSelector: selector, options: {} },
	};
}

/** Runs JavaScript once for all items. The output is what it returns. */
export function code(name: string, jsCode: string): NodeOptions {
	return { name, type: 'n8n-nodes-base.code', typeVersion: 2, parameters: { jsCode } };
}

/** Selects a container by its ID. */
export function containerById(id: string): INodeParameters {
	return { containerId: { __rl: true, mode: 'id', value: id } };
}
