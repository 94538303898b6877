import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { startSandbox, type ReceivedRequest, type Sandbox } from '../../../sandbox/index.cts';
import { snapshot } from '../../../sandbox/service/store.cts';
import { runNode, type RunNodeResult } from '../../support/engine.cts';
import { trustCertificateAuthority } from '../../support/trust.cts';
import type { FaultCase } from './faults.cts';
import type { Arranged, OperationCase } from './operations.cts';
import { API_KEY } from './secrets.cts';

/**
 * `lasting`: every try meets the fault, and the run stops at it. `passing`: only the first one does, and the run goes
 * on whatever happens; `aside` is the same with failed items going to the error output.
 */
export type Mode = 'lasting' | 'passing' | 'aside';

const ON_ERROR = {
	lasting: 'stopWorkflow',
	passing: 'continueRegularOutput',
	aside: 'continueErrorOutput',
} as const;

export interface FaultRun {
	operation: OperationCase;
	fault: FaultCase;
	mode: Mode;
}

/** What came of a run, as the node's caller and the service saw it. */
export interface Outcome {
	result: RunNodeResult;
	arranged: Arranged;
	effects: number[] | undefined;
	requests: ReceivedRequest[];
	/** The requests that could meet the fault. */
	targets: ReceivedRequest[];
	containers: ReturnType<typeof snapshot>['containers'];
	contactCount: number;
}

/** A sandbox of its own, so that runs at the same time do not see each other. */
export interface Lane {
	sandbox: Sandbox;
	stop(): Promise<void>;
}

/** Retries that each run may make: enough for one fault that passes. */
export const MAX_RETRIES = 1;

/** @returns a lane whose user the node knows already, so that a run asks for nothing but its own */
export async function openLane(): Promise<Lane> {
	const sandbox = await startSandbox({
		apiKey: API_KEY,
		settings: { deleteResponse: 'record' },
	});
	const distrust = trustCertificateAuthority(sandbox.ca);
	await runNode({
		parameters: { resource: 'contact', operation: 'getAll' },
		credentials: { baseUrl: sandbox.url, apiKey: sandbox.apiKey },
	});
	return {
		sandbox,
		async stop() {
			distrust();
			await sandbox.stop();
		},
	};
}

/** Puts one operation under one fault. */
export async function runUnderFault(
	{ sandbox }: Lane,
	{ operation, fault, mode }: FaultRun,
): Promise<Outcome> {
	sandbox.reset();
	const arranged = await operation.arrange(sandbox);
	const isAlone = operation.shared === true || operation.joined === true;
	sandbox.faults.add({
		...fault.fault,
		...operation.target,
		nth: isAlone ? 1 : 2,
		times: mode === 'lasting' ? Number.POSITIVE_INFINITY : 1,
	});
	const result = await runNode({
		parameters: {
			...arranged.parameters,
			options: {
				...(arranged.parameters.options as object),
				maxRetries: MAX_RETRIES,
				maxConcurrent: 1,
			},
			...(fault.timeout === undefined ? {} : { requestOptions: { timeout: fault.timeout } }),
		},
		items: arranged.items,
		credentials: { baseUrl: sandbox.url, apiKey: arranged.apiKey ?? sandbox.apiKey },
		onError: ON_ERROR[mode],
	});
	const requests = [...sandbox.requests];
	const { method, path } = operation.target;
	return {
		result,
		arranged,
		effects: arranged.effects && [0, 1].map((index) => arranged.effects?.(index) ?? 0),
		requests,
		targets: requests.filter((one) => one.method === method && path.test(one.path)),
		containers: snapshot(sandbox.state).containers,
		contactCount: snapshot(sandbox.state).contacts.length,
	};
}

/** What must come of a run. */
export interface Expected {
	fails: boolean;
	message: RegExp;
	/** Requests that could meet the fault, and all requests of the run. */
	targets: number;
	requests: number;
	/** How often the service carried out what each item asked for. */
	effects: [number, number];
	/** Items that come out, those with an error among them. */
	outputs: number | undefined;
	errorItems: number[];
	mentionsDoubt: boolean;
}

/**
 * Foretells what must come of a run, from what is known of the operation and of the fault alone.
 */
export function foretell({ operation, fault, mode }: FaultRun): Expected {
	const { shared = false, joined = false, creates = false, changes = false } = operation;
	const verdict = fault.verdict?.(operation);
	const isSentAgain = fault.again === 'always' || (fault.again === 'ifRepeatable' && !creates);
	const tries = isSentAgain ? 1 + MAX_RETRIES : 1;
	const fails = verdict === undefined ? mode === 'lasting' || !isSentAgain : verdict !== 'goesOn';
	const own = typeof fault.message === 'function' ? fault.message(operation) : fault.message;
	const { before = 0, after = 0 } = operation;
	const wasDone = !fails || (fault.carriedOut === true && changes);
	const provesItself = operation.use === 'proof' && verdict === 'goesOn' && isSpoiled(fault);
	const afterwards = fails ? 0 : after + (provesItself ? 1 : 0);
	const bystander = shared || joined ? 0 : 1;
	const withOthers = shared && !fails ? 2 * after : 0;
	// An item that stops the run at once leaves the one before it between its two requests.
	const stopsAtOnce = fails && tries === 1 && fault.answersSuccess !== true;
	const leavesOther = mode === 'lasting' && !shared && after > 0 && stopsAtOnce;
	const others = leavesOther ? before + 1 : bystander * (before + 1 + after);
	return {
		fails,
		message: verdict instanceof RegExp ? verdict : own,
		targets: bystander + tries,
		requests: shared ? tries + withOthers : others + before + tries + afterwards,
		effects: shared
			? [fails ? 0 : 1, fails ? 0 : 1]
			: joined
				? [wasDone ? 1 : 0, 0]
				: [leavesOther ? 0 : 1, wasDone ? 1 : 0],
		outputs:
			fails && mode === 'lasting'
				? 0
				: joined
					? 1
					: operation.use === 'list' && !shared
						? undefined
						: 2,
		errorItems: !fails || mode === 'lasting' ? [] : shared ? [0, 1] : joined ? [0] : [1],
		mentionsDoubt: creates && fault.doubt === true,
	};
}

/** Whether the answer of success holds something else than the service's record. */
function isSpoiled({ fault: { kind } }: FaultCase): boolean {
	return kind === 'hostile' || kind === 'body';
}

/** An error as the caller of the node gets it: thrown, or told by an item. */
export interface ToldError {
	message: string;
	description: string;
	httpCode?: string;
	itemIndex?: number;
	/** The item that tells it. */
	item?: INodeExecutionData;
}

/** @returns the items that tell of an error, of either output */
export function errorItemsOf({ items, errorItems }: RunNodeResult): INodeExecutionData[] {
	return [...items, ...errorItems].filter(
		({ json }) => typeof json.error === 'string' && typeof json.errorDescription === 'string',
	);
}

/** @returns the errors of a run: its own, or those of its items */
export function errorsOf({ result }: Outcome): ToldError[] {
	if (result.error !== undefined) {
		const { message, description, httpCode, context } = result.error;
		return [
			{
				message,
				description: description ?? '',
				httpCode: httpCode ?? undefined,
				itemIndex: (context as IDataObject).itemIndex as number,
			},
		];
	}
	return errorItemsOf(result).map((item) => ({
		message: item.json.error as string,
		description: item.json.errorDescription as string,
		httpCode: item.json.httpCode as string | undefined,
		item,
	}));
}
