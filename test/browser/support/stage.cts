import type { EditorAccess } from '../../../tools/editor/editor.cts';

/** What the global setup starts and hands to the test files. */
export interface Stage {
	access: EditorAccess;
	/** The sandbox in the process of the global setup. */
	sandbox: { origin: string; ca: string };
	/** Profile folder of the browser. */
	profile: string;
	/** A PDF that workflows may read. */
	file: string;
}

const VARIABLE = 'BROWSER_STAGE';
let closeStage: (() => Promise<void>) | undefined;

export const stage = {
	write(value: Stage): void {
		process.env[VARIABLE] = JSON.stringify(value);
	},
	/** @throws when the tests run without their global setup */
	read(): Stage {
		const text = process.env[VARIABLE];
		if (text === undefined) throw new Error('The global setup of the browser tests has not run.');
		return JSON.parse(text);
	},
	/** What the global teardown, in the same process, does. */
	closeAtEnd(close: () => Promise<void>): void {
		closeStage = close;
	},
	async close(): Promise<void> {
		await closeStage?.();
	},
};
