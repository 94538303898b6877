import { inspect } from 'node:util';
import type { IRun } from 'n8n-workflow';
import { container, Logger } from './host.cts';

const listeners = new Set<string[]>();

const record = (line: string) => {
	for (const lines of listeners) lines.push(line);
};

const show = (value: unknown) =>
	typeof value === 'string' ? value : inspect(value, { depth: 12, maxStringLength: null });

/** n8n prints metadata as JSON. What JSON cannot print must not hide what it could. */
const asJson = (value: unknown) => {
	try {
		return JSON.stringify(value);
	} catch {
		return show(value);
	}
};

const sink = {
	log: (level: string, message: string, metadata: object = {}) =>
		record(`${level} ${message} ${asJson(metadata)}`),
	child: () => sink,
};

/** n8n's own logger stays in use, so that errors are written as n8n writes them. Only its output is ours. */
container.get(Logger).setInternalLogger(sink);

/**
 * Collects every line of n8n's logger, at any level, while `work` runs. Concurrent calls each see all lines.
 */
export async function withLog<T>(work: (log: string[]) => Promise<T>): Promise<T> {
	const log: string[] = [];
	listeners.add(log);
	try {
		return await work(log);
	} finally {
		listeners.delete(log);
	}
}

const isNode = (value: object) => 'typeVersion' in value && 'parameters' in value;

/**
 * The text that n8n stores of an execution, each object once. It omits the parameters of the nodes:
 * they belong to the workflow and contain what its author typed.
 */
export function storedRecord(execution: IRun): string {
	const seen = new WeakSet<object>();
	return JSON.stringify(execution.data, (_key, value: unknown) => {
		if (typeof value !== 'object' || value === null) return value;
		if (seen.has(value)) return '[seen]';
		seen.add(value);
		return isNode(value) ? { ...value, parameters: undefined } : value;
	});
}
