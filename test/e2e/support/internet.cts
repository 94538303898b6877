import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Server as TlsServer } from 'node:tls';
import fastify, { type FastifyInstance } from 'fastify';
import { parseMail, startMailServer } from '../../../service/test/support/recipient.cts';
import { createCertificate } from '../../support/certificate.cts';

interface File {
	name: string;
	content: Buffer;
}

interface IncomingMail {
	id: string;
	subject: string;
	attachments: File[];
}

interface ChatRequest {
	messages: Array<{ role: string; content: string | null }>;
	tools?: Array<{ function: { name: string; description: string } }>;
}

/** The model's response: a text or a tool call. */
type ChatResponse = { text: string } | { tool: string; arguments: Record<string, unknown> };

type Internet = Awaited<ReturnType<typeof startInternet>>;
type Add = (app: FastifyInstance, internet: Internet) => void;
interface WithId {
	Params: { id: string };
	Querystring: Record<string, string>;
}

const HOSTS = [
	'*.googleapis.com',
	'graph.microsoft.com',
	'slack.com',
	'api.hubapi.com',
	'api.openai.com',
	'crm.example.com',
	'*.s3.eu-central-1.amazonaws.com',
];
const XML = '<?xml version="1.0" encoding="UTF-8"?>';
const CRM_PAGE = 2;
const UPLOADS = '/upload/sessions/';

/** All services that the examples use: a mail server, and others behind the proxy that n8n uses. It lets nothing out. */
export async function startInternet() {
	const { ca, key, cert } = await createCertificate(HOSTS);
	const app = fastify({ https: { key, cert }, forceCloseConnections: true });
	const { mails, port: smtpPort, stop: stopMailServer } = await startMailServer();
	const proxy = createServer((_request, response) => response.writeHead(403).end());
	/** The tunnels, which are no longer connections of the proxy: without an end they stay open for a minute. */
	const tunnels = new Set<Duplex>();
	const internet = {
		/** For HTTPS_PROXY. */
		proxy: '',
		/** PEM of the authority that signs for all hosts. */
		ca,
		/** What every credential has as its token or key. */
		token: 'token-of-a-service',
		/** The path and query of each request. */
		requests: [] as string[],
		/** What the mailboxes of Gmail and Outlook contain. */
		inbox: [] as IncomingMail[],
		/** What is sent by SMTP and with Gmail. */
		mails,
		smtpPort,
		/** What is sent with Outlook. */
		replies: [] as unknown[],
		driveFiles: new Map<string, File & { createdTime: string }>(),
		/** The first row has the names of the columns. */
		sheet: [] as unknown[][],
		hubspotContacts: [] as Array<Record<string, string>>,
		crmContacts: [] as Array<Record<string, unknown>>,
		slackMessages: [] as Array<{ channel: string; text: string }>,
		s3Files: new Map<string, Buffer>(),
		/** What the language model was asked. */
		prompts: [] as ChatRequest[],
		respond: (() => ({ text: 'Nothing.' })) as (request: ChatRequest) => ChatResponse,
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
			await stopMailServer();
		},
	};
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', { parseAs: 'buffer' }, ({ url }, body, done) => {
		done(null, url.startsWith(UPLOADS) ? body : toJson(String(body)));
	});
	app.addHook('onRequest', async ({ headers: { authorization = '' }, url }, reply) => {
		internet.requests.push(decodeURIComponent(url.replaceAll('+', ' ')));
		const isSigned = authorization.startsWith('AWS4-HMAC-SHA256');
		// Google gives an upload an address that needs no key.
		if (url.startsWith(UPLOADS)) return;
		if (!isSigned && authorization !== `Bearer ${internet.token}`) await reply.code(401).send({});
	});
	const google = [addGmail, addDrive, addSheets];
	for (const add of [...google, addOutlook, addContacts, addSlack, addChatModel, addS3]) {
		add(app as never, internet);
	}
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

const addGmail: Add = (app, { inbox, mails }) => {
	const root = '/gmail/v1/users/me';
	app.get(`${root}/messages`, async () => ({ messages: inbox.map(({ id }) => ({ id })) }));
	app.get(`${root}/profile`, async () => ({ emailAddress: 'olivia@example.com' }));
	app.get<WithId>(`${root}/messages/:id`, async ({ params: { id }, query }) => {
		const mail = inbox.find((one) => one.id === id) as IncomingMail;
		const message = { id, threadId: id, labelIds: ['INBOX'], internalDate: String(Date.now()) };
		if (query.format === 'raw') return { ...message, raw: toMessage(mail).toString('base64url') };
		const headers = { From: 'Olivia <olivia@example.com>', Subject: mail.subject };
		const list = Object.entries(headers).map(([name, value]) => ({ name, value }));
		return { ...message, payload: { headers: list } };
	});
	app.post<{ Body: { raw: string } }>(`${root}/messages/send`, async ({ body }) => {
		mails.push(parseMail(Buffer.from(body.raw, 'base64url').toString()));
		return { id: 'sent' };
	});
};

/** A message of several parts, like from an email client (RFC 2045, RFC 2231 for the names). */
function toMessage({ subject, attachments }: IncomingMail): Buffer {
	const parts = attachments.map(({ name, content }) => [
		'Content-Type: application/octet-stream',
		'Content-Transfer-Encoding: base64',
		`Content-Disposition: attachment; filename*=utf-8''${encodeURIComponent(name)}`,
		'',
		content.toString('base64'),
	]);
	const lines = [
		'From: Olivia <olivia@example.com>',
		`Subject: ${subject}`,
		'MIME-Version: 1.0',
		'Content-Type: multipart/mixed; boundary="boundary-of-parts"',
		'',
		...parts.flatMap((part) => ['--boundary-of-parts', ...part]),
		'--boundary-of-parts--',
	];
	return Buffer.from(lines.join('\r\n'));
}

const addOutlook: Add = (app, { inbox, replies }) => {
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
		replies.push(body);
		return { id: 'reply' };
	});
	app.post<WithId>(`${root}/:id/send`, async (_request, reply) => await reply.code(202).send());
};

const addDrive: Add = (app, { driveFiles }) => {
	app.get('/drive/v3/files', async () => ({
		files: [...driveFiles].map(([id, { name, createdTime }]) => ({ id, name, createdTime })),
	}));
	app.get<WithId>('/drive/v3/files/:id', async ({ params: { id }, query }, reply) => {
		const { name, content } = driveFiles.get(id) as File;
		const type = 'application/pdf';
		return query.alt === 'media' ? await reply.type(type).send(content) : { name, mimeType: type };
	});
	app.post<{ Body: { name: string } }>('/upload/drive/v3/files', async ({ body }, reply) => {
		const id = `uploaded-${driveFiles.size}`;
		driveFiles.set(id, { name: body.name, content: Buffer.alloc(0), createdTime: '' });
		return await reply.header('location', `https://www.googleapis.com${UPLOADS}${id}`).send({});
	});
	app.put<WithId & { Body: Buffer }>(`${UPLOADS}:id`, async ({ params: { id }, body }) => {
		driveFiles.get(id)!.content = body;
		return { id };
	});
	app.patch<WithId>('/drive/v3/files/:id', async ({ params: { id } }) => ({ id }));
};

const addSheets: Add = (app, { sheet }) => {
	const properties = { sheetId: 0, index: 0, title: 'Sheet1' };
	app.get('/v4/spreadsheets/:id', async () => ({ sheets: [{ properties }] }));
	app.get('/v4/spreadsheets/:id/values/:range', async () => ({ values: sheet }));
};

/** HubSpot, and a CRM that returns its contacts in pages. */
const addContacts: Add = (app, { hubspotContacts, crmContacts }) => {
	const toProperties = (contact: Record<string, string>) =>
		Object.fromEntries(Object.entries(contact).map(([name, value]) => [name, { value }]));
	app.get('/contacts/v1/lists/all/contacts/all', async () => ({
		contacts: hubspotContacts.map((contact, vid) => ({ vid, properties: toProperties(contact) })),
		'has-more': false,
	}));
	const path = '/api/contacts';
	app.get<{ Querystring: { page?: string } }>(path, async ({ query: { page = '1' } }) => {
		const end = Number(page) * CRM_PAGE;
		const next = `https://crm.example.com${path}?page=${Number(page) + 1}`;
		const contacts = crmContacts.slice(end - CRM_PAGE, end);
		return { contacts, next: end < crmContacts.length ? next : null };
	});
};

const addSlack: Add = (app, { slackMessages }) => {
	app.post<{ Body: Internet['slackMessages'][number] }>(
		'/api/chat.postMessage',
		async (request) => {
			slackMessages.push(request.body);
			return { ok: true, message: request.body };
		},
	);
};

const addChatModel: Add = (app, internet) => {
	app.post<{ Body: ChatRequest }>('/v1/chat/completions', async ({ body }) => {
		const id = internet.prompts.push(body);
		const answer = internet.respond(body);
		const toCall = (name: string, values: object) => ({
			...{ id: `call_${id}`, type: 'function' },
			function: { name, arguments: JSON.stringify(values) },
		});
		const [said, finish_reason] =
			'tool' in answer
				? [{ content: null, tool_calls: [toCall(answer.tool, answer.arguments)] }, 'tool_calls']
				: [{ content: answer.text }, 'stop'];
		const message = { role: 'assistant', ...said };
		return { id: `completion-${id}`, choices: [{ index: 0, message, finish_reason }] };
	});
};

const addS3: Add = (app, { s3Files }) => {
	const constraints = { host: /\.amazonaws\.com$/ };
	app.get<WithId>('/', { constraints }, async ({ query: { location, prefix = '' } }, reply) => {
		void reply.type('application/xml');
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
	app.get<{ Params: { '*': string } }>(
		'/*',
		{ constraints },
		async ({ params }, reply) =>
			await reply.type('application/octet-stream').send(s3Files.get(params['*'])),
	);
};

function toJson(body: string): unknown {
	try {
		return JSON.parse(body);
	} catch {
		return body;
	}
}
