import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import https from 'node:https';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createCertificate } from './certificate.cts';
import { FaultPlan } from './faults.cts';
import { Journal } from './journal.cts';
import { RateLimiter } from './rateLimiter.cts';
import { Connections } from './send.cts';
import type { Service } from './serve.cts';
import { answer } from './serve.cts';
import type { SandboxSettings } from './settings.cts';
import { applySettings, defaultSettings } from './settings.cts';
import type { NewContact, NewContainer } from './store.cts';
import { createUser, Store, type SandboxUser } from './store.cts';

export type { Fault, FaultKind, FaultMatch } from './faults.cts';
export type { Counts, ReceivedRequest } from './journal.cts';
export * from './settings.cts';

export interface SandboxOptions {
	/** A free one by default. */
	port?: number;
	/** The key of the default user; random by default. */
	apiKey?: string;
	/** The users, the default one first. Values that aren't given are generated. */
	users?: Array<Partial<SandboxUser>>;
	/** The settings at the start and after each reset. */
	settings?: Partial<SandboxSettings>;
	/** Folder for the certificate; by default a temporary one that `stop` removes. */
	folder?: string;
	/** Path of the API; `/api/v1` by default. */
	basePath?: string;
}

/** A running sandbox service. */
export type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

/**
 * Starts the service on this machine with a new certificate.
 *
 * @throws Error when the port is in use or a setting is unknown
 */
export async function startSandbox(options: SandboxOptions = {}) {
	const service = createService(options);
	const folder = options.folder ?? (await mkdtemp(path.join(os.tmpdir(), 'container-sandbox-')));
	const removeFolder = async () => {
		if (options.folder === undefined) await rm(folder, { recursive: true, force: true });
	};
	await mkdir(folder, { recursive: true });
	const certificate = await createCertificate();
	const caPath = path.join(folder, 'ca.pem');
	await writeFile(caPath, certificate.ca);

	const { key, cert } = certificate;
	const server = https.createServer(
		{ key, cert, noDelay: true, requestTimeout: 0, keepAliveTimeout: 60_000 },
		(request, response) => void answer(service, request, response),
	);
	server.on('connection', (socket) => {
		service.journal.counts.connections += 1;
		service.connections.add(socket as Socket);
	});
	server.listen(options.port ?? 0, '127.0.0.1');
	await once(server, 'listening').catch(async (error: Error) => {
		await removeFolder();
		throw error;
	});
	const { port } = server.address() as AddressInfo;
	service.origin = `https://localhost:${port}`;

	const user = service.users[0];
	const userId = user.id;
	let stopped: Promise<void> | undefined;
	const stop = async () => {
		const closed = once(server, 'close');
		server.close();
		service.connections.closeAll();
		await closed;
		await removeFolder();
		const { violations } = service.journal;
		if (violations.size === 0) return;
		throw new Error(`The sandbox broke the contract:\n${[...violations].join('\n')}`);
	};
	const { journal, store } = service;
	return {
		/** Base URL of the API: https://localhost:PORT/api/v1 */
		url: service.origin + service.basePath,
		origin: service.origin,
		port,
		/** PEM file of the certificate authority, for NODE_EXTRA_CA_CERTS. */
		caPath,
		ca: certificate.ca,
		/** The default user and their key. */
		user,
		apiKey: user.apiKey,
		/** You can add users; a reset removes them. */
		users: service.users,
		settings: service.settings,
		state: store,
		/** Everything received, oldest first; empty with `record: 'counts'`. */
		requests: journal.requests,
		counts: journal.counts,
		/** How responses broke the contract, other than by a fault. */
		violations: journal.violations,
		faults: service.faults,
		/** Adds a container or contact without a request, by default to the default user. */
		addContainer: (container: Partial<NewContainer> = {}) =>
			store.addContainer({ userId, ...container }),
		addContact: (
			email: string,
			fields: Record<string, unknown> = {},
			contact: Partial<NewContact> = {},
		) => store.addContact({ userId, ...contact, email, fields }),
		/** Clears the requests and counts only. */
		clearRequests: () => journal.clear(),
		/** Restores the initial state: settings, users, containers, contacts, requests, faults, limits. */
		reset: () => service.reset(),
		/** Closes all connections, busy ones too, and frees the port. @throws Error when a response broke the contract */
		stop: async () => await (stopped ??= stop()),
	};
}

function createService(options: SandboxOptions): Service {
	const settings = defaultSettings();
	applySettings(settings, options.settings ?? {});
	const { users: givenUsers = [{}], apiKey } = options;
	const users = givenUsers.map((user, index) =>
		createUser({ ...(index === 0 && apiKey !== undefined ? { apiKey } : {}), ...user }),
	);
	const firstUsers = [...users];
	const journal = new Journal(settings);
	const service: Service = {
		basePath: options.basePath ?? '/api/v1',
		origin: '',
		settings,
		users,
		store: new Store(),
		journal,
		faults: new FaultPlan(),
		limiter: new RateLimiter(),
		connections: new Connections(),
		reset() {
			Object.assign(settings, defaultSettings(), options.settings);
			users.splice(0, users.length, ...firstUsers);
			service.store.clear();
			journal.clear();
			service.faults.clear();
			service.limiter.clear();
		},
	};
	return service;
}
