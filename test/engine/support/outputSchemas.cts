import { join } from 'node:path';
import { AjvCompiler } from '@fastify/ajv-compiler';
import { loadOutputSchema } from 'n8n-core';
import type { IDataObject } from 'n8n-workflow';
import { repositoryRoot } from '../../support/package.cts';

interface Schema {
	properties?: Record<string, Schema>;
	items?: Schema;
}

const compile = AjvCompiler()({}, { customOptions: { allErrors: true, coerceTypes: false } });

/** n8n's schemas allow fields that the service adds. Here, they are none. */
function close({ properties, items, ...schema }: Schema): object {
	if (items !== undefined) return { ...schema, items: close(items) };
	if (properties === undefined) return schema;
	const closed = Object.entries(properties).map(([name, value]) => [name, close(value)]);
	return { ...schema, properties: Object.fromEntries(closed), additionalProperties: false };
}

/**
 * Compares outputs with the schema of the built package, found as n8n finds it.
 * @param operation such as `container/get`; none for a trigger
 * @returns what doesn't fit
 */
export function findSchemaErrors(outputs: IDataObject[], node: string, operation = '') {
	const [resource, value] = operation.split('/');
	const found = loadOutputSchema({
		...{ nodeDir: join(repositoryRoot, 'dist/nodes', node), version: 1, versionFallback: true },
		...{ resource, operation: value },
	}) as Schema | undefined;
	if (found === undefined) throw new Error(`n8n finds no schema of ${node} ${operation}`);
	const validate = compile({ schema: close(found) } as never);
	return outputs.flatMap((json) => {
		validate(json);
		return (validate.errors ?? []).map(({ instancePath, message, params }) =>
			[instancePath, message, JSON.stringify(params)].join(' '),
		);
	});
}
