import type { Socket } from 'node:net';

/** Knows the open TCP connections, so that they can be reset under TLS and ended at a stop. */
export class Connections {
	private readonly open = new Map<string, Socket>();

	constructor(private readonly notify: { opened(): void; closed(): void }) {}

	add(socket: Socket): void {
		const peer = nameOf(socket);
		this.open.set(peer, socket);
		this.notify.opened();
		socket.once('close', () => {
			this.open.delete(peer);
			this.notify.closed();
		});
	}

	/** Ends the connection that the TLS socket runs on with RST: the peer sees ECONNRESET. */
	reset(socket: Socket): void {
		const tcp = this.open.get(nameOf(socket));
		if (tcp === undefined) socket.destroy();
		else tcp.resetAndDestroy();
	}

	closeAll(): void {
		for (const socket of this.open.values()) socket.destroy();
	}
}

const nameOf = (socket: Socket) => `${socket.remoteAddress}|${socket.remotePort}`;
