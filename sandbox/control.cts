import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { parseFault } from './faults.cts';
import { assertSchema, type Schema } from './schemas.cts';
import type { Service } from './serve.cts';
import { applySettings, type SandboxSettings } from './settings.cts';
import type { NewContact, NewContainer } from './store.cts';
import { parseJson } from './upload.cts';

const ROOT = '/_sandbox/';

export const isControlPath = (url = '') => url.startsWith(ROOT);

const string: Schema = { type: 'string' };
const list = (properties: Record<string, Schema>, ...required: string[]): Schema => ({
	type: 'array',
	items: { type: 'object', additionalProperties: false, properties, required },
});
const CONTAINERS = list({
	uuid: { ...string, minLength: 1 },
	name: string,
	created: string,
	rules: { type: 'object' },
});
const CONTACTS = list({ email: string, fields: { type: 'object' } }, 'email');

/** What another process on this machine can ask for. Records belong to the first user. */
const ROUTES: Record<string, (service: Service, body: unknown) => unknown> = {
	'GET requests': ({ journal }) => journal.requests,
	'GET counts': ({ journal }) => journal.counts,
	'GET state': ({ store }) => store.snapshot(),
	'DELETE requests': ({ journal }) => journal.clear(),
	'POST reset': ({ reset }) => reset(),
	'PUT settings'({ settings }, body) {
		applySettings(settings, body as Partial<SandboxSettings>);
		return settings;
	},
	'POST faults': ({ faults }, body) => faults.add(parseFault(body)),
	'POST containers'({ store, users: [{ id: userId }] }, body) {
		assertSchema(CONTAINERS, body, 'containers');
		return (body as NewContainer[]).map((one) => store.addContainer({ ...one, userId }));
	},
	'POST contacts'({ store, users: [{ id: userId }] }, body) {
		assertSchema(CONTACTS, body, 'contacts');
		return (body as NewContact[]).map((one) => store.addContact({ ...one, userId }));
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
	if (headers.authorization !== `Bearer ${service.users[0].apiKey}`) {
		return send(401, { message: 'The control interface needs the API key of the first user' });
	}
	const name = `${method} ${url.slice(ROOT.length)}`;
	if (!Object.hasOwn(ROUTES, name)) {
		const message = `The control interface has no ${method} ${url}. sandbox/README.md lists what it has.`;
		return send(404, { message });
	}
	const given = await text(request);
	const body = parseJson(given);
	try {
		if (given !== '' && body === undefined) throw new Error('The body is not JSON');
		send(200, ROUTES[name](service, body));
	} catch (error) {
		send(400, { message: (error as Error).message });
	}
}
