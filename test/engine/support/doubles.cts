import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { INodeParameters, OnError } from 'n8n-workflow';
import { createCertificate } from '../../support/certificate.cts';
import { runNode, type RunNodeResult } from '../../support/engine.cts';
import { trustCertificateAuthority } from '../../support/trust.cts';

/** Node.js tells here when a request is sent, before it arrives. */
const SENT = 'http.client.request.start';
const ON_ERROR: OnError[] = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'];
/** Longer than all that an execution could still wait for. */
const QUIET_MS = 150;

/** Numbers from 0 to below 1, the same for each seed (mulberry32). */
type Random = () => number;
function createRandom(seed: number): Random {
	let state = seed >>> 0;
	return () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

const pick = <T,>(random: Random, values: readonly T[]): T =>
	values[Math.floor(random() * values.length)];

/** What the service does with an upload, once it has all of it. */
type Fate = { status: number; isCreated: boolean } | { status: 'lost'; isCreated: boolean };

interface Upload {
	name: string;
	isCreated: boolean;
	/** Whether the response showed that no container was created. */
	isRejected: boolean;
}

/** A service that counts the names of containers. */
export interface CountingService {
	uploads: Upload[];
	/** The path of each request, when it is sent. */
	sent: string[];
	random: Random;
	run(parameters: INodeParameters, more: object): Promise<RunNodeResult>;
	stop(): Promise<void>;
}

export async function startCountingService(): Promise<CountingService> {
	const { ca, key, cert } = await createCertificate();
	const server = createServer({ key, cert }, (request, response) => {
		void answer(service, request, response).catch(() => response.destroy());
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const untrust = trustCertificateAuthority(ca);
	const { port } = server.address() as AddressInfo;
	const sent: string[] = [];
	const note = (message: unknown) =>
		sent.push((message as { request: ClientRequest }).request.path);
	subscribe(SENT, note);
	const service: CountingService = {
		sent,
		uploads: [],
		random: Math.random,
		run: async (parameters, more) =>
			await runNode({
				...more,
				parameters,
				credentials: { baseUrl: `https://localhost:${port}/api/v1`, apiKey: 'key-of-the-fuzz' },
			}),
		async stop() {
			unsubscribe(SENT, note);
			untrust();
			server.closeAllConnections();
			server.close();
			await once(server, 'close');
		},
	};
	return service;
}

async function answer(
	service: CountingService,
	request: IncomingMessage,
	response: ServerResponse,
): Promise<void> {
	const { random } = service;
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	if (request.method === 'GET') {
		const created = service.uploads.filter(({ isCreated }) => isCreated);
		const found = created.map(({ name }, index) => ({ uuid: `c-${index}`, name }));
		const id = /\/containers\/([^/]+)$/.exec(request.url ?? '')?.[1];
		return respond(response, 200, id === undefined ? found : { uuid: id });
	}
	const [, name = ''] = /"name":"([^"]*)"/.exec(Buffer.concat(chunks).toString()) ?? [];
	const upload: Upload = { name, isCreated: false, isRejected: false };
	service.uploads.push(upload);
	const fate = createFate(random);
	await wait(pick(random, [0, 0, 1, 5, 20, 60]));
	// Whoever is gone gets nothing.
	if (request.socket.destroyed) return;
	upload.isCreated = fate.isCreated;
	if (fate.status === 'lost') return void response.destroy();
	upload.isRejected = fate.status >= 400 && fate.status < 500;
	const isOk = fate.status < 300;
	respond(response, fate.status, isOk ? { container: { uuid: `c-${name}`, name } } : {});
}

function createFate(random: Random): Fate {
	const chance = random();
	if (chance < 0.65) return { status: 200, isCreated: true };
	if (chance < 0.7) return { status: 'lost', isCreated: random() < 0.5 };
	const status = pick(random, [403, 422, 429, 429, 500, 502, 503, 504]);
	return { status, isCreated: status >= 500 && random() < 0.5 };
}

function respond(response: ServerResponse, status: number, body: object): void {
	response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' });
	response.end(JSON.stringify(body));
}

/** One execution: what the user set, and when it is canceled. */
interface Plan {
	parameters: INodeParameters;
	more: object;
	/** Whether containers with the names of this execution can come from others. */
	isShared: boolean;
	names: string[];
	isForAllItems: boolean;
	/** In the paths of its requests. */
	user: string;
}

let executions = 0;

function createPlan(random: Random, sharedNames: boolean): Plan {
	executions += 1;
	const owner = sharedNames ? 'shared' : `own ${executions}`;
	const user = owner.replace(' ', '-');
	const count = 1 + Math.floor(random() * 7);
	const names = Array.from({ length: count }, (_value, index) => `${owner} ${index}`);
	const failing = pick(random, names);
	const isForAllItems = !sharedNames && random() < 0.15;
	const batch = {
		batchSize: pick(random, [-1, 0, 1, 2, 3, 10]),
		batchInterval: pick(random, [0, 1, 10, 40]),
	};
	const parameters: INodeParameters = {
		resource: 'container',
		operation: 'encode',
		containerMode: isForAllItems ? 'allItems' : 'perItem',
		fileSource: 'text',
		textContent: 'confidential',
		name: isForAllItems ? owner : '={{ $json.name }}',
		recipients: 'anna@example.com',
		...breakParameter(random, failing),
		...(random() < 0.6 ? { requestOptions: { batching: { batch } } } : {}),
		options: {
			userId: user,
			maxConcurrent: 1 + Math.floor(random() * 5),
			maxRetries: pick(random, [0, 0, 1]),
			ifExists: sharedNames ? 'reuse' : 'create',
		},
	};
	const more = {
		items: names.map((name) => ({ json: { name } })),
		onError: pick(random, ON_ERROR),
		retryOnFail: random() < 0.7,
		maxTries: 2 + Math.floor(random() * 3),
		waitBetweenTries: pick(random, [1, 1, 20]),
		...(random() < 0.25 ? { cancelAfterMs: Math.floor(random() * 150) } : {}),
	};
	const all = isForAllItems ? [owner] : names;
	return { parameters, more, isShared: sharedNames, names: all, isForAllItems, user };
}

/** A parameter that one item makes fail: always, or in some tries, as an expression or as a value. */
function breakParameter(random: Random, name: string): INodeParameters {
	const condition = pick(random, ['true', 'Math.random() < 0.5', 'Math.random() < 0.2']);
	const when = `$json.name === '${name}' && ${condition}`;
	return pick<INodeParameters>(random, [
		{},
		{},
		{ recipients: `={{ ${when} ? 'nobody' : 'anna@example.com' }}` },
		{ recipients: `={{ ${when} ? $('No Such Node').item.json.id : 'anna@example.com' }}` },
		{ textContent: `={{ ${when} ? $('No Such Node').item.json.id : 'confidential' }}` },
		{ downloadable: `={{ ${when} ? undefined.x : false }}` },
	]);
}

/**
 * Runs executions at the same time, and returns what is wrong.
 *
 * @param seed the same seed has the same settings and answers; only the timing differs
 */
export async function findDoubles(service: CountingService, seed: number): Promise<string[]> {
	const random = createRandom(seed);
	service.uploads = [];
	service.random = createRandom(seed + 1);
	service.sent.length = 0;
	const { uploads, sent } = service;
	const plans = Array.from({ length: pick(random, [1, 1, 2, 3]) }, () =>
		createPlan(random, random() < 0.25),
	);
	const wrong: string[] = [];
	await Promise.all(
		plans.map(async (plan) => {
			const result = await service.run(plan.parameters, plan.more);
			const countSent = () => sent.filter((path) => path.includes(`/${plan.user}/`)).length;
			const sentBefore = countSent();
			await wait(QUIET_MS);
			if (!plan.isShared && countSent() !== sentBefore)
				wrong.push(`${plan.names[0]}: sent after the end`);
			if (!plan.isShared) wrong.push(...findUntruths(plan, result, uploads));
		}),
	);
	for (const name of new Set(plans.flatMap(({ names }) => names))) {
		const own = uploads.filter((upload) => upload.name === name);
		if (own.filter(({ isCreated }) => isCreated).length > 1) wrong.push(`${name}: created twice`);
		const isShared = plans.some((plan) => plan.isShared && plan.names.includes(name));
		// Where the node looks for a container first, it may send again what it doesn't find.
		if (isShared) continue;
		const isRepeated = own.slice(0, -1).some(({ isRejected }) => !isRejected);
		if (isRepeated) wrong.push(`${name}: sent again although its outcome was unknown`);
	}
	return wrong.map((what) => `${what} ${JSON.stringify(plans)}`);
}

/** Items that succeeded without a container, or failed with one that no error mentions. */
function findUntruths(plan: Plan, result: RunNodeResult, uploads: Upload[]): string[] {
	const { items, errorItems, error, status, log } = result;
	const isCreated = (name: string) =>
		uploads.some((upload) => upload.name === name && upload.isCreated);
	const wrong: string[] = [];
	if (status === 'canceled' || error !== undefined) {
		const said = `${error?.description ?? ''} ${log.join(' ')}`;
		for (const name of plan.names) {
			if (isCreated(name) && !said.includes(`"${name}"`)) {
				wrong.push(`${name}: created, but the error does not say so (${status}): ${said}`);
			}
		}
		return wrong;
	}
	const outputs = new Map<number, string | undefined>();
	for (const { json, pairedItem } of [...items, ...errorItems]) {
		const links = [pairedItem].flat() as Array<{ item: number }>;
		const described = json.error === undefined ? undefined : String(json.errorDescription);
		for (const { item } of links) outputs.set(item, described);
	}
	plan.names.forEach((name, index) => {
		const hasOutput = outputs.has(index);
		const description = outputs.get(index);
		if (!hasOutput) wrong.push(`${name}: no output`);
		else if (description === undefined && !isCreated(name)) wrong.push(`${name}: not created`);
		else if (description !== undefined && isCreated(name) && !/might have been/.test(description)) {
			wrong.push(`${name}: created, but it has an error: ${description}`);
		}
	});
	return wrong;
}
