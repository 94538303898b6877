import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INodePropertyOptions } from 'n8n-workflow';
import { EncryptedContainers } from '../../nodes/EncryptedContainers/EncryptedContainers.node';
import { createOutputSchemas } from '../../tools/schemas.cts';
import { projectRoot } from '../../tools/project.cts';

const folder = join(projectRoot, 'nodes');
const schemas = createOutputSchemas();

it('the schemas of the outputs are those that npm run schemas writes', () => {
	const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
		.filter((path) => path.includes('__schema__') && path.endsWith('.json'))
		.map((path) => [path.replaceAll('\\', '/'), readFileSync(join(folder, path), 'utf8')]);

	expect(Object.fromEntries(files)).toEqual(schemas);
});

it('each operation and the trigger have a schema, where n8n looks for it', () => {
	const operations = new EncryptedContainers().description.properties
		.filter(({ name }) => name === 'operation')
		.flatMap(({ displayOptions, options }) =>
			(options as INodePropertyOptions[]).map(
				({ value }) => `${String(displayOptions?.show?.resource?.[0])}/${String(value)}`,
			),
		);

	expect(Object.keys(schemas).sort()).toEqual([
		...operations.map((path) => `EncryptedContainers/__schema__/v1.0.0/${path}.json`).sort(),
		'EncryptedContainersTrigger/__schema__/v1.0.0/output.json',
	]);
});
