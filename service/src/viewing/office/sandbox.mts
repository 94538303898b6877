import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { collect } from './collect.mts';

/** What programs need of the machine. Nothing in it is secret. */
const SEEN = [
	'/usr',
	'/bin',
	'/lib',
	'/lib64',
	'/etc/alternatives',
	'/etc/fonts',
	'/etc/libreoffice',
	'/var/cache/fontconfig',
];
/** In memory, and gone when the program ends. */
const FOLDER = '/tmp';
const FOLDER_BYTES = 512 * 1024 * 1024;
const MAX_ERROR = 2000;
const ENVIRONMENT = { PATH: '/usr/bin:/bin', HOME: FOLDER, TMPDIR: FOLDER, LANG: 'C.UTF-8' };

/** No network, no process of the machine, no right of its user, no file but those above. */
const ISOLATED = [
	...['--unshare-all', '--unshare-user', '--uid', '65534', '--gid', '65534'],
	...['--cap-drop', 'ALL', '--new-session', '--die-with-parent'],
	...SEEN.flatMap((path) => ['--ro-bind-try', path, path]),
	...['--proc', '/proc', '--dev', '/dev', '--remount-ro', '/dev'],
	...['--size', String(FOLDER_BYTES), '--perms', '0700', '--tmpfs', FOLDER],
];

interface Run {
	/** The folder of this program is seen, too. */
	program: string;
	/** For a shell, in an empty folder. */
	script: string;
	parameters: string[];
	input: AsyncIterable<Uint8Array>;
	maxOutput: number;
	signal: AbortSignal;
}

/**
 * Runs a script with bubblewrap. What it writes is in a file system of its own, in memory, which ends with it, as do all
 * processes that it started. It returns when all of it is gone.
 *
 * @throws ViewingError where the output is too large; AbortError; ENOENT with the path of what is missing
 */
export async function runIsolated({ program, script, parameters, input, maxOutput, signal }: Run) {
	const folder = await findFolder(program);
	const seen = ['--ro-bind', folder, folder, '--remount-ro', '/', '--chdir', FOLDER];
	const command = ['sh', '-c', script, 'sh', ...parameters];
	const child = spawn('bwrap', [...ISOLATED, ...seen, ...command], {
		env: ENVIRONMENT,
		signal,
		killSignal: 'SIGKILL',
	});
	const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
	const ended = once(child, 'close') as Promise<[code: number | null]>;
	// It can end before it has read everything.
	const sent = pipeline(Readable.from(input), child.stdin).catch(() => undefined);
	const written = Promise.all([collect(child.stdout, maxOutput), readEnd(child.stderr)]);
	try {
		const [[code], [output, error]] = await Promise.all([ended, written]);
		return { code, output, error };
	} finally {
		child.kill('SIGKILL');
		await sent;
		await closed;
	}
}

/** The folder of an installation: its programs and what lies beside them. */
async function findFolder(program: string): Promise<string> {
	const folder = dirname(dirname(await realpath(program)));
	if (folder === '/')
		throw new Error(`${program} must be two folders deep, as in /opt/office/soffice`);
	return folder;
}

async function readEnd(pieces: AsyncIterable<Uint8Array>): Promise<string> {
	let text = '';
	for await (const piece of pieces) text = `${text}${String(piece)}`.slice(-MAX_ERROR);
	return text.trim();
}
