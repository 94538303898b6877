import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Fault } from '../faults/fault.cts';
import type { PlannedFault } from '../faults/plan.cts';
import type { Service } from '../service/service.cts';
import type { NewContact, NewContainer } from '../service/store.cts';
import { snapshot } from '../service/store.cts';
import type { SandboxSettings } from '../settings.cts';
import { applySettings } from '../settings.cts';

/** A fault as JSON: `times: null` has no end, `path` is the source and flags of a pattern. */
export type FaultMessage = Omit<Fault, 'path' | 'times'> & {
	path?: { source: string; flags: string };
	times?: number | null;
};

const LOOPBACK = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);
const OWN_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]']);
const MAX_BODY_BYTES = 256 * 1024 * 1024;

export const isControlPath = (url = '') => url.startsWith('/_sandbox/');

/** The interface through which another process on this machine controls the sandbox. It needs no key. */
export function controlRoutes(scope: FastifyInstance, service: Service): void {
	const { settings, journal, store, faults } = service;
	scope.addContentTypeParser(
		'application/json',
		{ parseAs: 'string', bodyLimit: MAX_BODY_BYTES },
		(_request, body, done) => {
			try {
				done(null, JSON.parse(body as string));
			} catch (error) {
				done(Object.assign(error as Error, { statusCode: 400 }));
			}
		},
	);
	scope.addHook('onRequest', async (request, reply) => {
		if (!isFromThisMachine(request.raw)) {
			await reply.code(403).send({ message: 'Only from this machine' });
		}
	});
	scope.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) =>
		reply.code(error.statusCode ?? 400).send({ message: error.message }),
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
	scope.post('/faults', ({ body }) => faultReport(faults.add(toFault(body as FaultMessage))));
	scope.delete('/faults', () => {
		faults.clear();
		return {};
	});
	scope.post('/containers', ({ body }) =>
		(body as NewContainer[]).map((container) => store.addContainer(container)),
	);
	scope.post('/contacts', ({ body }) =>
		(body as NewContact[]).map((contact) => store.addContact(contact)),
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

function toFault({ path, times, ...rest }: FaultMessage): Fault {
	return {
		...rest,
		...(path === undefined ? {} : { path: new RegExp(path.source, path.flags) }),
		...(times === undefined ? {} : { times: times ?? Infinity }),
	} as Fault;
}

const faultReport = ({ fault, stage, matched, applied }: PlannedFault) => ({
	kind: fault.kind,
	stage,
	matched,
	applied,
});
