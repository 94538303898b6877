import { consoleProgress } from './progress.cts';
import { installN8n } from './realN8n/installN8n.cts';
import { getN8nVersion } from './realN8n/versions.cts';
import { runTool } from './runTool.cts';

/** Installs a pinned n8n and prints where it is: `npx tsx tools/installN8n.cts [1|2]`. */
async function main() {
	const installed = await installN8n(getN8nVersion(process.argv[2]), consoleProgress());
	process.stdout.write(`${installed.node} ${installed.program}\n`);
}

runTool(main);
