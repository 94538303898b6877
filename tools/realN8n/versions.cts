import { join } from 'node:path';
import { cacheFolder } from '../paths.cts';

export type N8nVersionName = '1' | '2';

export interface N8nVersion {
	name: N8nVersionName;
	/** What `n8n --version` answers. */
	number: string;
	/** Where it is installed. */
	folder: string;
	/** The folder with the package.json and package-lock.json that pin it. */
	pins: string;
	/** The folder that pins its Node.js; without one it runs on the Node.js that runs this. */
	nodePins?: string;
	/** Settings that this version needs in order to run here. */
	env: Record<string, string>;
}

const pinsOf = (name: string) => join(__dirname, 'locks', name);

const versions: Record<N8nVersionName, N8nVersion> = {
	'2': {
		name: '2',
		number: '2.40.7',
		folder: join(cacheFolder, 'n8n-2'),
		pins: pinsOf('n8n-2'),
		nodePins: pinsOf('node-24'),
		env: {},
	},
	'1': {
		name: '1',
		number: '1.123.81',
		folder: join(cacheFolder, 'n8n-1'),
		pins: pinsOf('n8n-1'),
		// Its other expression engine is a native module that is not built for Node.js 20.
		env: { N8N_EXPRESSION_ENGINE: 'legacy' },
	},
};

/**
 * The pinned n8n of a name. Without one, N8N_VERSION_UNDER_TEST decides, and then it is '2'.
 * @throws when there is no such version
 */
export function n8nVersion(name = process.env.N8N_VERSION_UNDER_TEST ?? '2'): N8nVersion {
	if (name === '1' || name === '2') return versions[name];
	throw new Error(`There is no n8n version "${name}" to test with: choose 1 or 2.`);
}
