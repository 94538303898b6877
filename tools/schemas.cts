import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createOutputSchemas } from './outputSchemas.cts';
import { projectRoot } from './project.cts';
import { runTool } from './tool.cts';

/** Writes the schemas of the outputs, which n8n's editor shows before a node ran, beside the nodes. */
async function main(): Promise<void> {
	const nodes = join(projectRoot, 'nodes');
	for (const name of ['EncryptedContainers', 'EncryptedContainersTrigger']) {
		await rm(join(nodes, name, '__schema__'), { recursive: true, force: true });
	}
	for (const [path, content] of Object.entries(createOutputSchemas())) {
		await mkdir(dirname(join(nodes, path)), { recursive: true });
		await writeFile(join(nodes, path), content);
	}
}

runTool(main);
