import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Schema } from './contract.cts';
import type { PlannedFault } from './faults.cts';
import { parseFault } from './faults.cts';
import type { Service } from './serve.cts';
import { assertSchema } from './schemas.cts';
import { applySettings, type SandboxSettings } from './settings.cts';
import type { NewContact, NewContainer } from './store.cts';
import { mediaType } from './upload.cts';

const ROOT = '/_sandbox/';
const LOOPBACK = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);
const OWN_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]']);

export const isControlPath = (url = '') => url.startsWith(ROOT);

const string: Schema = { type: 'string' };
const list = (properties: Record<string, Schema>, ...required: string[]): Schema => ({
	type: 'array',
	items: { type: 'object', additionalProperties: false, properties, required },
});
const record = { userId: string, created: string, updated: string };
const files = list({ name: string, type: string, size: { type: 'integer' }, sha256: string });
const CONTAINERS = list({
	...record,
	uuid: { type: 'string', minLength: 1 },
	name: string,
	rules: { type: 'object' },
	files,
	manifest: {},
});
const CONTACTS = list({ ...record, email: string, fields: { type: 'object' } }, 'email');

const reportOf = ({ fault: { kind }, stage, matched, applied }: PlannedFault) => ({
	kind,
	stage,
	matched,
	applied,
});

type Route = (service: Service, body: unknown) => unknown;

/** The interface through which another process on this machine controls the sandbox. It needs no key. */
const ROUTES: Record<string, Route> = {
	'GET info': ({ origin, basePath, users }) => ({
		origin,
		url: origin + basePath,
		users,
		apiKey: users[0].apiKey,
	}),
	'GET requests': ({ journal }) => journal.requests,
	'GET counts': ({ journal }) => journal.counts,
	'GET state': ({ store }) => store.snapshot(),
	'GET settings': ({ settings }) => settings,
	'GET faults': ({ faults }) => faults.list().map(reportOf),
	'DELETE requests': ({ journal }) => journal.clear(),
	'DELETE faults': ({ faults }) => faults.clear(),
	'POST reset': ({ reset }) => reset(),
	'PUT settings'({ settings }, body) {
		applySettings(settings, body as Partial<SandboxSettings>);
		return settings;
	},
	'POST faults': ({ faults }, body) => reportOf(faults.add(parseFault(body))),
	'POST containers'(service, body) {
		assertSchema(CONTAINERS, body, 'containers');
		const owned = withUsers(service, body as Array<Partial<NewContainer>>);
		return owned.map((container) => service.store.addContainer(container));
	},
	'POST contacts'(service, body) {
		assertSchema(CONTACTS, body, 'contacts');
		const owned = withUsers(service, body as Array<Partial<NewContact> & { email: string }>);
		return owned.map((contact) => service.store.addContact(contact));
	},
};

/** Answers a call with JSON. Bad input changes nothing, and the answer says what is wrong. */
export async function answerControl(
	service: Service,
	request: IncomingMessage,
	response: ServerResponse,
): Promise<void> {
	const { method = '', url = '', headers } = request;
	const send = (status: number, value: unknown) => {
		response.writeHead(status, { 'content-type': 'application/json' });
		response.end(JSON.stringify(value ?? {}));
	};
	if (!isFromThisMachine(request)) return send(403, { message: 'Only from this machine' });
	const name = `${method} ${url.slice(ROOT.length)}`;
	if (!Object.hasOwn(ROUTES, name)) {
		const message = `The control interface has no ${method} ${url}. sandbox/README.md lists what it has.`;
		return send(404, { message });
	}
	try {
		const takesBody = ROUTES[name].length > 1;
		const body = takesBody ? parseJson(await text(request), headers['content-type']) : undefined;
		send(200, ROUTES[name](service, body));
	} catch (error) {
		send(400, { message: (error as Error).message });
	}
}

function parseJson(body: string, contentType = ''): unknown {
	if (mediaType(contentType) !== 'application/json') {
		throw new Error('The body must be JSON, with the header Content-Type: application/json.');
	}
	try {
		return JSON.parse(body) as unknown;
	} catch (error) {
		throw new Error(`The body is not JSON: ${(error as Error).message}.`);
	}
}

/** A web page comes from this machine too: with an Origin, or a host name of its own that leads here. */
function isFromThisMachine({ socket, headers }: IncomingMessage): boolean {
	const url = `https://${headers.host}`;
	const isOwnHost = URL.canParse(url) && OWN_HOSTS.has(new URL(url).hostname);
	return LOOPBACK.has(socket.remoteAddress ?? '') && isOwnHost && headers.origin === undefined;
}

/** The first user owns what names no owner. @throws Error for an owner who is no user */
function withUsers<T extends { userId?: string }>({ users }: Service, records: T[]) {
	return records.map((one) => {
		const { userId = users[0].id } = one;
		if (users.some(({ id }) => id === userId)) return { ...one, userId };
		throw new Error(`There is no user "${userId}". GET /_sandbox/info lists the users.`);
	});
}
