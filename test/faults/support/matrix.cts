import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { startSandbox, type ReceivedRequest, type Sandbox } from '../../../sandbox/index.cts';
import { runNode, type RunNodeResult } from '../../support/engine.cts';
import { trustCertificateAuthority } from '../../../tools/engine/trust.cts';
import type { FaultCase } from './faults.cts';
import type { Arranged, OperationCase } from './operations.cts';
import { API_KEY } from './secrets.cts';

/**
 * `permanent`: every attempt meets the fault, and the execution stops. `transient`: only the first attempt meets it,
 * and the execution continues on errors. `errorOutput`: like `transient`, with failed items in the error output.
 */
export type Mode = 'permanent' | 'transient' | 'errorOutput';

const ON_ERROR = {
	permanent: 'stopWorkflow',
	transient: 'continueRegularOutput',
	errorOutput: 'continueErrorOutput',
} as const;

export interface FaultRun {
	operation: OperationCase;
	fault: FaultCase;
	mode: Mode;
}

/** The result of an execution, as seen by the node's user and by the service. */
export interface Outcome {
	result: RunNodeResult;
	arranged: Arranged;
	effects: number[] | undefined;
	requests: ReceivedRequest[];
	/** The requests that could meet the fault. */
	targets: ReceivedRequest[];
	encoded: Array<{ name: string; digests: Array<string | undefined> }>;
}

/** Retries of each execution, enough for one transient fault. */
const MAX_RETRIES = 1;

/** An own sandbox, so that concurrent executions do not affect each other. */
async function startWorker() {
	const sandbox = await startSandbox({ apiKey: API_KEY, settings: { deleteResponse: 'record' } });
	const untrust = trustCertificateAuthority(sandbox.ca);
	/** Lets the node ask for the user of the API key, so that an execution sends no extra request. */
	const introduceUser = async () => {
		await runNode({
			parameters: { resource: 'contact', operation: 'getAll' },
			credentials: { baseUrl: sandbox.url, apiKey: sandbox.apiKey },
		});
	};
	await introduceUser();
	const stop = async () => {
		untrust();
		await sandbox.stop();
	};
	return { sandbox, introduceUser, stop };
}

/**
 * Runs all cases, a few at a time, as most of the time is spent waiting.
 *
 * @returns the outcome of each case, and a promise of the end
 */
export function runAll(runs: FaultRun[], count: number) {
	const lanes = Array.from({ length: count }, () => {
		const worker = startWorker();
		return { worker, last: worker as Promise<unknown> };
	});
	const outcomes = runs.map((run, index) => {
		const lane = lanes[index % count];
		const outcome = lane.last.then(async () => await runUnderFault(await lane.worker, run));
		lane.last = outcome.catch(() => undefined);
		return outcome;
	});
	const end = async ({ worker, last }: (typeof lanes)[number]) => {
		await last;
		await (await worker).stop();
	};
	return { outcomes, finished: Promise.all(lanes.map(end)) };
}

/** Whether both items share the request that meets the fault. */
export const isAlone = ({ shared, combined }: OperationCase) =>
	shared === true || combined === true;

async function runUnderFault(
	{ sandbox, introduceUser }: Awaited<ReturnType<typeof startWorker>>,
	{ operation, fault, mode }: FaultRun,
): Promise<Outcome> {
	sandbox.reset();
	const arranged = await operation.arrange(sandbox);
	sandbox.faults.add({
		...fault.fault,
		...operation.target,
		nth: isAlone(operation) ? 1 : 2,
		times: mode === 'permanent' ? Number.POSITIVE_INFINITY : 1,
	});
	const result = await runNode({
		parameters: {
			...arranged.parameters,
			options: {
				...(arranged.parameters.options as object),
				maxRetries: MAX_RETRIES,
				maxConcurrent: 1,
				...(fault.responseTimeout === undefined ? {} : { responseTimeout: fault.responseTimeout }),
			},
			...(fault.timeout === undefined ? {} : { requestOptions: { timeout: fault.timeout } }),
		},
		items: arranged.items,
		credentials: { baseUrl: sandbox.url, apiKey: arranged.apiKey ?? sandbox.apiKey },
		onError: ON_ERROR[mode],
	});
	const requests = [...sandbox.requests];
	// The node asks for the user again after a refusal.
	if (requests.some(({ status }) => status === 403 || status === 404)) {
		sandbox.faults.clear();
		await introduceUser();
	}
	const { method, path } = operation.target;
	return {
		result,
		arranged,
		effects: arranged.effectCount && [0, 1].map((index) => arranged.effectCount?.(index) ?? 0),
		requests,
		targets: requests.filter((one) => one.method === method && path.test(one.path)),
		encoded: findEncoded(sandbox),
	};
}

const findEncoded = ({ state, user }: Sandbox) =>
	state
		.containersOf(user.id)
		.filter(({ name }) => name.startsWith('Encoded'))
		.map(({ name, files }) => ({ name, digests: files.map(({ sha256 }) => sha256) }));

/** Derives the expected result of an execution from the operation and the fault alone. */
export function expectedOutcome({ operation, fault, mode }: FaultRun) {
	const { shared = false, combined = false, creates = false, changes = false } = operation;
	const { once = 0, before = 0, after = 0 } = operation;
	const isRetried = fault.retried === 'always' || (fault.retried === 'ifIdempotent' && !creates);
	const attempts = isRetried ? 1 + MAX_RETRIES : 1;
	// The second response says that the record is gone, as it should be.
	const isGone =
		isRetried &&
		fault.performed === true &&
		operation.target.method === 'DELETE' &&
		(mode !== 'permanent' || fault.sendsStatus === true);
	const fails = fault.accepted !== true && (!isRetried || (mode === 'permanent' && !isGone));
	const wasPerformed = Number(!fails || (fault.performed === true && changes));
	const controlItems = isAlone(operation) ? 0 : 1;
	const own = before + attempts + (fails || isGone ? 0 : after);
	const sharedByItems = attempts + (fails ? 0 : 2 * after);
	const shows = fails && mode !== 'permanent';
	const items = combined ? 1 : 2 + (operation.followsItems === true ? 1 : 0);
	return {
		fails,
		message: typeof fault.message === 'function' ? fault.message(operation) : fault.message,
		/** Requests that could meet the fault, and all requests of the execution. */
		targets: controlItems + attempts,
		requests: once + (shared ? sharedByItems : controlItems * (before + 1 + after) + own),
		/** How often the service performed each item's request. */
		effects: shared
			? [fails ? 0 : 1, fails ? 0 : 1]
			: combined
				? [wasPerformed, 0]
				: [1, wasPerformed],
		/** Output items, including those with an error. */
		outputs: fails && mode === 'permanent' ? 0 : operation.lists === true ? undefined : items,
		errorItems: shows ? (shared ? [0, 1] : combined ? [0] : [1]) : [],
		mentionsUnknownOutcome: creates && fault.outcomeUnknown === true,
	};
}

/** An error that the node threw or added to an item. */
interface ReportedError {
	message: string;
	description: string;
	httpCode?: string;
	itemIndex?: number;
	/** The item with the error. */
	item?: INodeExecutionData;
}

/** The items with an error, from both outputs. */
export function getErrorItems({ items, errorItems }: RunNodeResult): INodeExecutionData[] {
	return [...items, ...errorItems].filter(({ json }) => typeof json.errorDescription === 'string');
}

/** The errors of an execution: its own, or those of its items. */
export function getErrors({ result }: Outcome): ReportedError[] {
	const { error } = result;
	if (error === undefined) {
		return getErrorItems(result).map((item) => {
			const { error: message, errorDescription: description, httpCode } = item.json;
			return { message, description, httpCode, item } as ReportedError;
		});
	}
	const { message, description, httpCode, context } = error;
	const { itemIndex } = context as IDataObject;
	return [{ message, description, httpCode, itemIndex } as ReportedError];
}
