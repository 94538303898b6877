import { copyExampleFile, withFile, type DemoService } from './demoService.cts';
import type { Progress } from './tool.cts';
import { prepareN8n, type N8n } from './realN8n/n8n.cts';

/** Prepares the real n8n with the packed package, the credential and these example workflows. */
export async function prepareDemoN8n(
	{ tarball, sandbox, credential, workflows }: DemoService,
	examples: string[],
	progress: Progress,
): Promise<N8n> {
	const n8n = await prepareN8n({ version: '2', tarball, caPath: sandbox.caPath, progress });
	const path = await copyExampleFile(n8n.files);
	await progress.step("Creating n8n's database and importing the credential", async () => {
		await n8n.importCredentials([credential]);
	});
	await progress.step('Importing the example workflows into n8n', async () => {
		const included = [...workflows].filter(([name]) => examples.includes(name));
		await n8n.importWorkflows(included.map(([, workflow]) => withFile(workflow, path)));
	});
	return n8n;
}
