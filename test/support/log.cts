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

const consoleMethods = ['debug', 'info', 'log', 'warn', 'error', 'trace'] as const;

function listenToConsole(): () => void {
	const originals = consoleMethods.map((method) => [method, console[method]] as const);
	for (const [method, original] of originals) {
		console[method] = (...values: unknown[]) => {
			record(`console.${method} ${values.map(show).join(' ')}`);
			original.apply(console, values);
		};
	}
	return () => {
		for (const [method, original] of originals) console[method] = original;
	};
}

let stopListeningToConsole: (() => void) | undefined;

/**
 * Collects every line of n8n's logger (at any level) and of the console while `work` runs.
 * Concurrent calls each see all lines. Console output still appears.
 */
export async function withLog<T>(work: (log: string[]) => Promise<T>): Promise<T> {
	const log: string[] = [];
	if (listeners.size === 0) stopListeningToConsole = listenToConsole();
	listeners.add(log);
	try {
		return await work(log);
	} finally {
		listeners.delete(log);
		if (listeners.size === 0) stopListeningToConsole?.();
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
