import { isInterrupted } from './interrupt.cts';

/**
 * Runs a tool to its end and ends this process: with 0, or with 1 and the message of what
 * went wrong. An interrupted tool ends as interrupt.cts says.
 */
export function runTool(main: () => Promise<void>): void {
	main().then(
		() => process.exit(0),
		(error: unknown) => {
			if (isInterrupted()) return;
			const message = error instanceof Error ? error.message : String(error);
			process.stderr.write(`\nFailed: ${message}\n`);
			process.exit(1);
		},
	);
}
