import { randomUUID } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { basename, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { getFreePort } from './processes.cts';
import { readMails } from './recipient.cts';

/**
 * Shows the mails in a folder of the service on a page, and receives others by SMTP. It runs on this machine alone, and
 * only while somebody develops: the service has no such page.
 */
export async function startOutbox(folder: string) {
	const smtp = new SMTPServer({
		disabledCommands: ['AUTH', 'STARTTLS'],
		onData: (stream, _session, done) => {
			const receive = async () => await addMail(folder, await buffer(stream));
			receive().then(() => done(), done);
		},
	});
	const pages = createServer((_request, response) => {
		response.setHeader('content-type', 'text/html; charset=utf-8').end(createPage(folder));
	});
	const [smtpPort, port] = [await getFreePort(), await getFreePort()];
	smtp.listen(smtpPort, '127.0.0.1');
	pages.listen(port, '127.0.0.1');
	return { url: `http://localhost:${port}/outbox`, smtpPort };
}

/** As the service does: its name begins with the time, and who reads it finds only a whole mail. */
async function addMail(folder: string, message: Buffer): Promise<void> {
	const time = new Date().toISOString().replaceAll(':', '-');
	const file = join(folder, `${time}-${randomUUID().slice(0, 8)}.eml`);
	await writeFile(`${file}.part`, message);
	await rename(`${file}.part`, file);
}

/** The newest first. It loads again by itself. */
function createPage(folder: string): string {
	const articles = readMails(folder)
		.reverse()
		.map(({ path, to, subject, text }) => {
			const link = '<a href="$&" target="_blank">$&</a>';
			const linked = escape(text).replace(/https?:\/\/[^\s"<>]+/g, link);
			const time = basename(path).slice(11, 19).replaceAll('-', ':');
			return `<h2>${escape(subject)}</h2><p>To ${escape(to)}, at ${escape(time)} UTC</p><pre>${linked}</pre>`;
		});
	return `<!doctype html>
<html lang="en">
<meta charset="utf-8" /><meta http-equiv="refresh" content="3" /><title>Outbox</title>
<style>
body { max-width: 44rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif }
pre { padding: 1rem; border: 1px solid #ccc; white-space: pre-wrap; overflow-wrap: anywhere }
</style>
<h1>Outbox</h1>
${articles.join('\n') || '<p>No mails yet. What the service and n8n send appears here.</p>'}
</html>`;
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escape = (text: string) => text.replace(/[&<>"]/g, (character) => ESCAPES[character]);
