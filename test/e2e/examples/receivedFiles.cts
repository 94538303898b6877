import { containers, e2e, mails } from '../support/exampleEnvironment.cts';
import { day } from '../support/testEnvironment.cts';

const ANNA = 'anna@example.com';
const CONTRACT = 'Contract.pdf';

/** What the service says of files that somebody sent: a container of the owner, with its event. */
async function deliver(name: string, files: Record<string, string>) {
	const sent = Object.entries(files).map(([file, content]) => new File([content], file));
	const id = await e2e.service.addContainer({ name, files: sent });
	return { json: { containerId: id, container_name: name, user: ANNA, action: 'request.deliver' } };
}
const driveFiles = () =>
	[...e2e.internet.driveFiles.values()].map(({ name, content }) => [name, String(content)]);

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
	const deliveries = [
		await deliver('Tax 2025', { 'a.txt': 'first', 'b.txt': 'second' }),
		await deliver('Lease', { 'c.txt': 'third' }),
	];

	const pinData = { 'When Files Come': deliveries };
	const { error } = await e2e.run('received-files-to-google-drive', {}, pinData);

	expect(error).toBeUndefined();
	const saved = { 'a.txt': 'first', 'b.txt': 'second', 'c.txt': 'third' };
	expect(driveFiles()).toEqual(Object.entries(saved));
	expect(mails()).toMatchObject(
		[
			{ to: ANNA, subject: 'We have received your files: Tax 2025', text: /2 of your files/ },
			{ to: ANNA, subject: 'We have received your files: Lease', text: /1 of your files/ },
		].map(({ text, ...mail }) => ({ ...mail, text: expect.stringMatching(text) as string })),
	);
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

	const trigger = 'When the Signed Copy Comes';
	const pinData = { [trigger]: [await deliver(name, { 'scan.pdf': 'signed' })] };
	const filed = await e2e.run('signed-copy-back', {}, pinData, trigger);

	expect(filed.error).toBeUndefined();
	expect(driveFiles()).toEqual([
		[CONTRACT, 'a contract'],
		[`${name} - scan.pdf`, 'signed'],
	]);
});
