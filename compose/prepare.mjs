import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { chownSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

// Runs before the service and n8n, as root: volumes are empty at first, and belong to nobody else.

const KEY_FILE = '/keys/api-key';
const N8N = '/home/node/.n8n';
/** What the packed nodes are unpacked to in the image. */
const PACKAGE = '/package';
const BASE_URL = 'https://service:8443/api/v1';
/** The user of both images. */
const USER = 1000;

/** Each start brings the nodes of this image, as an update does. */
function installNodes() {
	const { name, version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'));
	const nodes = join(N8N, 'nodes');
	const folder = join(nodes, 'node_modules', name);
	rmSync(folder, { recursive: true, force: true });
	cpSync(PACKAGE, folder, { recursive: true });
	const list = join(nodes, 'package.json');
	const { dependencies } = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : {};
	const installed = { name: 'installed-nodes', private: true };
	const all = { ...dependencies, [name]: version };
	writeFileSync(list, JSON.stringify({ ...installed, dependencies: all }));
}

function createKey() {
	const key = `ec_${randomBytes(32).toString('base64url')}`;
	writeFileSync(KEY_FILE, key, { mode: 0o600 });
	chownSync(KEY_FILE, USER, USER);
	return key;
}

/** n8n encrypts the credential when it imports it; then this copy is removed. */
function writeImport(apiKey) {
	const folder = join(N8N, 'import');
	mkdirSync(folder, { recursive: true });
	const workflow = JSON.parse(readFileSync(join(import.meta.dirname, 'workflow.json'), 'utf8'));
	const [credential] = workflow.nodes.flatMap((node) => Object.entries(node.credentials ?? {}));
	const [type, { id, name }] = credential;
	const data = { baseUrl: BASE_URL, apiKey };
	const mode = 0o600;
	writeFileSync(join(folder, 'credentials.json'), JSON.stringify([{ id, name, type, data }]), {
		mode,
	});
	writeFileSync(join(folder, 'workflow.json'), JSON.stringify([workflow]), { mode });
}

installNodes();
if (!existsSync(KEY_FILE)) writeImport(createKey());
for (const name of ['', ...readdirSync(N8N, { recursive: true })])
	chownSync(join(N8N, name), USER, USER);
