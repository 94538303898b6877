// The tests start servers or send hundreds of megabytes, on a small machine that may be busy.
jest.setTimeout(600_000);

// A server on a busy machine can be too slow once. jest prints the first error and tries again.
jest.retryTimes(1, { logErrorsBeforeRetry: true });
