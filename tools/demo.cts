import assert from 'node:assert';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { readBinary, runNode, storeBinary } from '../test/support/engine.cts';
import { loadPackage } from '../test/support/package.cts';
import { trustCertificateAuthority } from '../test/support/certificate.cts';
import * as recipient from '../service/test/support/recipient.cts';
import { startEnvironment, type Environment } from './environment.cts';
import { exampleFile } from './examples.cts';
import { unpackPackage } from './project.cts';
import { sendByRequest } from './sendByRequest.cts';
import { log, runTool, step } from './tool.cts';

const [RECIPIENT, STRANGER] = ['ada@example.com', 'mallory@example.com'];
const FILE = basename(exampleFile);
/** By chance, encrypted bytes hold a piece this long once in a billion demos. */
const PIECE_BYTES = 8;

interface Demo extends Environment {
	run: Awaited<ReturnType<typeof startEngine>>;
	visit(url: string): recipient.Visitor;
	pdf: Buffer;
}

/**
 * Shows on this machine, with the service and the nodes in n8n's engine, that a file is encrypted for one person, and
 * that access ends. Each line that it prints was checked; what isn't so is an error. With --open, it then keeps running
 * with a new container that you open in your browser.
 */
async function main() {
	const { values } = parseArgs({ options: { open: { type: 'boolean' } } });
	const environment = await startEnvironment();
	const run = await step("Starting n8n's execution engine", () => startEngine(environment));
	log('');
	const { mails } = environment.service;
	const dispatcher = recipient.trusting(environment.ca);
	const visit = (url: string) => recipient.createVisitor({ url, mails, dispatcher });
	const demo = { ...environment, run, visit, pdf: await readFile(exampleFile) };
	const { id, url } = await encrypt(demo);
	await showStorage(demo);
	await showStranger(demo, url);
	await showRecipient(demo, id, url);
	await showActivity(demo, id);
	await showDecode(demo, id);
	report('Request', await sendByRequest({ ...demo, sender: RECIPIENT, fileName: FILE }));
	if (values.open) await keepOpen(demo);
	await demo.service.stop();
}

/** Returns a function that runs one operation of the packed package, and returns its items. */
async function startEngine({ folder, tarball, service, ca }: Environment) {
	const packageFolder = join(folder, 'package');
	await unpackPackage(tarball, packageFolder);
	trustCertificateAuthority(ca);
	await loadPackage(packageFolder);
	const credentials = { baseUrl: service.baseUrl, apiKey: service.apiKey };
	return async (parameters: INodeParameters, pdf?: Buffer): Promise<INodeExecutionData[]> => {
		const details = { fileName: FILE, mimeType: 'application/pdf' };
		const binary = pdf && { data: await storeBinary(pdf, details) };
		const items = [{ json: {}, binary }];
		const { items: output, error } = await runNode({ parameters, items, credentials });
		if (error) throw new Error(`The node failed: ${error.message} ${error.description ?? ''}`);
		return output;
	};
}

async function encrypt({ run, pdf }: Demo) {
	const form = { resource: 'container', operation: 'encode', recipients: RECIPIENT };
	const rules = { accessEnds: 'afterDays', accessDays: 30, downloadable: true, dynamic: true };
	const [{ json }] = await run({ ...form, ...rules, name: 'Invoice 2026-0042' }, pdf);
	const settings = json.settings as { link: string; recipients: string[]; endsOn: string };
	assert.deepEqual(settings.recipients, [RECIPIENT]);
	report('Encrypt', [
		`Container > Encode encrypts a PDF for ${RECIPIENT}, until ${settings.endsOn}: ${FILE},`,
		`${pdf.length} bytes, SHA-256 ${hash(pdf)}`,
	]);
	return { id: String(json.containerId), url: settings.link };
}

/** What lies in storage is one age file without any piece of the PDF. */
async function showStorage({ service, pdf }: Demo): Promise<void> {
	const folder = join(service.data, 'files');
	const [name, ...others] = await readdir(folder);
	assert.deepEqual(others, []);
	const stored = await readFile(join(folder, name));
	const [header] = stored.toString('latin1').split('\n');
	assert.equal(header, 'age-encryption.org/v1');
	const pieces = Array.from({ length: pdf.length - PIECE_BYTES + 1 }, (_, at) => at);
	const isStored = (at: number) => stored.includes(pdf.subarray(at, at + PIECE_BYTES));
	assert.ok(!pieces.some(isStored), 'Storage has a piece of the PDF.');
	report('Store', [
		`The service stores one file of ${stored.length} bytes. It begins with ${header},`,
		`and has none of the ${pieces.length} pieces of ${PIECE_BYTES} bytes of the PDF.`,
	]);
}

/** The page tells a stranger nothing, and no code is mailed to one. */
async function showStranger({ service, visit }: Demo, url: string): Promise<void> {
	const stranger = visit(url);
	const first = await stranger.go();
	assert.match(first.text, /Sign in to open your files/);
	assert.equal((await stranger.getFile(0)).status, 303, 'The file is there without a session.');
	const asked = await stranger.post('code', { email: STRANGER });
	const tried = await stranger.signIn(STRANGER, await visit(url).requestCode(RECIPIENT));
	assert.match(tried.text, /The code is wrong or has expired\./);
	for (const shown of [first, asked, tried]) assert.doesNotMatch(shown.text, /invoice|owner@/i);
	const addresses = recipient.readMails(service.mails).map(({ to }) => to);
	assert.deepEqual(addresses, [RECIPIENT]);
	report('Stranger', [
		`${STRANGER} asks for a code, and gets no mail. With the code of ${RECIPIENT}:`,
		'"The code is wrong or has expired." No page names a file.',
	]);
}

async function showRecipient({ run, visit, pdf }: Demo, id: string, url: string): Promise<void> {
	const session = visit(url);
	const page = await session.signIn(RECIPIENT);
	assert.ok(page.status === 303 && page.text.includes(FILE), page.text);
	const { bytes } = await session.getFile(0);
	assert.ok(bytes.equals(pdf), 'The recipient got something else than the PDF.');
	report('Recipient', [
		`${RECIPIENT} signs in with the mailed code, and gets the PDF byte for byte.`,
		`${bytes.length} bytes, SHA-256 ${hash(bytes)}`,
	]);
	const end = new Date(await revoke(run, id));
	assert.ok(end.getTime() < Date.now() - 86_400_000, `Access ends on ${end.toISOString()}.`);
	const day = new Date().toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
	const sentence = `The sender ended access on ${day}.`;
	const refused = [
		await session.go(),
		await session.getFile(0),
		await visit(url).signIn(RECIPIENT),
	];
	for (const { status, text } of refused) {
		assert.ok(status === 403 && text.includes(sentence), text);
	}
	report('Revoke', [
		'Access Rules (DRM) > Revoke Access ends access at once. The open page, its file, and a new sign-in with',
		`a new code say to ${RECIPIENT}: "${sentence}"`,
	]);
}

/** @returns the last day */
async function revoke(run: Demo['run'], id: string): Promise<string> {
	const [{ json }] = await run({ resource: 'drm', operation: 'revoke', containerId: id });
	return (json.time as { end: string }).end;
}

/** The service tells all of it, and nothing else. */
async function showActivity({ run }: Demo, id: string): Promise<void> {
	const actions = ['created', 'opened', 'refused', 'rulesChanged', 'deleted'];
	const activity = { resource: 'container', operation: 'getActivity', containers: 'one', actions };
	const events = await run({ ...activity, containerId: id });
	const lines = events.reverse().map(({ json: { action, user, detail } }) => {
		const { reason = '' } = detail as { reason?: string };
		return `${action} ${user} ${reason}`.trim();
	});
	const [owner, refusal] = ['owner@localhost', `container.refuse ${RECIPIENT} time`];
	const changes = [
		`container.create ${owner}`,
		`container.open ${RECIPIENT}`,
		`drm.update ${owner}`,
	];
	// Of the same reason, one a minute.
	assert.deepEqual(lines, [...changes, refusal]);
	report('Audit', ['Container > Get Activity lists exactly this:', ...lines]);
}

/** Also when access has ended for everybody else. */
async function showDecode({ run, pdf }: Demo, id: string): Promise<void> {
	const form = { resource: 'container', operation: 'decode', containerId: id };
	const [{ json, binary }, ...others] = await run(form);
	assert.deepEqual([json.name, others], [FILE, []]);
	const bytes = await readBinary(binary!.data);
	assert.ok(bytes.equals(pdf), 'The owner got something else than the PDF.');
	report('Decode', [
		'Container > Download Files (Decode): the owner decodes byte for byte,',
		`${bytes.length} bytes, SHA-256 ${hash(bytes)}`,
	]);
}

/** Encrypts the PDF again for whoever sits here, and shows the mailed codes until Ctrl+C. */
async function keepOpen(demo: Demo): Promise<void> {
	log('');
	const { id, url } = await encrypt(demo);
	log(`
Open ${url}
Your browser warns of the certificate, because the service made it itself. Sign in as ${RECIPIENT}:
the code appears here. Press Enter to revoke access, and Ctrl+C to stop.`);
	recipient.printMails(() => recipient.readMails(demo.service.mails));
	createInterface({ input: process.stdin }).on('line', () => {
		revoke(demo.run, id).then((end) => log(`Access is revoked: the last day is now ${end}.`), log);
	});
	await demo.service.ended;
}

const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** Prints what was checked. */
function report(title: string, lines: string[]): void {
	log(lines.map((line, index) => (index > 0 ? '' : title).padEnd(11) + line).join('\n'));
}

runTool(main);
