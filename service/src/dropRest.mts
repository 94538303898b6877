import type { IncomingMessage } from 'node:http';

/** How long a client that was answered early can go on sending. */
const MAX_MS = 30_000;

/** A client that still sends gets the response only if the rest is read, but not without end. */
export function dropRest(request: IncomingMessage): void {
	// Where the rest has come by then, the connection can be another request's.
	const cutOff = () => {
		if (!request.complete) request.destroy();
	};
	if (!request.complete) setTimeout(cutOff, MAX_MS).unref();
	request.removeAllListeners('readable').resume();
}
