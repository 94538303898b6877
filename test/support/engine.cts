/** The engine harness: the built package in n8n's real engine, without the rest of n8n. */
export { runNode, type RunNodeOptions, type RunNodeResult } from './run-node.cts';
export { inlineBinary, storeBinary, useBinaryMode, type BinaryMode } from './binary.cts';
export { defaultCredentials, type ApiCredentials } from './credentials.cts';
