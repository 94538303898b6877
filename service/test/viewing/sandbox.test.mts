import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { waitFor } from '../../../tools/processes.cts';
import { convert, createFake, isAllowed, mayIsolate } from '../support/converters.mts';

const describeIsolated = mayIsolate() ? describe : describe.skip;

/** Whether a process with these words runs on the machine. */
const isRunning = (words: string) =>
	readdirSync('/proc')
		.filter((id) => /^\d+$/.test(id))
		.some((id) => {
			try {
				return readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ').includes(words);
			} catch {
				return false;
			}
		});

describeIsolated('a converter (needs bubblewrap)', () => {
	it('sees its file, and neither a network, nor files, nor the environment of the machine', async () => {
		const script = `cat document.docx; ls /; ls ${process.cwd()}; cat /etc/passwd; tail -n +3 /proc/net/dev; env; id -u`;
		const seen = String(await convert(createFake(script), 'the letter'));
		expect(seen).toMatch(/^the letter/);
		expect(seen).not.toMatch(/\b(root|home|eth\d|node)\b/);
		expect(seen).toMatch(/cannot access[^]*passwd: No such file[^]* lo:[^]*65534/);
	});

	it('ends with all that it started when its time is over', async () => {
		// Others of this machine sleep too, but not so long.
		const times = [1, 2, 3].map((n) => `${process.pid}${n}`);
		const [one, two, three] = times;
		const converter = createFake(
			`sleep ${one} & setsid sleep ${two} & trap "" TERM INT; sleep ${three}`,
		);
		const signal = AbortSignal.timeout(1500);
		await expect(convert(converter, 'a', { signal })).rejects.toThrow('aborted');
		const areOver = () => !times.some((time) => isRunning(`sleep ${time}`));
		await waitFor(areOver, 30_000, 'A process that it started still runs.');
	});

	it('fills no disk, and leaves nothing', async () => {
		const left = `left-${process.pid}`;
		const fill = 'cat /dev/zero > /tmp/full; size=$(wc -c < /tmp/full); rm /tmp/full; echo $size';
		const full = String(await convert(createFake(`touch /tmp/${left}; ${fill}`), 'a'));
		expect(Number(/\d+$/m.exec(full))).toBeLessThanOrEqual(512 * 2 ** 20);
		expect(String(await convert(createFake('touch /usr/x /dev/shm/x /x'), 'a'))).toMatch(
			/(Read-only[^]*){3}/,
		);
		expect(readdirSync('/tmp')).not.toContain(left);
	});

	it('is the first to end where the machine has no memory left', async () => {
		const fake = createFake('cat /proc/self/oom_score_adj');
		expect(String(await convert(fake, 'a'))).toBe('1000\n');
	});

	it('has a bound for its memory, and leaves no image of it', async () => {
		expect(String(await convert(createFake('ulimit -v; ulimit -c'), 'a'))).toBe('3000000\n0\n');
	});

	it('says what is wrong where it writes no PDF, or is ended', async () => {
		await expect(convert(createFake('exit 1'), 'a')).rejects.toMatchObject({ problem: 'unread' });
		await expect(convert(createFake('kill -9 $$'), 'a')).rejects.toMatchObject({
			problem: 'tooHeavy',
		});
		const large = createFake('head -c 100000000 /dev/zero');
		await expect(convert(large, 'a')).rejects.toMatchObject({ problem: 'tooHeavy' });
	});
});

const compiled = join(import.meta.dirname, '../../dist/viewing/office/soffice.mjs');
const NODE = realpathSync(process.execPath);

/** Why a program in its place can't be used on another machine. @param machine a command that runs a shell there */
function findProblem(machine: string[], before: string): string {
	const code = `import { createSoffice } from '${pathToFileURL(compiled)}'; console.log(await createSoffice('${compiled}').findProblem());`;
	const script = `${before} exec "$1" --input-type=module --eval "$2"`;
	const [program, ...args] = [...machine, 'sh', '-c', script, 'sh', NODE, code];
	return execFileSync(program, args, { encoding: 'utf8' });
}

const mayForbid = isAllowed('unshare', ['--user', '--map-root-user', 'true']);
const describeForbidden = mayForbid && mayIsolate() ? describe : describe.skip;

describeForbidden('LibreOffice on a machine (needs namespaces, to take something away)', () => {
	const alone = ['unshare', '--user', '--map-root-user'];

	it('that forbids to cut it off from the network is not used', () => {
		const forbid = 'echo 0 > /proc/sys/user/max_net_namespaces;';
		expect(findProblem(alone, forbid)).toMatch(
			/can't be run without a network, with its files in memory only: bwrap: [^]* use Gotenberg\.$/m,
		);
	});

	it('that has no place in memory for it is not used', () => {
		const forbid = 'echo 0 > /proc/sys/user/max_mnt_namespaces;';
		expect(findProblem(alone, forbid)).toContain('with its files in memory only: bwrap: ');
	});

	it('without bubblewrap is not used', () => {
		const empty = ['--dev-bind', '/', '/', '--tmpfs', '/usr/bin', '--tmpfs', '/bin'];
		const programs = [NODE, '/bin/sh'].flatMap((file) => ['--ro-bind', file, file]);
		expect(findProblem(['bwrap', ...empty, ...programs], '')).toMatch(
			/^bubblewrap \(bwrap\) is missing\. .* install it\.$/m,
		);
	});
});
