import { startEditorEnvironment } from './demoService.cts';
import { readExamples, withCredentials, withFile } from './examples.cts';
import { CREDENTIAL_TYPE } from './realN8n/workflow.cts';
import { log, runTool } from './tool.cts';

/**
 * Opens n8n's editor until Ctrl+C, with the package, the sandbox as its service, the credential and all
 * example workflows.
 */
async function main() {
	const { sandbox, n8n, server, file, stop } = await startEditorEnvironment();
	const { url, apiKey } = sandbox;
	const own = { name: 'Encrypted Containers API', type: CREDENTIAL_TYPE };
	const id = await server.createCredential({ ...own, data: { baseUrl: url, apiKey } });
	const credentials = { [own.type]: { id, name: own.name } };
	for (const workflow of (await readExamples()).values()) {
		await server.createWorkflow(withFile(withCredentials(workflow, credentials), file));
	}
	log(`
The editor is open. To see a change to the package, restart.

  Editor     ${server.url}
  Email      ${server.access.owner.email}
  Password   ${server.access.owner.password}

  Service    ${url}
  API key    ${apiKey}
  Files      ${n8n.files}

Press Ctrl+C to stop.`);
	const { signal, code } = await server.ended;
	await stop();
	throw new Error(`n8n ended unexpectedly (${signal ?? `exit code ${code}`}).`);
}

runTool(main);
