import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { createVisitor, trusting } from '../../../service/test/support/recipient.cts';
import { createDelivery } from '../../../tools/sendByRequest.cts';
import { refuse } from '../../support/proxy.cts';
import { containers, e2e, mails } from '../support/exampleEnvironment.cts';
import { day, until } from '../support/testEnvironment.cts';

const ANNA = 'anna@example.com';
const CONTRACT = 'Contract.pdf';
/** Not only text. */
const PDF = randomBytes(300_000);

/** Anna signs in at the link of a request with the mailed code, and sends files by its page. */
async function deliver(name: string, files: Record<string, Buffer | string>) {
	const { mails: folder, ca, getRequests } = e2e.service;
	const request = (await getRequests()).find((one) => one.name === name);
	const url = String(request?.url);
	const visitor = createVisitor({ url, mails: folder, dispatcher: trusting(ca) });
	await visitor.signIn(ANNA);
	const { text } = await visitor.sendFiles(createDelivery(files));
	expect(text).toContain('Your files arrived');
}

/** Publishes an example, and returns when what somebody does has led to this. */
async function whilePublished(name: string, act: () => Promise<void>, isDone: () => boolean) {
	const id = e2e.exampleId(name);
	await e2e.server.activate(id);
	try {
		await act();
		await until('what follows from a delivery', isDone);
	} finally {
		await e2e.server.deactivate(id);
	}
	const executions = await e2e.server.executions(id);
	expect(executions.map(({ status }) => status)).not.toContain('error');
}

const toSha256 = (content: Buffer | string) => createHash('sha256').update(content).digest('hex');
const driveFiles = () =>
	[...e2e.internet.driveFiles.values()].map(({ name, content }) => [name, toSha256(content)]);

it('ask-a-customer-for-documents creates a link for one person, and emails it to them', async () => {
	const { page, error } = await e2e.submit('ask-a-customer-for-documents', [ANNA, 'Tax 2025', '']);

	expect(error).toBeUndefined();
	const [request, ...others] = await e2e.service.getRequests();
	expect(others).toEqual([]);
	expect(request).toMatchObject({ name: 'Tax 2025', senders: [ANNA], time: { end: day(14) } });
	expect(mails()).toMatchObject([{ to: ANNA, subject: 'Tax 2025', link: request.url }]);
	expect(page).toContain(`${ANNA} can send you files until ${day(14)}`);
});

it('ask-a-customer-for-documents asks nobody whom you do not allow, and says so', async () => {
	const form = ['eve@elsewhere.example', 'Tax 2025', ''];
	const { page, error } = await e2e.submit('ask-a-customer-for-documents', form);

	expect(error?.message).toMatch(/"Allowed Recipients" in the node doesn't allow/);
	expect(page).toContain('t ask eve@elsewhere.example. Check the address.');
	expect([await e2e.service.getRequests(), mails()]).toEqual([[], []]);
});

it('received-files-to-google-drive saves each file, and thanks the sender of each delivery once', async () => {
	for (const name of ['Tax 2025', 'Lease']) await e2e.service.addRequest(name, [ANNA]);
	const act = async () => {
		await deliver('Tax 2025', { 'a.txt': 'first', 'b.pdf': PDF });
		await deliver('Lease', { 'c.txt': 'third' });
	};

	await whilePublished('received-files-to-google-drive', act, () => mails().length === 2);

	// The second delivery doesn't wait long for the execution of the first one.
	expect(driveFiles().sort()).toEqual([
		['a.txt', toSha256('first')],
		['b.pdf', toSha256(PDF)],
		['c.txt', toSha256('third')],
	]);
	const bySubject = mails().toSorted((one, other) => one.subject.localeCompare(other.subject));
	expect(bySubject).toMatchObject(
		[
			{ to: ANNA, subject: 'We have received your files: Lease', text: /1 of your files/ },
			{ to: ANNA, subject: 'We have received your files: Tax 2025', text: /2 of your files/ },
		].map(({ text, ...mail }) => ({ ...mail, text: expect.stringMatching(text) as string })),
	);
});

it('received-files-to-google-drive goes on with Retry where it failed, as its note says', async () => {
	const { service, server } = e2e;
	const items = [];
	for (const name of ['a.txt', 'b.txt']) {
		const containerId = await service.addContainer({ files: [new File([name], name)] });
		items.push({ json: { containerId, container_name: name, user: ANNA } });
	}
	service.on({ method: 'POST', path: /decode$/ }, refuse(403, 'Words of the service'));
	const { workflow, trigger } = e2e.examples.get('received-files-to-google-drive')!;
	const pinData = { [trigger]: items };
	const id = await server.createWorkflow({ ...workflow, id: randomUUID(), pinData });
	const { error } = await server.runWorkflow(id, trigger);
	expect([error?.message, driveFiles()]).toEqual([expect.stringMatching(/no permission/), []]);

	const [failed] = await server.executions(id);
	await server.rest('POST', `/rest/executions/${failed.id}/retry`, { loadWorkflow: false });
	await server.waitForExecutions(id, 2);

	expect(driveFiles().map(([name]) => name)).toEqual(['a.txt', 'b.txt']);
	expect(mails().map(({ subject }) => subject.slice(-5))).toEqual(['a.txt', 'b.txt']);
});

it('signed-copy-back sends a contract, asks for the signed copy, and files both', async () => {
	const contract = new File(['a contract'], CONTRACT, { type: 'application/pdf' });
	const { page, error } = await e2e.submit('signed-copy-back', [contract, ANNA]);

	expect(error).toBeUndefined();
	expect(page).toContain(`${ANNA} can read it`);
	const name = `Signed copy: ${CONTRACT}`;
	const [request] = await e2e.service.getRequests();
	expect(request).toMatchObject({ name, senders: [ANNA], time: { end: day(30) } });
	expect(await containers()).toMatchObject([{ name: CONTRACT, rules: { recipients: [ANNA] } }]);
	const [{ to, text }] = mails();
	expect([to, text.includes(String(request.url)), text.includes('/c/')]).toEqual([
		ANNA,
		true,
		true,
	]);

	const act = async () => await deliver(name, { 'scan.pdf': PDF });
	const isFiled = () => driveFiles().some(([, sha256]) => sha256 === toSha256(PDF));
	await whilePublished('signed-copy-back', act, isFiled);

	expect(driveFiles()).toEqual([
		[CONTRACT, toSha256('a contract')],
		[`${name} - scan.pdf`, toSha256(PDF)],
	]);
});
