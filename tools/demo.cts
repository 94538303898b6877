import assert from 'node:assert';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { runNode, storeBinary } from '../test/support/engine.cts';
import { loadPackage } from '../test/support/package.cts';
import { trustCertificateAuthority } from '../test/support/trust.cts';
import { startEnvironment, type Environment } from './environment.cts';
import { exampleFile } from './examples.cts';
import { waitFor } from './processes.cts';
import { unpackPackage } from './project.cts';
import { createVisitor, readMails, type Page, type Visitor } from './recipient.cts';
import { log, runTool, step } from './tool.cts';

const [RECIPIENT, STRANGER] = ['ada@example.com', 'mallory@example.com'];
const FILE = basename(exampleFile);
/** By chance, encrypted bytes hold a piece this long once in a billion demos. */
const PIECE_BYTES = 8;

interface Demo extends Environment {
	run: Awaited<ReturnType<typeof startEngine>>;
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
	const demo = { ...environment, run, pdf: await readFile(exampleFile) };
	const { id, url } = await encrypt(demo);
	await showStorage(demo);
	await showStranger(demo, url);
	const session = await showRecipient(demo, url);
	await showRevocation(demo, { id, url, session });
	await showActivity(demo, id);
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
	return async (parameters: INodeParameters, pdf?: Buffer): Promise<IDataObject[]> => {
		const details = { fileName: FILE, mimeType: 'application/pdf' };
		const binary = pdf && { data: await storeBinary(pdf, details) };
		const items = [{ json: {}, binary }];
		const { items: output, error } = await runNode({ parameters, items, credentials });
		if (error) throw new Error(`The node failed: ${error.message} ${error.description ?? ''}`);
		return output.map(({ json }) => json);
	};
}

async function encrypt({ run, pdf }: Demo) {
	const form = { resource: 'container', operation: 'encode', recipients: RECIPIENT };
	const rules = { accessEnds: 'afterDays', accessDays: 30, downloadable: true, dynamic: true };
	const [item] = await run({ ...form, ...rules, name: 'Invoice 2026-0042' }, pdf);
	const settings = item.settings as { link: string; recipients: string[]; endsOn: string };
	assert.deepEqual(settings.recipients, [RECIPIENT]);
	report('Encrypt', [
		`Container > Encode encrypts a PDF for ${RECIPIENT}, until ${settings.endsOn}: ${FILE},`,
		`${pdf.length} bytes, SHA-256 ${hash(pdf)}`,
	]);
	return { id: String(item.containerId), url: settings.link };
}

/** What lies in storage is one age file without any piece of the PDF. */
async function showStorage({ service, pdf }: Demo): Promise<void> {
	const folder = join(service.data, 'files');
	const names = await readdir(folder);
	assert.equal(names.length, 1, `Storage has ${names.length} files.`);
	const stored = await readFile(join(folder, names[0]));
	const [header] = stored.toString('latin1').split('\n');
	assert.equal(header, 'age-encryption.org/v1');
	const pieces = toPieces(pdf);
	const common = [...toPieces(stored)].filter((piece) => pieces.has(piece));
	assert.equal(common.length, 0, `Storage has ${common.length} pieces of the PDF.`);
	report('Store', [
		`The service stores one file of ${stored.length} bytes. It begins with ${header},`,
		`and has none of the ${pieces.size} different pieces of ${PIECE_BYTES} bytes of the PDF.`,
	]);
}

function toPieces(bytes: Buffer): Set<string> {
	const text = bytes.toString('latin1');
	const count = bytes.length - PIECE_BYTES + 1;
	return new Set(Array.from({ length: count }, (_, at) => text.slice(at, at + PIECE_BYTES)));
}

const visit = ({ service: { mails }, ca }: Demo, url: string) => createVisitor({ url, mails, ca });

/** The page tells a stranger nothing, and no code is mailed to one. */
async function showStranger(demo: Demo, url: string): Promise<void> {
	const stranger = visit(demo, url);
	const [first, file] = [await stranger.get(), await stranger.get('/files/0')];
	assert.match(first.text, /Sign in to open this container/);
	assert.equal(file.status, 303, 'The file is there without a session.');
	const asked = await stranger.requestNoCode(STRANGER);
	const { code, page } = await visit(demo, url).requestCode(RECIPIENT);
	const toOther = ({ text }: Page) => text.replaceAll(RECIPIENT, STRANGER);
	assert.equal(asked.text, toOther(page), 'The page differs for a stranger.');
	const tried = await stranger.enterCode(STRANGER, code);
	assert.match(tried.text, /The code is wrong or has expired\./);
	for (const shown of [first, asked, tried]) assert.doesNotMatch(shown.text, /invoice|owner@/i);
	report('Stranger', [
		`${STRANGER} asks for a code, reads the same as ${RECIPIENT}, and gets no mail.`,
		`With the code of ${RECIPIENT}: "The code is wrong or has expired." No page names a file.`,
	]);
}

async function showRecipient(demo: Demo, url: string): Promise<Visitor> {
	const session = visit(demo, url);
	const { code } = await session.requestCode(RECIPIENT);
	const page = await session.enterCode(RECIPIENT, code);
	assert.equal(page.status, 200, page.text);
	assert.ok(page.text.includes(FILE), page.text);
	const { content } = await session.get('/files/0');
	assert.ok(content.equals(demo.pdf), 'The recipient got something else than the PDF.');
	report('Recipient', [
		`${RECIPIENT} signs in with the mailed code, and gets the PDF byte for byte.`,
		`${content.length} bytes, SHA-256 ${hash(content)}`,
	]);
	return session;
}

interface Opened {
	id: string;
	url: string;
	session: Visitor;
}

async function showRevocation(demo: Demo, { id, url, session }: Opened): Promise<void> {
	const end = await revoke(demo, id);
	assert.ok(end < new Date().toISOString().slice(0, 10), `Access ends on ${end}.`);
	const day = new Date(end).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
	const sentence = `Access ended on ${day}.`;
	const again = visit(demo, url);
	const { code } = await again.requestCode(RECIPIENT);
	const refused = [
		await session.get(),
		await session.get('/files/0'),
		await again.enterCode(RECIPIENT, code),
	];
	for (const page of refused) {
		assert.equal(page.status, 403, page.text);
		assert.ok(page.text.includes(sentence), page.text);
	}
	report('Revoke', [
		`Access Rules (DRM) > Revoke Access ends access at once. The open page, its file, and a new sign-in with`,
		`a new code say to ${RECIPIENT}: "${sentence}"`,
	]);
}

async function revoke({ run }: Demo, id: string): Promise<string> {
	const [rules] = await run({ resource: 'drm', operation: 'revoke', containerId: toLocator(id) });
	return (rules.time as { end: string }).end;
}

/** The service tells all of it, and nothing else. */
async function showActivity({ run, service }: Demo, id: string): Promise<void> {
	const actions = ['created', 'opened', 'refused', 'rulesChanged', 'deleted'];
	const activity = { resource: 'container', operation: 'getActivity', containers: 'one', actions };
	const events = (await run({ ...activity, containerId: toLocator(id) })).reverse();
	const lines = events.map(({ created_date: date, action, user, detail }) => {
		const { reason, changed } = detail as { reason?: string; changed?: string[] };
		return [String(date).slice(11, 19), action, user, reason ?? changed].filter(Boolean).join(' ');
	});
	const [owner, refusal] = ['owner@localhost', `container.refuse ${RECIPIENT} time`];
	assert.deepEqual(
		lines.map((line) => line.slice(9)),
		[
			`container.create ${owner}`,
			`container.open ${RECIPIENT}`,
			`drm.update ${owner} time`,
			...[refusal, refusal, refusal],
		],
	);
	const addresses = readMails(service.mails).map(({ to }) => to);
	assert.deepEqual(new Set(addresses), new Set([RECIPIENT]));
	report('Audit', ['Container > Get Activity lists exactly this:', ...lines]);
}

/** Encrypts the PDF again for whoever sits here, and shows the mailed codes until Ctrl+C. */
async function keepOpen(demo: Demo): Promise<void> {
	log('');
	const { id, url } = await encrypt(demo);
	log(`
Open ${url}
Your browser warns of the certificate, because the service made it itself. Sign in as ${RECIPIENT}:
the code appears here. Press Enter to revoke access, and Ctrl+C to stop.
`);
	createInterface({ input: process.stdin }).on('line', () => {
		revoke(demo, id).then((end) => log(`Access is revoked: the last day is now ${end}.`), log);
	});
	let shown = readMails(demo.service.mails).length;
	await waitFor(() => {
		const mails = readMails(demo.service.mails);
		for (const { to, code } of mails.slice(shown)) log(`Mail to ${to}: the code is ${code}`);
		shown = mails.length;
		return false;
	});
}

const toLocator = (value: string) => ({ __rl: true, mode: 'id', value });

const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** Prints what was checked. */
function report(title: string, lines: string[]): void {
	log(lines.map((line, index) => (index > 0 ? '' : title).padEnd(11) + line).join('\n'));
}

runTool(main);
