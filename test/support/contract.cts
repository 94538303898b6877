import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { contractFor, type Departures } from '../../sandbox/contract.cts';
import { boundaryOf, parseMultipart } from '../../sandbox/upload.cts';

/** A complete request, as it was sent. */
interface SentRequest {
	method: string;
	/** Path and query below the base URL. */
	path: string;
	headers: IncomingHttpHeaders;
	body: Buffer;
}

/** @returns what is wrong with a request according to sandbox/openapi.yaml, as short texts */
async function findViolations(
	{ method, path, headers, body }: SentRequest,
	departures: Departures = {},
): Promise<string[]> {
	const textPart = departures.manifestPart ?? 'manifest.json';
	const boundary = boundaryOf(headers['content-type']);
	try {
		const content =
			boundary === undefined
				? { body: body.length === 0 ? undefined : (JSON.parse(body.toString()) as unknown) }
				: { parts: await parseMultipart(Readable.from([body]), { boundary, textPart }) };
		return contractFor(departures).validateRequest({ method, path, headers, ...content });
	} catch (error) {
		return [`The body can't be parsed: ${(error as Error).message}`];
	}
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

/** A test fails if it sends a request that sandbox/openapi.yaml doesn't allow. */
export function checkContract(): ContractCheck {
	const sent: SentRequest[] = [];
	let departures: Departures = {};
	let skipsBodies = false;

	const find = async () => {
		const found = await Promise.all(
			sent.map(async (request) => {
				const violations = await findViolations(request, departures);
				const counted = violations.filter(
					(text) => !skipsBodies || !/^(body|form)\b|'requestBody'/.test(text),
				);
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
		throw new Error(`Sent, but not allowed by sandbox/openapi.yaml:\n${violations.join('\n')}`);
	});
	return {
		findViolations: find,
		add: (request) => void sent.push(request),
		depart: (own) => (departures = own),
		skipBodies: (reason) => (skipsBodies = reason !== ''),
	};
}
