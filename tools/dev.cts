import { copyExampleFile, readExamples, withCredentials, withFile } from './examples.cts';
import { createRunFolder, packPackage } from './project.cts';
import { prepareN8n } from './realN8n/n8n.cts';
import { CREDENTIAL_TYPE } from './realN8n/workflow.cts';
import { buildService, startService } from './service.cts';
import { log, runTool, step } from './tool.cts';

/**
 * Opens n8n's editor until Ctrl+C, with the package, the service, the credential and all example workflows.
 */
async function main() {
	const folder = await createRunFolder('dev');
	const tarball = await packPackage(folder);
	await buildService(folder);
	const service = await startService(folder);
	const { baseUrl, apiKey, caPath, mails } = service;
	const n8n = await prepareN8n({ tarball, caPath });
	const server = await step("Starting n8n's editor", n8n.start);
	const own = { name: 'Encrypted Containers API', type: CREDENTIAL_TYPE };
	const id = await server.createCredential({ ...own, data: { baseUrl, apiKey } });
	const credentials = { [own.type]: { id, name: own.name } };
	const file = await copyExampleFile(n8n.files);
	for (const workflow of (await readExamples()).values()) {
		await server.createWorkflow(withFile(withCredentials(workflow, credentials), file));
	}
	log(`
The editor is open. To see a change to the package or the service, restart.

  Editor     ${server.url}
  Email      ${server.access.owner.email}
  Password   ${server.access.owner.password}

  Service    ${baseUrl}
  API key    ${apiKey}
  CA file    ${caPath}
  Mails      ${mails}
  Files      ${n8n.files}

A container's URL opens in a browser: the code is in the mail. Press Ctrl+C to stop.`);
	const { signal, code } = await Promise.race([server.ended, service.ended]);
	await Promise.all([n8n.stop(), service.stop()]);
	throw new Error(`n8n or the service ended unexpectedly (${signal ?? `exit code ${code}`}).`);
}

runTool(main);
