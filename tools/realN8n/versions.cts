import { join } from 'node:path';
import { cacheFolder } from '../paths.cts';

export type N8nVersionName = '1' | '2';

export interface N8nVersion {
	name: N8nVersionName;
	/** What `n8n --version` prints. */
	number: string;
	/** Where it is installed. */
	folder: string;
	/** Folder with the package.json and package-lock.json that pin it. */
	manifest: string;
	/** Folder that pins its Node.js. Without it, n8n runs on the current Node.js. */
	nodeManifest?: string;
	/** Environment variables that this version needs here. */
	env: Record<string, string>;
}

const manifestOf = (name: string) => join(__dirname, 'locks', name);

const versions: Record<N8nVersionName, N8nVersion> = {
	'2': {
		name: '2',
		number: '2.40.7',
		folder: join(cacheFolder, 'n8n-2'),
		manifest: manifestOf('n8n-2'),
		nodeManifest: manifestOf('node-24'),
		env: {},
	},
	'1': {
		name: '1',
		number: '1.123.81',
		folder: join(cacheFolder, 'n8n-1'),
		manifest: manifestOf('n8n-1'),
		// The other expression engine is a native module that is not built for Node.js 20.
		env: { N8N_EXPRESSION_ENGINE: 'legacy' },
	},
};

/**
 * Returns the pinned n8n with this name. The default is N8N_VERSION_UNDER_TEST, or '2'.
 * @throws when there is no such version
 */
export function getN8nVersion(name = process.env.N8N_VERSION_UNDER_TEST ?? '2'): N8nVersion {
	if (name === '1' || name === '2') return versions[name];
	throw new Error(`There is no n8n version "${name}" to test with: choose 1 or 2.`);
}
