import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EncryptedContainers } from '../../nodes/EncryptedContainers/EncryptedContainers.node';
import { createOutputSchemas } from '../../tools/outputSchemas.cts';
import { projectRoot } from '../../tools/paths.cts';

const folder = join(projectRoot, 'nodes');

function readSchemaFiles(): Record<string, string> {
	const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
	const paths = files.filter((path) => path.includes('__schema__') && path.endsWith('.json'));
	return Object.fromEntries(
		paths.map((path) => [path.replaceAll('\\', '/'), readFileSync(join(folder, path), 'utf8')]),
	);
}

function listOperations(): string[] {
	return new EncryptedContainers().description.properties
		.filter(({ name }) => name === 'operation')
		.flatMap(({ displayOptions, options = [] }) =>
			options.map((option) => {
				const [resource] = displayOptions?.show?.resource ?? [];
				return `${String(resource)}/${String((option as { value: unknown }).value)}`;
			}),
		);
}

describe('the schemas of the outputs', () => {
	it('are those that npm run schemas writes', () => {
		expect(readSchemaFiles()).toEqual(createOutputSchemas());
	});

	it('are there for each operation and for the trigger, where n8n looks for them', () => {
		expect(Object.keys(createOutputSchemas()).sort()).toEqual(
			[
				...listOperations().map((path) => `EncryptedContainers/__schema__/v1.0.0/${path}.json`),
				'EncryptedContainersTrigger/__schema__/v1.0.0/output.json',
			].sort(),
		);
	});
});
