import { existsSync } from 'node:fs';
import { join } from 'node:path';
import which from 'which';
import { projectRoot } from '../../../tools/project.cts';

/** A web stack that nobody here wrote, with an app on it. */
export interface Stack {
	name: string;
	/** Debian's packages, for a machine that lacks it. */
	packages: string[];
	/** Programs and files without which it can't run. */
	needs: string[];
	start: (port: string) => { command: string; args: string[] };
	/** The name of the file parts, where the stack keeps only the last of several with one name. */
	filePartName?: string;
	/** What its parser makes of a file's name; by default, `asSent`. */
	toParsedName?: (name: string) => string;
}

const apps = join(projectRoot, 'test', 'interop', 'apps');
const app = (file: string) => join(apps, file);

/** Debian's own Python, which has Debian's packages. */
const python = '/usr/bin/python3';
const pythonPackages = '/usr/lib/python3/dist-packages';

/** As browsers do, the client sends a quotation mark as %22, and most parsers leave it at that. */
export const asSent = (name: string) => name.replaceAll('"', '%22');

export const stacks: Stack[] = [
	{
		name: 'PHP',
		packages: ['php-cli'],
		needs: ['php'],
		start: (port) => ({
			command: 'php',
			args: [
				...['upload_max_filesize', 'post_max_size'].flatMap((limit) => ['-d', `${limit}=64M`]),
				...['-S', `127.0.0.1:${port}`, app('app.php')],
			],
		}),
		filePartName: 'file[]',
	},
	{
		name: 'Django',
		packages: ['python3-django'],
		needs: [python, join(pythonPackages, 'django')],
		start: () => ({ command: python, args: [app('djangoApp.py')] }),
	},
	{
		name: 'multer',
		packages: [],
		needs: [],
		start: () => ({
			command: process.execPath,
			args: ['--require', 'tsx/cjs', app('multerApp.cts')],
		}),
		// Unless its users tell it that names are UTF-8.
		toParsedName: (name) => Buffer.from(name, 'utf8').toString('latin1'),
	},
];

/** The programs and files that this machine lacks for a stack or proxy. */
export function findMissing({ needs }: Pick<Stack, 'needs'>): string[] {
	return needs.filter((name) =>
		name.startsWith('/') ? !existsSync(name) : which.sync(name, { nothrow: true }) === null,
	);
}
