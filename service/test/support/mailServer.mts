import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

/** A mail server that keeps what it gets, each with its recipient in front. It has no mailbox of `nobody@`. */
export async function startMailServer() {
	const mails: string[] = [];
	const server = new SMTPServer({
		disabledCommands: ['AUTH', 'STARTTLS'],
		onRcptTo: ({ address }, _session, done) =>
			done(address.startsWith('nobody@') ? new Error(`No mailbox ${address}`) : undefined),
		onData: (stream, { envelope }, done) => {
			const to = envelope.rcptTo.map(({ address }) => address).join();
			readText(stream).then((mail) => done(null, String(mails.push(`${to} ${mail}`))), done);
		},
	});
	await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
	const { port } = server.server.address() as AddressInfo;
	const stop = async () => await new Promise<void>((resolve) => void server.close(resolve));
	return { port, url: `smtp://127.0.0.1:${port}`, mails, stop };
}
