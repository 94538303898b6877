import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import https from 'node:https';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createCertificate } from '../tools/certificate.cts';
import { FaultPlan } from './faults.cts';
import { Journal } from './journal.cts';
import { RateLimiter } from './rateLimiter.cts';
import { Connections } from './send.cts';
import { answer, BASE_PATH, type Service } from './serve.cts';
import { applySettings, defaultSettings, type SandboxSettings } from './settings.cts';
import { createUser, Store, type NewContainer, type SandboxUser } from './store.cts';

export type { Fault } from './faults.cts';
export type { Counts, ReceivedRequest } from './journal.cts';
export * from './settings.cts';

export interface SandboxOptions {
	/** A free one by default. */
	port?: number;
	/** The key of the default user; random by default. */
	apiKey?: string;
	/** More users, after the default one. Values that aren't given are generated. */
	users?: Array<Partial<SandboxUser>>;
	/** The settings at the start and after each reset. */
	settings?: Partial<SandboxSettings>;
	/** Folder for the certificate; by default a temporary one that `stop` removes. */
	folder?: string;
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
	const { users, settings, store, journal, faults, connections } = service;
	const folder = options.folder ?? (await mkdtemp(path.join(os.tmpdir(), 'container-sandbox-')));
	const removeFolder = async () => {
		if (options.folder === undefined) await rm(folder, { recursive: true, force: true });
	};
	await mkdir(folder, { recursive: true });
	const { ca, key, cert } = await createCertificate();
	const caPath = path.join(folder, 'ca.pem');
	await writeFile(caPath, ca);

	const server = https.createServer(
		{ key, cert, noDelay: true, requestTimeout: 0, keepAliveTimeout: 60_000 },
		(request, response) => void answer(service, request, response),
	);
	server.on('connection', (socket) => {
		journal.counts.connections += 1;
		connections.add(socket as Socket);
	});
	server.listen(options.port ?? 0, '127.0.0.1');
	await once(server, 'listening').catch(async (error: Error) => {
		await removeFolder();
		throw error;
	});
	const { port } = server.address() as AddressInfo;
	service.origin = `https://localhost:${port}`;

	const [user] = users;
	const userId = user.id;
	let stopped: Promise<void> | undefined;
	const stop = async () => {
		const closed = once(server, 'close');
		server.close();
		connections.closeAll();
		await closed;
		await removeFolder();
		const { violations } = journal;
		if (violations.size === 0) return;
		throw new Error(`The sandbox broke the contract:\n${[...violations].join('\n')}`);
	};
	return {
		/** Base URL of the API: https://localhost:PORT/api/v1 */
		url: service.origin + BASE_PATH,
		origin: service.origin,
		port,
		/** PEM file of the certificate authority, for NODE_EXTRA_CA_CERTS. */
		caPath,
		ca,
		/** The default user and their key. */
		user,
		apiKey: user.apiKey,
		/** You can add users; a reset removes them. */
		users,
		settings,
		state: store,
		/** Everything received, oldest first; empty with `record: 'counts'`. */
		requests: journal.requests,
		counts: journal.counts,
		faults,
		/** Adds a container or contact of the default user without a request. */
		addContainer: (container: Partial<NewContainer> = {}) =>
			store.addContainer({ ...container, userId }),
		addContact: (email: string, fields: Record<string, unknown> = {}) =>
			store.addContact({ userId, email, fields }),
		/** Clears the requests and counts only. */
		clearRequests: () => journal.clear(),
		/** Restores the initial state: settings, users, containers, contacts, requests, faults, limits. */
		reset: () => service.reset(),
		/** Closes all connections, busy ones too, and frees the port. @throws Error when a response broke the contract */
		stop: async () => await (stopped ??= stop()),
	};
}

function createService({
	apiKey,
	users: others = [],
	settings: given = {},
}: SandboxOptions): Service {
	const settings = defaultSettings();
	applySettings(settings, given);
	const firstUsers = [apiKey === undefined ? {} : { apiKey }, ...others].map(createUser);
	const users = [...firstUsers];
	const store = new Store();
	const journal = new Journal(settings);
	const faults = new FaultPlan();
	const limiter = new RateLimiter();
	return {
		...{ origin: '', settings, users, store, journal, faults, limiter },
		connections: new Connections(),
		reset() {
			Object.assign(settings, defaultSettings(), given);
			users.splice(0, users.length, ...firstUsers);
			for (const part of [store, journal, faults, limiter]) part.clear();
		},
	};
}
