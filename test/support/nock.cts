import nock from 'nock';
import { defaultCredentials } from './credentials.cts';
import { checkContract } from './contract.cts';

interface RecordedRequest {
	method: string;
	origin: string;
	/** Path and query exactly as they were sent, including their encoding. */
	path: string;
	headers: Record<string, string>;
	/** Parsed when the content type is JSON, otherwise the text. Empty without a body. */
	body: unknown;
}

export type MockedService = ReturnType<typeof mockService>;

/** What nock reports of a request; of an unexpected one, it can be only its options. */
interface NockRequest {
	method: string;
	path: string;
	host?: string;
	getHeader?(name: string): unknown;
	getHeaders(): Record<string, unknown>;
}

const loopback = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

nock.restore();

function parsed(headers: Record<string, string>, body: string): unknown {
	const isJson = headers['content-type']?.includes('application/json') === true;
	return isJson && body !== '' ? (JSON.parse(body) as unknown) : body;
}

/** nock reports a body that is not UTF-8 in hex. A form starts with two hyphens. */
function toBytes(body: string): Buffer {
	return Buffer.from(body, /^2d2d([\da-f]{2})+$/.test(body) ? 'hex' : 'utf8');
}

/**
 * Puts nock between the node and the network for a test file or a describe block. Only the loopback
 * can be reached. A test fails if an expected request is missing or an unexpected one is sent.
 */
export function mockService(baseUrl = defaultCredentials.baseUrl) {
	const contract = checkContract();
	const requests: RecordedRequest[] = [];
	const unexpected: string[] = [];

	const record = (request: NockRequest, url: string, body: string) => {
		const { origin, pathname: basePath } = new URL(url);
		const entries = Object.entries(request.getHeaders());
		const headers = Object.fromEntries(
			entries.map(([name, value]) => [name.toLowerCase(), String(value)]),
		);
		const { method, path } = request;
		requests.push({ method, origin, path, headers, body: parsed(headers, body) });
		const below = path.startsWith(basePath) ? path.slice(basePath.length) : path;
		contract.add({ method, path: below, headers, body: toBytes(body) });
	};
	const note = (request: NockRequest) => {
		const host = String(request.getHeader?.('host') ?? request.host ?? '');
		if (!loopback.test(host)) unexpected.push(`${request.method} ${host}${request.path}`);
	};

	beforeAll(() => {
		if (!nock.isActive()) nock.activate();
	});
	beforeEach(() => {
		requests.length = 0;
		unexpected.length = 0;
		nock.disableNetConnect();
		nock.enableNetConnect((host) => loopback.test(host));
		nock.emitter.on('no match', note);
	});
	afterEach(() => {
		const pending = nock.pendingMocks();
		nock.emitter.removeListener('no match', note);
		nock.abortPendingRequests();
		nock.cleanAll();
		if (pending.length > 0) throw new Error(`Expected, but not requested:\n${pending.join('\n')}`);
		if (unexpected.length > 0) {
			throw new Error(`Requested, but not expected:\n${unexpected.join('\n')}`);
		}
	});
	afterAll(() => {
		nock.enableNetConnect();
		nock.restore();
	});

	/** Responds to the question for the user of the API key, asked or not, which isn't recorded. */
	const allowUser = (url = baseUrl) => {
		const user = nock(url).persist().get('/me').optionally();
		user.reply(200, { id: 'user-1', features: [] });
	};
	const scope = (url = baseUrl) => {
		const created = nock(url);
		created.on('request', (request: NockRequest, _interceptor: unknown, body: string) =>
			record(request, url, body),
		);
		const post = created.post.bind(created);
		created.post = (...request) => {
			// Before it encodes, each try of the node asks what the service supports.
			if (String(request[0]).endsWith('/encode')) allowUser(url);
			return post(...request);
		};
		const get = created.get.bind(created);
		created.get = (...request) => {
			// Where a response has no link to a container, the node asks for one.
			if (String(request[0]).includes('/containers')) allowUser(url);
			return get(...request);
		};
		return created;
	};
	type Expectation = Parameters<nock.Scope['get']>;
	return {
		/** The expected requests of the current test, in the order of arrival. */
		requests,
		/** Checks these requests against docs/openapi.yaml. */
		contract,
		allowUser,
		/** Expectations for a base URL, for all else. */
		scope,
		/** An expectation below the base URL: `service.get('/me').reply(200, {})`. */
		get: (...request: Expectation) => scope().get(...request),
		post: (...request: Expectation) => scope().post(...request),
		patch: (...request: Expectation) => scope().patch(...request),
		delete: (...request: Expectation) => scope().delete(...request),
	};
}
