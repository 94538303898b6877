import { packPackage, createRunFolder } from '../../../tools/project.cts';
import { step } from '../../../tools/tool.cts';
import { prepareN8n } from '../../../tools/realN8n/n8n.cts';

/**
 * Passes a value from jest's global setup to the test files, which can run in other processes, in an
 * environment variable.
 */
export function createHandover<T>(variable: string) {
	return {
		write(value: T): void {
			process.env[variable] = JSON.stringify(value);
		},
		/** @throws when the global setup did not run */
		read(): T {
			const text = process.env[variable];
			if (text === undefined) throw new Error('The global setup of these tests did not run.');
			return JSON.parse(text) as T;
		},
	};
}

/** The packed package, and a user folder of n8n with the package and an empty database. */
export const setup = createHandover<{ tarball: string; userFolder: string }>('E2E_SETUP');

/**
 * Runs once before all tests of the real n8n: installs n8n, packs the package, and prepares a
 * user folder with the package and an empty database, which each test file copies.
 */
export default async function globalSetup(): Promise<void> {
	const folder = await createRunFolder('e2e');
	const tarball = await packPackage(folder);
	const n8n = await prepareN8n({ tarball });
	await step("Preparing n8n's database", async () => {
		await (
			await n8n.launch(['list:workflow'])
		).ended;
	});
	setup.write({ tarball, userFolder: n8n.folder });
}
