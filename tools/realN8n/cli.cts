import { consoleProgress } from '../progress.cts';
import { installN8n } from './install.cts';
import { n8nVersion } from './versions.cts';

/** Installs a pinned n8n and says where: `npx tsx tools/realN8n/cli.cts [1|2]`. */
async function main() {
	const installed = await installN8n(n8nVersion(process.argv[2]), consoleProgress());
	process.stdout.write(`${installed.node} ${installed.program}\n`);
}

main().catch((error: unknown) => {
	process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
	process.exitCode = 1;
});
