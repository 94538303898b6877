import { startSandbox, type ReceivedRequest } from '../../../sandbox/index.cts';
import { runNode, type RunNodeResult } from '../../support/engine.cts';
import { trustCertificateAuthority } from '../../../tools/engine/trust.cts';
import type { FaultCase } from './faults.cts';
import type { Arranged, OperationCase } from './operations.cts';
import { API_KEY } from './secrets.cts';

/**
 * `permanent`: every attempt meets the fault, and the execution stops. `transient`: only the first attempt meets it,
 * and the execution continues on errors. `errorOutput`: like `transient`, with failed items in the error output.
 */
const ON_ERROR = {
	permanent: 'stopWorkflow',
	transient: 'continueRegularOutput',
	errorOutput: 'continueErrorOutput',
} as const;

export interface FaultRun {
	operation: OperationCase;
	fault: FaultCase;
	mode: keyof typeof ON_ERROR;
}

/** The result of an execution, as seen by the node's user and by the service. */
export interface Outcome {
	result: RunNodeResult;
	arranged: Arranged;
	effects: number[] | undefined;
	requests: ReceivedRequest[];
	encoded: Array<{ name: string; digests: Array<string | undefined> }>;
}

/** Retries of each execution, enough for one transient fault. */
const MAX_RETRIES = 1;

/** An own sandbox, so that concurrent executions do not affect each other. */
async function startWorker() {
	const sandbox = await startSandbox({ apiKey: API_KEY, settings: { deleteResponse: 'record' } });
	return { sandbox, untrust: trustCertificateAuthority(sandbox.ca) };
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
		const { sandbox, untrust } = await worker;
		untrust();
		await sandbox.stop();
	};
	return { outcomes, finished: Promise.all(lanes.map(end)) };
}

/** Whether both items share the request that meets the fault. */
export const isAlone = ({ shared, combined }: OperationCase) =>
	shared === true || combined === true;

async function runUnderFault(
	{ sandbox }: Awaited<ReturnType<typeof startWorker>>,
	{ operation, fault, mode }: FaultRun,
): Promise<Outcome> {
	sandbox.reset();
	const arranged = await operation.arrange(sandbox);
	sandbox.faults.add({
		...fault.fault,
		...operation.target,
		nth: isAlone(operation) ? 1 : 2,
		times: mode === 'permanent' ? Infinity : 1,
	});
	const { responseTimeout, timeout } = fault;
	const result = await runNode({
		parameters: {
			...arranged.parameters,
			options: {
				userId: sandbox.user.id,
				...(arranged.parameters.options as object),
				...{ maxRetries: MAX_RETRIES, maxConcurrent: 1 },
				...(responseTimeout === undefined ? {} : { responseTimeout }),
			},
			...(timeout === undefined ? {} : { requestOptions: { timeout } }),
		},
		items: arranged.items,
		credentials: { baseUrl: sandbox.url, apiKey: arranged.apiKey ?? API_KEY },
		onError: ON_ERROR[mode],
	});
	return {
		result,
		arranged,
		effects: arranged.effectCount && [0, 1].map((index) => arranged.effectCount?.(index) ?? 0),
		requests: [...sandbox.requests],
		encoded: [...sandbox.state.containers.values()]
			.filter(({ name }) => name.startsWith('Encoded'))
			.map(({ name, files }) => ({ name, digests: files.map(({ sha256 }) => sha256) })),
	};
}

/** Derives the expected result of an execution from the operation and the fault alone. */
export function expectedOutcome({ operation, fault, mode }: FaultRun) {
	const { shared = false, combined = false, creates = false, changes = false } = operation;
	const { once = 0, before = 0, after = 0, acceptsMissing = false } = operation;
	const isRetried = fault.retried === 'always' || (fault.retried !== undefined && !creates);
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
	const own = before + attempts + (fails || (isGone && !acceptsMissing) ? 0 : after);
	const sharedByItems = attempts + (fails ? 0 : 2 * after);
	const isShown = fails && mode !== 'permanent';
	const items = combined ? 1 : 2 + Number(operation.followsItems ?? false);
	const withoutFault = shared ? [Number(!fails), Number(!fails)] : [1, wasPerformed];
	return {
		fails,
		message: creates ? (fault.uploadMessage ?? fault.message) : fault.message,
		/** Requests that could meet the fault, and all requests of the execution. */
		targets: controlItems + attempts,
		requests: once + (shared ? sharedByItems : controlItems * (before + 1 + after) + own),
		/** How often the service performed each item's request. */
		effects: combined ? [wasPerformed, 0] : withoutFault,
		/** Output items, including those with an error. */
		outputs: fails && mode === 'permanent' ? 0 : operation.lists === true ? undefined : items,
		errorItems: isShown ? (shared ? [0, 1] : [controlItems]) : [],
		mentionsUnknownOutcome: creates && fault.outcomeUnknown === true,
	};
}
