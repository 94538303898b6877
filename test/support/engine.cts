/** The engine harness: the built package in n8n's real engine, without the rest of n8n. */
export { runNode, type RunNodeOptions, type RunNodeResult } from './run-node.cts';
export { runPoll, type RunPollOptions, type RunPollResult } from './run-poll.cts';
export { runListSearch, type RunListSearchOptions } from './list-search.cts';
export { testCredential, type CredentialTestResult } from './test-credential.cts';
export {
	runHttpRequestNodeStyle,
	type HttpRequestNodeOptions,
	type HttpRequestNodeResult,
} from './http-request-node.cts';
export { inlineBinary, storeBinary, useBinaryMode, type BinaryMode } from './binary.cts';
export { defaultCredentials, type ApiCredentials } from './credentials.cts';
export { storedRecord } from './record.cts';
