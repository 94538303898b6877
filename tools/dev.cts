import { dirname } from 'node:path';
import { addDevData } from './devData.cts';
import { trustCertificateAuthority } from './engine/trust.cts';
import { startEditorEnvironment } from './environment.cts';
import { readExamples, withCredentials, withFile } from './examples.cts';
import { startOutbox } from './outbox.cts';
import { buildWorkflow, CREDENTIAL_TYPE, NODE_TYPE, START } from './realN8n/workflow.cts';
import { log, runTool, step } from './tool.cts';

/** The example that is published at once, and the path of its form. */
const FORM = { example: 'form-upload-to-container', path: 'share-a-file' };

/**
 * Opens n8n's editor until Ctrl+C, with the package, the service, credentials, all example workflows, and a page with all
 * mails.
 */
async function main() {
	const environment = await startEditorEnvironment();
	const { service, ca, server, file, stop } = environment;
	trustCertificateAuthority(ca);
	const outbox = await startOutbox(service.mails);
	const { form, revoke } = await step('Adding the examples', async () => {
		await addDevData(environment);
		return await addWorkflows(environment, outbox.smtpPort);
	});
	log(`
Everything is ready. To see a change to the package or the service, restart.

  1. Encrypt a file    ${form}
                       for ada@example.com: the page shows the link
  2. Open the link     as ada@example.com: the code is in the outbox
                       (your browser warns of the certificate that the service made itself)
  3. Revoke access     ${revoke}
                       choose the container, execute, and open the link again

  Outbox     ${outbox.url}
  Editor     ${server.url}
  Email      ${server.access.owner.email}
  Password   ${server.access.owner.password}

  Service    ${service.baseUrl}
  API key    ${service.apiKey}
  CA file    ${service.caPath}
  Files      ${dirname(file)}

Press Ctrl+C to stop.`);
	const { signal, code } = await Promise.race([server.ended, service.ended]);
	await stop();
	throw new Error(`n8n or the service ended unexpectedly (${signal ?? `exit code ${code}`}).`);
}

type Environment = Awaited<ReturnType<typeof startEditorEnvironment>>;

/** Adds the credentials, the examples, and a workflow that revokes access. Returns where the two first steps begin. */
async function addWorkflows({ service, server, file }: Environment, smtpPort: number) {
	const addCredential = async (
		type: string,
		name: string,
		data: Record<string, string | number | boolean>,
	) => {
		const id = await server.createCredential({ name, type, data });
		return { [type]: { id, name } };
	};
	const { baseUrl, apiKey } = service;
	const mail = {
		user: '',
		password: '',
		host: '127.0.0.1',
		port: smtpPort,
		secure: false,
		disableStartTls: true,
	};
	const own = await addCredential(CREDENTIAL_TYPE, 'Encrypted Containers API', { baseUrl, apiKey });
	const credentials = { ...own, ...(await addCredential('smtp', 'Outbox', mail)) };
	for (const [name, workflow] of await readExamples()) {
		const id = await server.createWorkflow(withFile(withCredentials(workflow, credentials), file));
		if (name === FORM.example) await server.activate(id);
	}
	const parameters = { resource: 'drm', operation: 'revoke' };
	const node = { name: 'Revoke Access', type: NODE_TYPE, credentials: own, parameters };
	const workflow = buildWorkflow([START, node], { name: 'Revoke Access to a Container' });
	const id = await server.createWorkflow(workflow);
	return { form: `${server.url}/form/${FORM.path}`, revoke: `${server.url}/workflow/${id}` };
}

runTool(main);
