import type { Socket } from 'node:net';

/** The open TCP connections: a fault resets them below TLS, and a stop ends them. */
export class Connections {
	private readonly open = new Map<string, Socket>();

	constructor(private readonly notify: { opened(): void; closed(): void }) {}

	add(socket: Socket): void {
		const peer = peerOf(socket);
		this.open.set(peer, socket);
		this.notify.opened();
		socket.once('close', () => {
			this.open.delete(peer);
			this.notify.closed();
		});
	}

	/** Resets the connection below a TLS socket (RST): the client sees ECONNRESET. */
	reset(socket: Socket): void {
		const tcp = this.open.get(peerOf(socket));
		if (tcp === undefined) socket.destroy();
		else tcp.resetAndDestroy();
	}

	closeAll(): void {
		for (const socket of this.open.values()) socket.destroy();
	}
}

const peerOf = (socket: Socket) => `${socket.remoteAddress}|${socket.remotePort}`;
