import type { IncomingMessage } from 'node:http';

/** How long a client that was answered early can go on sending. */
const MAX_MS = 30_000;

/** A client that still sends gets the response only if the rest is read, but not without end. */
export function dropRest(request: IncomingMessage): void {
	if (!request.complete) setTimeout(() => request.destroy(), MAX_MS).unref();
	request.removeAllListeners('readable').resume();
}
