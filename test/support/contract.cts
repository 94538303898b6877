import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { contractFor, type FormPart } from '../../sandbox/contract.cts';
import { boundaryOf, parseMultipart } from '../../sandbox/upload.cts';
import { defaultSettings, type SandboxSettings } from '../../sandbox/settings.cts';

/** A complete request, as it was sent. */
export interface SentRequest {
	method: string;
	/** Path and query below the base URL. */
	path: string;
	headers: IncomingHttpHeaders;
	body: Buffer;
}

/** How a service departs from docs/openapi.yaml. */
export type Departures = Partial<SandboxSettings>;

/** Where the contract leaves open what is required, the node decides. */
const NODE_DECIDES: Departures = { requiredManifestFields: [] };

/** @returns what is wrong with a request according to docs/openapi.yaml, as short texts */
export async function findViolations(
	{ method, path, headers, body }: SentRequest,
	departures: Departures = {},
): Promise<string[]> {
	const settings = { ...defaultSettings(), ...NODE_DECIDES, ...departures };
	const contract = contractFor(settings);
	const boundary = boundaryOf(headers['content-type'] ?? '');
	try {
		const content =
			boundary === undefined
				? { body: body.length === 0 ? undefined : (JSON.parse(body.toString()) as unknown) }
				: { parts: await parseForm(body, boundary, settings.manifestPart) };
		return contract.validateRequest({ method, path, headers, ...content });
	} catch (error) {
		return [`The body can't be parsed: ${(error as Error).message}`];
	}
}

async function parseForm(
	body: Buffer,
	boundary: string,
	manifestPart: string,
): Promise<FormPart[]> {
	const stream = Object.assign(Readable.from([body]), { complete: true });
	const parts = await parseMultipart(stream, {
		record: { bytes: 0 },
		boundary,
		maxBytes: null,
		hashFiles: false,
		wantsText: (name) => name === manifestPart,
	});
	return parts.map(({ received: { name, type }, text }) => ({ name, type, text }));
}

/** Checks all requests of each test of a file or describe block. */
export interface ContractCheck {
	add(request: SentRequest): void;
	/** Says how the service of this test departs from the contract. */
	depart(departures: Departures): void;
	/** Checks the requests of this test without their bodies. */
	skipBodies(reason: string): void;
	/** @returns what is wrong with the requests of this test so far */
	findViolations(): Promise<string[]>;
}

/** A test fails if it sends a request that docs/openapi.yaml doesn't allow. */
export function checkContract(): ContractCheck {
	const sent: SentRequest[] = [];
	let departures: Departures = {};
	let skipsBodies = false;

	const find = async () => {
		const found = await Promise.all(
			sent.map(async (request) => {
				const violations = await findViolations(request, departures);
				const counted = violations.filter((text) => !skipsBodies || !/^(body|form)\b/.test(text));
				return counted.map((violation) => `${request.method} ${request.path}: ${violation}`);
			}),
		);
		return [...new Set(found.flat())];
	};

	beforeEach(() => {
		sent.length = 0;
		departures = {};
		skipsBodies = false;
	});
	afterEach(async () => {
		const violations = await find();
		if (violations.length === 0) return;
		throw new Error(`Sent, but not allowed by docs/openapi.yaml:\n${violations.join('\n')}`);
	});
	return {
		findViolations: find,
		add: (request) => void sent.push(request),
		depart: (own) => (departures = own),
		skipBodies: (reason) => (skipsBodies = reason !== ''),
	};
}
