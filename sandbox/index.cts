import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import https from 'node:https';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createCertificate } from './certificate.cts';
import { FaultPlan } from './faults.cts';
import type { Counts, ReceivedRequest } from './journal.cts';
import { Journal } from './journal.cts';
import { RateLimiter } from './rateLimiter.cts';
import { Connections } from './send.cts';
import type { Service } from './serve.cts';
import { answer } from './serve.cts';
import type { SandboxSettings } from './settings.cts';
import { applySettings, defaultSettings } from './settings.cts';
import type { NewContact, NewContainer, StoredContact, StoredContainer } from './store.cts';
import { Store } from './store.cts';
import type { SandboxUser } from './users.cts';
import { createUser } from './users.cts';

export type { Fault, FaultKind, FaultMatch } from './faults.cts';
export type { Counts, ReceivedRequest } from './journal.cts';
export * from './settings.cts';
export type { NewContact, NewContainer, StoredContact, StoredContainer } from './store.cts';
export type { SandboxUser } from './users.cts';

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
export interface Sandbox {
	/** Base URL of the API: https://localhost:PORT/api/v1 */
	url: string;
	origin: string;
	port: number;
	/** PEM file of the certificate authority, for NODE_EXTRA_CA_CERTS. */
	caPath: string;
	ca: string;
	/** The default user and their key. */
	user: SandboxUser;
	apiKey: string;
	/** You can add users; a reset removes them. */
	users: SandboxUser[];
	settings: SandboxSettings;
	state: Store;
	/** Everything received, oldest first; empty with `record: 'counts'`. */
	requests: ReceivedRequest[];
	counts: Counts;
	/** How responses broke the contract, other than by a fault. */
	violations: Set<string>;
	faults: FaultPlan;
	/** Adds a container or contact without a request, by default to the default user. */
	addContainer(container?: Partial<NewContainer>): StoredContainer;
	addContact(
		email: string,
		fields?: Record<string, unknown>,
		contact?: Partial<NewContact>,
	): StoredContact;
	/** Clears the requests and counts only. */
	clearRequests(): void;
	/** Restores the initial state: settings, users, containers, contacts, requests, faults, limits. */
	reset(): void;
	/**
	 * Closes all connections, busy ones too, and frees the port.
	 *
	 * @throws Error when a response broke the contract
	 */
	stop(): Promise<void>;
}

/**
 * Starts the service on this machine with a new certificate.
 *
 * @throws Error when the port is in use or a setting is unknown
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
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
	return {
		url: service.origin + service.basePath,
		origin: service.origin,
		port,
		caPath,
		ca: certificate.ca,
		user,
		apiKey: user.apiKey,
		users: service.users,
		settings: service.settings,
		state: service.store,
		requests: service.journal.requests,
		counts: service.journal.counts,
		violations: service.journal.violations,
		faults: service.faults,
		addContainer: (container = {}) => service.store.addContainer({ userId, ...container }),
		addContact: (email, fields = {}, contact = {}) =>
			service.store.addContact({ userId, ...contact, email, fields }),
		clearRequests: () => service.journal.clear(),
		reset: () => service.reset(),
		stop: () => (stopped ??= stop()),
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
