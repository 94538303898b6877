import type { EditorAccess } from '../../../tools/editor/editor.cts';

/** What the global setup starts and hands to the test files. */
export interface Stage {
	access: EditorAccess;
	/** The sandbox in the process of the global setup. */
	sandbox: { origin: string; ca: string };
	/** Profile folder of the browser. */
	profile: string;
	/** A folder whose files workflows may read. */
	files: string;
}

const VARIABLE = 'BROWSER_STAGE';
const closers: Array<() => Promise<void>> = [];

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
	/** What the global teardown ends, the last first. */
	closeAtEnd(close: () => Promise<void>): void {
		closers.push(close);
	},
	async close(): Promise<void> {
		for (let close = closers.pop(); close; close = closers.pop()) await close();
	},
};
