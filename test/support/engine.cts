/** The engine harness: the built package in n8n's real engine, without the rest of n8n. */
export { runNode, type RunNodeOptions, type RunNodeResult } from './runNode.cts';
export { runPoll, type RunPollOptions, type RunPollResult } from './runPoll.cts';
export { runListSearch, type RunListSearchOptions } from './listSearch.cts';
export { testCredential } from './testCredential.cts';
export { runHttpRequestNodeStyle } from './httpRequestNode.cts';
export { inlineBinary, storeBinary } from './binary.cts';
export { defaultCredentials } from './credentials.cts';
export { storedRecord } from './log.cts';
