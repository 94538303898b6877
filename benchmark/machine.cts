import { execFileSync } from 'node:child_process';
import os from 'node:os';
import type { InstalledN8n } from '../tools/realN8n/installN8n.cts';

/** Describes the machine and the versions in one line. */
export function describeMachine({ node, version }: InstalledN8n): string {
	const cpus = os.cpus();
	const gigabytes = Math.round(os.totalmem() / 2 ** 30);
	const nodeVersion = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
	const model = cpus[0]?.model.trim() || os.arch();
	return `${cpus.length} cores (${model}), ${gigabytes} GiB of memory, ${os.type()}, n8n ${version.number} on Node.js ${nodeVersion}, ${new Date().toISOString().slice(0, 10)}`;
}
