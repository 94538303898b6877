import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Server as TlsServer } from 'node:tls';
import fastify, { type FastifyInstance } from 'fastify';
import { createCertificate } from '../../../support/certificate.cts';
import { decodeQuotedPrintable } from './mail.cts';

interface File {
	name: string;
	content: Buffer;
}

interface IncomingMail {
	id: string;
	subject: string;
	attachments: File[];
}

interface InternetRequest {
	host: string;
	method: string;
	path: string;
	query: Record<string, string>;
	body: unknown;
}

type MockInternet = Awaited<ReturnType<typeof startMockInternet>>;

const HOSTS = [
	'*.googleapis.com',
	'graph.microsoft.com',
	'slack.com',
	'api.hubapi.com',
	'*.s3.eu-central-1.amazonaws.com',
];
const XML = '<?xml version="1.0" encoding="UTF-8"?>';

/** The services whose address a node has built in, behind the proxy that n8n uses. It lets nothing out. */
export async function startMockInternet() {
	const { ca, key, cert } = await createCertificate(HOSTS);
	const app = fastify({ https: { key, cert }, forceCloseConnections: true });
	const proxy = createServer((_request, response) => response.writeHead(403).end());
	/** The tunnels, which are no longer connections of the proxy: without an end they stay open for a minute. */
	const tunnels = new Set<Duplex>();
	const internet = {
		/** For HTTPS_PROXY. */
		proxy: '',
		/** PEM of the authority that signs for all hosts. */
		ca,
		/** What every OAuth2 credential has as its access token, and every other one as its key. */
		token: 'token-of-a-service',
		requests: [] as InternetRequest[],
		/** What the mailboxes of Gmail and Outlook contain. */
		inbox: [] as IncomingMail[],
		/** What was sent with Gmail, decoded, and with Outlook, as JSON. */
		sent: [] as string[],
		driveFiles: new Map<string, File & { createdTime: string }>(),
		/** The first row has the names of the columns. */
		sheet: [] as unknown[][],
		hubspotContacts: [] as Array<Record<string, string>>,
		slackMessages: [] as Array<{ channel: string; text: string }>,
		s3Files: new Map<string, Buffer>(),
		reset() {
			for (const value of Object.values(internet)) {
				if (Array.isArray(value)) value.length = 0;
				if (value instanceof Map) value.clear();
			}
		},
		async stop() {
			for (const socket of tunnels) socket.destroy();
			await app.close();
			await new Promise((resolve) => proxy.close(resolve));
		},
	};
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
		done(null, toJson(String(body)));
	});
	app.addHook('onRequest', async (request, reply) => {
		const { authorization = '' } = request.headers;
		const isSigned = authorization.startsWith('AWS4-HMAC-SHA256');
		if (!isSigned && authorization !== `Bearer ${internet.token}`) await reply.code(401).send({});
	});
	app.addHook('preHandler', async ({ hostname, method, url, query, body }) => {
		const path = url.split('?')[0];
		const asked = query as Record<string, string>;
		internet.requests.push({ host: hostname, method, path, query: asked, body });
	});
	const all = [addGmail, addOutlook, addDrive, addSheets, addHubspot, addSlack, addS3];
	for (const add of all) add(app as never, internet);
	await app.ready();

	proxy.on('connect', (_request, socket) => {
		tunnels.add(socket);
		socket.on('error', () => socket.destroy());
		socket.write('HTTP/1.1 200 Connected\r\n\r\n');
		(app.server as unknown as TlsServer).emit('connection', socket);
	});
	await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve));
	internet.proxy = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
	return internet;
}

type Add = (app: FastifyInstance, internet: MockInternet) => void;
interface WithId {
	Params: { id: string };
}

const addGmail: Add = (app, { inbox, sent }) => {
	const root = '/gmail/v1/users/me';
	app.get(`${root}/messages`, async () => ({ messages: inbox.map(({ id }) => ({ id })) }));
	app.get(`${root}/profile`, async () => ({ emailAddress: 'olivia@example.com' }));
	app.get<WithId>(`${root}/messages/:id`, async ({ params: { id }, query }, reply) => {
		const mail = inbox.find((one) => one.id === id);
		if (mail === undefined) return await reply.code(404).send({});
		const headers = [
			{ name: 'From', value: 'Olivia <olivia@example.com>' },
			{ name: 'Subject', value: mail.subject },
		];
		const { format } = query as { format?: string };
		const message = { id, threadId: id, labelIds: ['INBOX'], internalDate: String(Date.now()) };
		return format === 'raw'
			? { ...message, raw: Buffer.from(toMessage(mail)).toString('base64url') }
			: { ...message, payload: { headers } };
	});
	app.post<{ Body: { raw: string } }>(`${root}/messages/send`, async ({ body }) => {
		sent.push(decodeQuotedPrintable(Buffer.from(body.raw, 'base64url').toString('utf8')));
		return { id: 'sent' };
	});
};

const addOutlook: Add = (app, { inbox, sent }) => {
	const root = '/v1.0/me/messages';
	const attachmentsOf = (id: string) => inbox.find((one) => one.id === id)?.attachments ?? [];
	app.get(root, async () => ({
		value: inbox.map(({ id, subject, attachments }) => ({
			id,
			subject,
			from: { emailAddress: { name: 'Olivia', address: 'olivia@example.com' } },
			toRecipients: [],
			hasAttachments: attachments.length > 0,
		})),
	}));
	app.get<WithId>(`${root}/:id/attachments`, async ({ params: { id } }) => ({
		value: attachmentsOf(id).map(({ name }, index) => ({ id: String(index), name })),
	}));
	app.get<{ Params: { id: string; index: string } }>(
		`${root}/:id/attachments/:index/$value`,
		async ({ params: { id, index } }, reply) =>
			await reply.type('application/octet-stream').send(attachmentsOf(id)[Number(index)]?.content),
	);
	app.post<WithId>(`${root}/:id/createReply`, async ({ body }) => {
		sent.push(JSON.stringify(body));
		return { id: 'reply' };
	});
	app.post<WithId>(`${root}/:id/send`, async (_request, reply) => await reply.code(202).send());
};

const addDrive: Add = (app, { driveFiles }) => {
	app.get('/drive/v3/files', async () => ({
		files: [...driveFiles].map(([id, { name, createdTime }]) => ({ id, name, createdTime })),
	}));
	app.get<WithId>('/drive/v3/files/:id', async ({ params: { id }, query }, reply) => {
		const file = driveFiles.get(id);
		if (file === undefined) return await reply.code(404).send({ error: { message: 'No file' } });
		const { alt } = query as { alt?: string };
		return alt === 'media'
			? await reply.type('application/pdf').send(file.content)
			: { name: file.name, mimeType: 'application/pdf' };
	});
};

const addSheets: Add = (app, { sheet }) => {
	const properties = { sheetId: 0, index: 0, title: 'Sheet1' };
	app.get('/v4/spreadsheets/:id', async () => ({ sheets: [{ properties }] }));
	app.get('/v4/spreadsheets/:id/values/:range', async () => ({ values: sheet }));
};

const addHubspot: Add = (app, { hubspotContacts }) => {
	app.get('/contacts/v1/lists/all/contacts/all', async () => ({
		contacts: hubspotContacts.map((contact, index) => ({
			vid: index,
			properties: Object.fromEntries(
				Object.entries(contact).map(([name, value]) => [name, { value }]),
			),
		})),
		'has-more': false,
	}));
};

const addSlack: Add = (app, { slackMessages }) => {
	app.post<{ Body: MockInternet['slackMessages'][number] }>(
		'/api/chat.postMessage',
		async ({ body }) => {
			slackMessages.push(body);
			return { ok: true, message: body };
		},
	);
};

const addS3: Add = (app, { s3Files }) => {
	const constraints = { host: /\.amazonaws\.com$/ };
	app.get('/', { constraints }, async ({ query }, reply) => {
		void reply.type('application/xml');
		const { location, prefix = '' } = query as { location?: string; prefix?: string };
		const namespace = 'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"';
		if (location !== undefined) {
			return `${XML}<LocationConstraint ${namespace}>eu-central-1</LocationConstraint>`;
		}
		const files = [...s3Files]
			.filter(([key]) => key.startsWith(prefix))
			.map(
				([key, { length }]) =>
					`<Contents><Key>${key}</Key><LastModified>2026-11-20T08:00:00.000Z</LastModified><Size>${length}</Size></Contents>`,
			);
		return `${XML}<ListBucketResult ${namespace}><IsTruncated>false</IsTruncated>${files.join('')}</ListBucketResult>`;
	});
	app.get<{ Params: { '*': string } }>('/*', { constraints }, async ({ params }, reply) => {
		const content = s3Files.get(params['*']);
		if (content === undefined) return await reply.code(404).send(`${XML}<Error/>`);
		return await reply.type('application/octet-stream').send(content);
	});
};

/** A message of several parts, like from an email client (RFC 2045, RFC 2231 for the names). */
export function toMessage({ subject, attachments }: Pick<IncomingMail, 'subject' | 'attachments'>) {
	const parts = attachments.map(({ name, content }) => [
		'Content-Type: application/octet-stream',
		'Content-Transfer-Encoding: base64',
		`Content-Disposition: attachment; filename*=utf-8''${encodeURIComponent(name)}`,
		'',
		content.toString('base64'),
	]);
	return [
		'From: Carl Contractor <carl@acme.example.com>',
		'To: contracts@example.com',
		`Subject: ${subject}`,
		'Message-ID: <one@acme.example.com>',
		'MIME-Version: 1.0',
		'Content-Type: multipart/mixed; boundary="boundary-of-parts"',
		'',
		'--boundary-of-parts',
		'Content-Type: text/plain; charset=utf-8',
		'',
		'Please find the documents attached.',
		...parts.flatMap((lines) => ['--boundary-of-parts', ...lines]),
		'--boundary-of-parts--',
		'',
	].join('\r\n');
}

function toJson(body: string): unknown {
	try {
		return JSON.parse(body);
	} catch {
		return body;
	}
}
