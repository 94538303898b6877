import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { parseContacts, parseContainers, parseFault } from './controlBodies.cts';
import type { PlannedFault } from '../faults/plan.cts';
import type { Service } from '../service/service.cts';
import { snapshot } from '../service/store.cts';
import type { SandboxSettings } from '../settings.cts';
import { applySettings } from '../settings.cts';

const LOOPBACK = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);
const OWN_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]']);
const MAX_BODY_BYTES = 256 * 1024 * 1024;

export const isControlPath = (url = '') => url.startsWith('/_sandbox/');

/** The interface through which another process on this machine controls the sandbox. It needs no key. */
export function controlRoutes(scope: FastifyInstance, service: Service): void {
	const { settings, journal, store, faults } = service;
	scope.removeAllContentTypeParsers();
	scope.addContentTypeParser(
		'application/json',
		{ parseAs: 'string', bodyLimit: MAX_BODY_BYTES },
		(_request, body, done) => {
			try {
				done(null, JSON.parse(body as string));
			} catch (error) {
				done(new Error(`The body is not JSON: ${(error as Error).message}.`));
			}
		},
	);
	scope.addContentTypeParser('*', (_request, _payload, done) =>
		done(new Error('The body must be JSON, with the header Content-Type: application/json.')),
	);
	scope.addHook('onRequest', async (request, reply) => {
		if (!isFromThisMachine(request.raw)) {
			await reply.code(403).send({ message: 'Only from this machine' });
		}
	});
	scope.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) =>
		reply.code(error.statusCode ?? 400).send({ message: error.message }),
	);

	scope.setNotFoundHandler(({ method, url }, reply) =>
		reply.code(404).send({
			message: `The control interface has no ${method} ${url}. sandbox/README.md lists what it has.`,
		}),
	);

	scope.get('/info', () => ({
		origin: service.origin,
		url: service.origin + service.basePath,
		users: service.users,
		apiKey: service.users[0].apiKey,
	}));
	scope.get('/requests', () => journal.requests);
	scope.get('/counts', () => journal.counts);
	scope.get('/memory', () => ({ peakBytes: process.resourceUsage().maxRSS * 1024 }));
	scope.delete('/requests', () => {
		journal.clear();
		return {};
	});
	scope.get('/state', () => snapshot(store));
	scope.get('/settings', () => settings);
	scope.put('/settings', ({ body }) => {
		applySettings(settings, body as Partial<SandboxSettings>);
		return settings;
	});
	scope.get('/faults', () => faults.list().map(faultReport));
	scope.post('/faults', ({ body }) => faultReport(faults.add(parseFault(body))));
	scope.delete('/faults', () => {
		faults.clear();
		return {};
	});
	scope.post('/containers', ({ body }) =>
		parseContainers(body).map((one) => store.addContainer(withUser(one, service))),
	);
	scope.post('/contacts', ({ body }) =>
		parseContacts(body).map((one) => store.addContact(withUser(one, service))),
	);
	scope.post('/reset', () => {
		service.reset();
		return {};
	});
}

/** A web page comes from this machine too: with an Origin, or a host name of its own that leads here. */
function isFromThisMachine({ socket, headers }: IncomingMessage): boolean {
	const url = `https://${headers.host}`;
	const isOwnHost = URL.canParse(url) && OWN_HOSTS.has(new URL(url).hostname);
	return LOOPBACK.has(socket.remoteAddress ?? '') && isOwnHost && headers.origin === undefined;
}

/** The first user owns what names no owner. @throws Error for an owner who is no user */
function withUser<T extends { userId?: string }>(record: T, { users }: Service) {
	const { userId = users[0].id } = record;
	if (users.some(({ id }) => id === userId)) return { ...record, userId };
	throw new Error(`There is no user "${userId}". GET /_sandbox/info lists the users.`);
}

const faultReport = ({ fault, stage, matched, applied }: PlannedFault) => ({
	kind: fault.kind,
	stage,
	matched,
	applied,
});
