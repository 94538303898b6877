import type { IRun } from 'n8n-workflow';

function isNode(value: object): boolean {
	return 'typeVersion' in value && 'parameters' in value;
}

/**
 * The text that n8n stores of an execution, each object once. It omits the parameters of the nodes:
 * they belong to the workflow and contain what its author typed.
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
