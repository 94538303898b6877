/** The engine harness: the built package in n8n's real engine, without the rest of n8n. */
export { runNode, type RunNodeOptions, type RunNodeResult } from './runNode.cts';
export {
	runHttpRequestNodeStyle,
	runListSearch,
	runPoll,
	testCredential,
	type RunListSearchOptions,
	type RunPollOptions,
	type RunPollResult,
} from './outsideExecution.cts';
export { defaultCredentials } from './credentials.cts';
export { inlineBinary, readBinary, storeBinary, storedRecord } from './host.cts';
