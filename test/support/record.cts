import type { IRun } from 'n8n-workflow';

function isNode(value: object): boolean {
	return 'typeVersion' in value && 'parameters' in value;
}

/**
 * The text that n8n keeps of an execution, each object once. The parameters of the nodes are left
 * out: they are the workflow itself, which holds what its author typed into it.
 */
export function storedRecord(execution: IRun): string {
	const seen = new WeakSet<object>();
	const text = JSON.stringify(execution.data, (_key, value: unknown) => {
		if (typeof value !== 'object' || value === null) return value;
		if (seen.has(value)) return '[seen]';
		seen.add(value);
		return isNode(value) ? { ...value, parameters: undefined } : value;
	});
	return text;
}
