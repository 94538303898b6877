import { tooManyRequests, type Handler } from '../support/proxy.cts';
import { useService } from '../support/service.cts';
import { operations, runOperation } from './support/operations.cts';
import { API_KEY, findLeaks } from './support/secrets.cts';

const service = useService({ API_KEY });

jest.setTimeout(60_000);

/** The service does what it is asked for, and its response never arrives. */
const lost: Handler = async (_request, pass) => {
	await pass();
	return 'cut';
};

/** The service is not there for a moment, and does nothing. */
const unavailable: Handler = async ({ read }) => {
	await read();
	return { status: 503, body: '{"message":"Starting","code":"failed"}' };
};

const faults: Record<string, Handler> = {
	'the response is lost': lost,
	'the service is not available once': unavailable,
	'there are too many requests once': tooManyRequests,
};

const cases = operations.flatMap((operation) =>
	Object.entries(faults).map(([fault, handler]) => ({ operation, fault, handler })),
);

it.each(cases.map((one) => ({ ...one, name: one.operation.name })))(
	'does what it is for, once, and shows no secret: $name, $fault',
	async ({ operation, handler }) => {
		const { json, isDone } = await operation.arrange(service);
		service.on(operation.target, handler);

		const result = await runOperation(service, operation, json);

		expect(result.error).toBeUndefined();
		expect(result.items.length).toBeGreaterThan(0);
		if (isDone) expect(await isDone()).toBe(true);
		expect(findLeaks(result)).toEqual([]);
	},
);
