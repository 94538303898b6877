import assert from 'node:assert';
import { createHash } from 'node:crypto';
import type * as recipient from '../service/test/support/recipient.cts';
import type { Environment } from './environment.cts';
import { Api } from './serviceClient.cts';

type Sending = Pick<Environment, 'service' | 'ca'> & {
	visit(url: string): recipient.Visitor;
	/** Their address. */
	sender: string;
	fileName: string;
	pdf: Buffer;
};

/** Somebody sends a PDF by a request for files, and it is the owner's. @returns what is so */
export async function sendByRequest(sending: Sending): Promise<string[]> {
	const { service, ca, visit, sender, fileName, pdf } = sending;
	const api = new Api({ baseUrl: service.baseUrl, apiKey: service.apiKey, ca });
	const { body: owner } = await api.get<{ id: string }>('/me');
	const request = { name: 'Signed copy', senders: [sender] };
	const path = `/users/${owner.id}/requests`;
	const { body: created } = await api.send<{ url: string }>('POST', path, { body: request });
	const browser = visit(created.url);
	await browser.signIn(sender);
	const { text } = await browser.sendFiles(createDelivery({ [fileName]: pdf }));
	const sha256 = createHash('sha256').update(pdf).digest('hex');
	assert.ok(text.includes(sha256), 'The receipt has another SHA-256 than the PDF.');
	const containers = await api.getAll<{ name: string }>(`/users/${owner.id}/containers`);
	assert.equal(containers.at(-1)!.name, request.name);
	return [
		`Somebody sends: ${sender} signs in at the link of a request with a code,`,
		`and gets a receipt of what arrived for its owner alone: SHA-256 ${sha256}`,
	];
}

/** The form of the page with files, as a browser sends it. */
export function createDelivery(files: Record<string, Buffer | string>): Buffer {
	const parts = Object.entries(files).flatMap(([name, content]) => [
		`--boundary\r\nContent-Disposition: form-data; name="files"; filename="${name}"\r\n`,
		'Content-Type: application/octet-stream\r\n\r\n',
		content,
		'\r\n',
	]);
	return Buffer.concat([...parts, '--boundary--\r\n'].map((part) => Buffer.from(part)));
}
