// A test here starts servers, or moves hundreds of megabytes through them on a small machine.
jest.setTimeout(300_000);

// A server of this size may miss a beat on a busy machine; what failed once is told and tried once more.
jest.retryTimes(1, { logErrorsBeforeRetry: true });
