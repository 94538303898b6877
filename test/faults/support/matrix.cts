import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { startSandbox, type ReceivedRequest, type Sandbox } from '../../../sandbox/index.cts';
import { snapshot } from '../../../sandbox/service/store.cts';
import { runNode, type RunNodeResult } from '../../support/engine.cts';
import { trustCertificateAuthority } from '../../support/trust.cts';
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
	containers: ReturnType<typeof snapshot>['containers'];
	contactCount: number;
}

/** An own sandbox, so that concurrent executions do not affect each other. */
export interface Worker {
	sandbox: Sandbox;
	/** Lets the node ask for the user of the API key, so that an execution sends no extra request. */
	introduceUser(): Promise<void>;
	stop(): Promise<void>;
}

/** Retries of each execution, enough for one transient fault. */
const MAX_RETRIES = 1;

export async function startWorker(): Promise<Worker> {
	const sandbox = await startSandbox({
		apiKey: API_KEY,
		settings: { deleteResponse: 'record' },
	});
	const untrust = trustCertificateAuthority(sandbox.ca);
	const introduceUser = async () => {
		await runNode({
			parameters: { resource: 'contact', operation: 'getAll' },
			credentials: { baseUrl: sandbox.url, apiKey: sandbox.apiKey },
		});
	};
	await introduceUser();
	return {
		sandbox,
		introduceUser,
		async stop() {
			untrust();
			await sandbox.stop();
		},
	};
}

/** Runs one operation with one fault. */
export async function runUnderFault(
	{ sandbox, introduceUser }: Worker,
	{ operation, fault, mode }: FaultRun,
): Promise<Outcome> {
	sandbox.reset();
	const arranged = await operation.arrange(sandbox);
	const isAlone = operation.shared === true || operation.combined === true;
	sandbox.faults.add({
		...fault.fault,
		...operation.target,
		nth: isAlone ? 1 : 2,
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
		containers: snapshot(sandbox.state).containers,
		contactCount: snapshot(sandbox.state).contacts.length,
	};
}

/** The expected result of an execution. */
export interface ExpectedOutcome {
	fails: boolean;
	message: RegExp;
	/** Requests that could meet the fault, and all requests of the execution. */
	targets: number;
	requests: number;
	/** How often the service performed each item's request. */
	effects: [number, number];
	/** Output items, including those with an error. */
	outputs: number | undefined;
	errorItems: number[];
	mentionsUnknownOutcome: boolean;
}

/** Derives the expected result of an execution from the operation and the fault alone. */
export function expectedOutcome({ operation, fault, mode }: FaultRun): ExpectedOutcome {
	const { shared = false, combined = false, creates = false, changes = false } = operation;
	const verdict = fault.verdict?.(operation);
	const isRetried = fault.retried === 'always' || (fault.retried === 'ifIdempotent' && !creates);
	const attempts = isRetried ? 1 + MAX_RETRIES : 1;
	// Whatever the body: the status of the second response says that the record is gone, as it should be.
	const isGone =
		isRetried && fault.performed && fault.sendsStatus && operation.target.method === 'DELETE';
	const fails =
		verdict === undefined
			? !isRetried || (mode === 'permanent' && !isGone)
			: verdict !== 'accepted';
	const own = typeof fault.message === 'function' ? fault.message(operation) : fault.message;
	const { once = 0, before = 0, after = 0 } = operation;
	const wasPerformed = !fails || (fault.performed === true && changes);
	const isDoubted =
		operation.use === 'proof' ? isUnexpected(fault) : operation.comparesRules && fault.showsRules;
	const fetchesProof = verdict === 'accepted' && isDoubted === true;
	const afterwards = fails ? 0 : after + (fetchesProof ? 1 : 0);
	const controlItems = shared || combined ? 0 : 1;
	const withOthers = shared && !fails ? 2 * after : 0;
	// The item before is done when the tested one begins.
	const others = controlItems * (before + 1 + after);
	return {
		fails,
		message: verdict instanceof RegExp ? verdict : own,
		targets: controlItems + attempts,
		requests: once + (shared ? attempts + withOthers : others + before + attempts + afterwards),
		effects: shared
			? [fails ? 0 : 1, fails ? 0 : 1]
			: combined
				? [wasPerformed ? 1 : 0, 0]
				: [1, wasPerformed ? 1 : 0],
		outputs:
			fails && mode === 'permanent'
				? 0
				: combined
					? 1
					: operation.use === 'list' && !shared
						? undefined
						: 2 + (operation.followsItems === true ? 1 : 0),
		errorItems: !fails || mode === 'permanent' ? [] : shared ? [0, 1] : combined ? [0] : [1],
		mentionsUnknownOutcome: creates && fault.outcomeUnknown === true,
	};
}

/** Whether the successful response contains something else than the service's record. */
function isUnexpected({ fault: { kind } }: FaultCase): boolean {
	return kind === 'hostile' || kind === 'body';
}

/** An error that the node threw or added to an item. */
export interface ReportedError {
	message: string;
	description: string;
	httpCode?: string;
	itemIndex?: number;
	/** The item with the error. */
	item?: INodeExecutionData;
}

/** The items with an error, from both outputs. */
export function getErrorItems({ items, errorItems }: RunNodeResult): INodeExecutionData[] {
	return [...items, ...errorItems].filter(
		({ json }) => typeof json.error === 'string' && typeof json.errorDescription === 'string',
	);
}

/** The errors of an execution: its own, or those of its items. */
export function getErrors({ result }: Outcome): ReportedError[] {
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
	return getErrorItems(result).map((item) => ({
		message: item.json.error as string,
		description: item.json.errorDescription as string,
		httpCode: item.json.httpCode as string | undefined,
		item,
	}));
}
