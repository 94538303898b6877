import { isInterrupted } from './interrupt.cts';

/**
 * Runs a tool and ends this process with the exit code that it returns, 0 by default, or with 1 and the error
 * message. If the tool is interrupted, interrupt.cts ends the process.
 */
export function runTool(main: () => Promise<number | void>): void {
	main().then(
		(code) => {
			if (!isInterrupted()) process.exit(code ?? 0);
		},
		(error: unknown) => {
			if (isInterrupted()) return;
			const message = error instanceof Error ? error.message : String(error);
			process.stderr.write(`\nFailed: ${message}\n`);
			process.exit(1);
		},
	);
}
