import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { DeliveryError } from './deliveryError.mts';
import { withinTime, type OpenScan } from './scan.mts';

const CONNECT_MS = 10_000;
/** A length has four bytes, and clamd reads each chunk as a whole. */
const MAX_CHUNK_BYTES = 0xffffffff;
const ANSWER = /^stream: (?:(OK)|(.+) FOUND)\0?$/;
const TOO_LARGE = 'size limit exceeded';
/** How long clamd takes at most to refuse a length. */
const PROBE_MS = 1500;

/** Such as `tcp://127.0.0.1:3310` or `unix:///run/clamav/clamd.ctl`. */
async function connectTo(url: string): Promise<Socket> {
	const { protocol, hostname, port, pathname } = new URL(url);
	const host = hostname.replace(/^\[|\]$/g, '');
	const target =
		protocol === 'unix:'
			? { path: decodeURIComponent(pathname) }
			: { host, port: Number(port || 3310) };
	const socket = connect({ ...target, timeout: CONNECT_MS });
	socket.once('timeout', () => socket.destroy(new Error('clamd accepts no connection')));
	await once(socket, 'connect');
	socket.setTimeout(0).setNoDelay();
	// Whoever waits for something gets it; otherwise nobody is there to hear it.
	socket.on('error', () => undefined);
	return socket;
}

function toLength(bytes: number): Buffer {
	const length = Buffer.alloc(4);
	length.writeUInt32BE(bytes);
	return length;
}

/** Asks clamd about each file, by INSTREAM: one connection a file. */
export function createClamdScan(url: string): OpenScan {
	return async () => {
		const socket = await connectTo(url);
		const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
		let answer = '';
		let bytes = 0;
		socket.setEncoding('utf8').on('data', (text: string) => (answer += text));
		const explain = async () => {
			// It closes while more is on its way, and then its answer can be lost: it is asked again.
			if (answer === '' && !(await takesStream(url, bytes))) answer = TOO_LARGE;
			return toError(answer);
		};
		const write = async (data: Uint8Array) => {
			const isTaken = socket.destroyed || socket.write(data);
			const drained = async () => await once(socket, 'drain').catch(() => undefined);
			if (!isTaken) await withinTime(Promise.race([drained(), closed]));
			// It answers before the end where it gives up: whatever comes then isn't read any more.
			if (answer !== '' || socket.destroyed) throw await explain();
		};
		await write(Buffer.from('zINSTREAM\0'));
		return {
			async write(piece) {
				if (piece.length === 0) return;
				bytes += piece.length;
				await write(toLength(piece.length));
				await write(piece);
			},
			async end() {
				socket.write(toLength(0));
				await withinTime(closed);
				if (answer === '') throw await explain();
				return readAnswer(answer);
			},
			close: () => socket.destroy(),
		};
	};
}

function toError(answer: string): Error {
	const message = `clamd said: ${answer.replace(/\0/g, '').trim()}`;
	// Where it is sent again, the answer is the same: a smaller file helps.
	return isTooLarge(answer) ? new DeliveryError('tooLarge', message) : new Error(message);
}

const isTooLarge = (answer: string) => answer.includes(TOO_LARGE);

/** @throws Error where it is no verdict, such as "INSTREAM size limit exceeded. ERROR" */
function readAnswer(answer: string): string | undefined {
	const [whole, , found] = ANSWER.exec(answer) ?? [];
	if (whole === undefined) throw toError(answer);
	return found;
}

/** Announces a file of that many bytes, without sending it. @returns whether clamd takes it. @throws Error where it is down */
export async function takesStream(url: string, bytes: number): Promise<boolean> {
	const socket = await connectTo(url);
	try {
		socket.write('zINSTREAM\0');
		socket.write(toLength(Math.min(bytes, MAX_CHUNK_BYTES)));
		const signal = AbortSignal.timeout(PROBE_MS);
		const [answer] = (await once(socket, 'data', { signal })) as [Buffer];
		if (isTooLarge(String(answer))) return false;
		throw toError(String(answer));
	} catch (error) {
		// It waits for the bytes.
		if ((error as Error).name === 'AbortError') return true;
		throw error;
	} finally {
		socket.destroy();
	}
}
