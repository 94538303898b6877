// A test here starts servers, or moves hundreds of megabytes through them on a small machine.
jest.setTimeout(300_000);
