import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import { startEditorEnvironment } from './environment.cts';
import { readExamples, withCredentials } from './examples.cts';
import * as n8n from './realN8n/workflow.cts';
import * as recipient from '../service/test/support/recipient.cts';
import { log, runTool, step } from './tool.cts';

/** The example that is published at once, and the path of its form. */
const FORM = { example: 'form-upload-to-container', path: 'share-a-file' };
const DAY_MS = 86_400_000;
const ADA = 'ada.lindqvist@example.com';
const NAMES =
	'Ada Ben Chloe Dan Eva Finn Grace Hugo Ida Jack Kate Leo Mia Noah Olga Paul Rosa Sam Tina Uma';

type Environment = Awaited<ReturnType<typeof startEditorEnvironment>>;

/**
 * Opens n8n's editor until Ctrl+C, with the package, the service, credentials, all example workflows, and a page of all
 * mails.
 */
async function main() {
	const environment = await startEditorEnvironment();
	const { service, server, file, stop } = environment;
	const mailServer = await recipient.startMailServer();
	const readMails = () => [...recipient.readMails(service.mails), ...mailServer.mails];
	const outbox = await startOutbox(readMails);
	const { form, revoke } = await step('Adding the examples', async () => {
		await addData(environment);
		return await addWorkflows(environment, mailServer.port);
	});
	log(`
Everything is ready. To see a change to the package or the service, restart.

  1. Encrypt a file    ${form}
                       for ada@example.com: the page shows the link
  2. Open the link     as ada@example.com: the mail with the code is in the outbox
                       (your browser warns of the certificate that the service made itself)
  3. Revoke access     ${revoke}
                       choose the container, execute, and open the link again

  Outbox     ${outbox}

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

/** Shows all mails on a page of this machine alone: the service has no such page. */
async function startOutbox(readMails: () => recipient.Mail[]): Promise<string> {
	const server = createServer((_request, response) => {
		const mails = readMails().map(({ to, subject, text }) => `To ${to}: ${subject}\n\n${text}`);
		const text = mails.join('\n\n').replace(/[&<]/g, (sign) => `&#${sign.charCodeAt(0)};`);
		const linked = text.replace(/https?:\/\/\S+/g, '<a href="$&" target="_blank">$&</a>');
		response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', refresh: '3' });
		response.end(`<!doctype html><title>Outbox</title><h1>Outbox</h1><pre>${linked}</pre>`);
	});
	await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
	return `http://localhost:${(server.address() as AddressInfo).port}/outbox`;
}

const toDay = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

/** Contacts and containers, so that each example has something to show. */
async function addData({ service, client, ca }: Environment): Promise<void> {
	const add = async (name: string, rules: IDataObject, ageInDays = 0) => {
		const id = await client.addContainer({ name, rules, text: `This is ${name}.` });
		if (ageInDays > 0) service.setCreatedDate(id, new Date(Date.now() - ageInDays * DAY_MS));
		return id;
	};
	for (const [index, name] of NAMES.split(' ').entries()) {
		const [email, contact] = [`${name.toLowerCase()}.lindqvist@example.com`, { first_name: name }];
		await client.addContact(email, { ...contact, last_name: 'Lindqvist', company: 'Lindqvist AB' });
		const rules = { recipients: [email], time: { end: toDay(index + 2) } };
		if (index < 10) await add(`Contract for ${name}`, rules);
	}
	const recipients = [ADA];
	for (const days of [100, 200]) await add(`Report of ${toDay(-days)}`, { recipients }, days);
	await add('Offer that nobody has opened', { recipients, time: { end: toDay(30) } }, 3);
	await add('Price list for all of example.com', { recipients: ['*@example.com'] });
	const id = await add('Minutes that Ada has opened', { recipients, opens: 3 });
	const url = new URL(`/c/${id}`, service.baseUrl).href;
	const dispatcher = recipient.trusting(ca);
	await recipient.createVisitor({ url, mails: service.mails, dispatcher }).signIn(ADA);
}

/** Adds the credentials, the examples, and a workflow that revokes access. Returns where the two first steps begin. */
async function addWorkflows({ service, server, file }: Environment, port: number) {
	const { baseUrl, apiKey } = service;
	const login = { user: '', password: '', host: '127.0.0.1', port };
	const addCredential = async (type: string, data: n8n.CredentialJson['data']) => {
		const id = await server.createCredential({ name: type, type, data });
		return { [type]: { id, name: type } };
	};
	const own = await addCredential(n8n.CREDENTIAL_TYPE, { baseUrl, apiKey });
	const smtp = await addCredential('smtp', { ...login, secure: false, disableStartTls: true });
	for (const [name, workflow] of await readExamples()) {
		const filledIn = fillIn(withCredentials(workflow, { ...own, ...smtp }), file);
		const id = await server.createWorkflow(filledIn);
		if (name === FORM.example) await server.activate(id);
	}
	const parameters = { resource: 'drm', operation: 'revoke' };
	const node = { name: 'Revoke Access', type: n8n.NODE_TYPE, credentials: own, parameters };
	const workflow = n8n.buildWorkflow([n8n.START, node], { name: 'Revoke Access to a Container' });
	const id = await server.createWorkflow(workflow);
	return { form: `${server.url}/form/${FORM.path}`, revoke: `${server.url}/workflow/${id}` };
}

/** Fills in what the notes of the examples ask for: the file to read, and a recipient. */
function fillIn(workflow: n8n.WorkflowJson, file: string): n8n.WorkflowJson {
	const nodes = workflow.nodes.map((node) => {
		const parameters = { ...node.parameters };
		if (node.type === 'n8n-nodes-base.readWriteFile') parameters.fileSelector = file;
		if (parameters.recipients === '') parameters.recipients = ADA;
		return { ...node, parameters };
	});
	return { ...workflow, nodes };
}

runTool(main);
