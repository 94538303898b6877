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
	/** Builds the app into a folder, where the stack needs that. */
	build?: (folder: string) => { command: string; args: string[] };
	start: (port: string, folder: string) => { command: string; args: string[] };
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
const tomcat = ['embed-core', 'embed-el', 'annotations-api'].map(
	(name) => `/usr/share/java/tomcat10-${name}.jar`,
);

const node = (file: string) => () => ({
	command: process.execPath,
	args: ['--require', 'tsx/cjs', app(file)],
});

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
		name: 'aiohttp',
		packages: ['python3-aiohttp'],
		needs: [python, join(pythonPackages, 'aiohttp')],
		start: () => ({ command: python, args: [app('aiohttpApp.py')] }),
	},
	{
		name: 'Go',
		packages: ['golang-go'],
		needs: ['go'],
		build: (folder) => ({
			command: 'go',
			args: ['build', '-o', join(folder, 'app'), app('app.go')],
		}),
		start: (_port, folder) => ({ command: join(folder, 'app'), args: [] }),
	},
	{
		name: 'Rack',
		packages: ['ruby-rack', 'puma'],
		needs: ['puma'],
		start: (port) => ({
			command: 'puma',
			args: ['--bind', `tcp://127.0.0.1:${port}`, '--environment', 'production', app('config.ru')],
		}),
		filePartName: 'file[]',
		toParsedName: (name) => name.replaceAll('%25', '%'),
	},
	{
		name: 'Tomcat',
		packages: ['libtomcat10-embed-java', 'libtomcat10-java', 'default-jdk-headless'],
		needs: ['javac', 'java', ...tomcat],
		build: (folder) => ({
			command: 'javac',
			args: ['-cp', tomcat.join(':'), '-d', folder, app('TomcatApp.java')],
		}),
		start: (_port, folder) => ({
			command: 'java',
			args: ['-cp', [folder, ...tomcat].join(':'), 'TomcatApp'],
		}),
	},
	{
		name: 'multer',
		packages: [],
		needs: [],
		start: node('multerApp.cts'),
		// Unless its users tell it that names are UTF-8.
		toParsedName: (name) => Buffer.from(name, 'utf8').toString('latin1'),
	},
	{
		name: 'formidable',
		packages: [],
		needs: [],
		start: node('formidableApp.cts'),
		toParsedName: (name) => name,
	},
];

/** The programs and files that this machine lacks for a stack or proxy. */
export function findMissing({ needs }: Pick<Stack, 'needs'>): string[] {
	return needs.filter((name) =>
		name.startsWith('/') ? !existsSync(name) : which.sync(name, { nothrow: true }) === null,
	);
}
