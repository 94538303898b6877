import { join } from 'node:path';
import { AjvCompiler } from '@fastify/ajv-compiler';
import { loadOutputSchema } from 'n8n-core';
import type { IDataObject } from 'n8n-workflow';
import { repositoryRoot } from '../../support/package.cts';

const customOptions = { allErrors: true, coerceTypes: false, removeAdditional: false };
const compile = AjvCompiler()({}, { customOptions });

/**
 * Compares outputs with the schema of the built package, found as n8n finds it.
 * @param operation such as `container/get`; without one, the schema of a trigger, which is that of all its events
 */
export function findSchemaErrors(outputs: IDataObject[], node: string, operation = ''): string[] {
	const [resource, value] = operation.split('/');
	const schema = loadOutputSchema({
		...{ nodeDir: join(repositoryRoot, 'dist/nodes', node), version: 1, versionFallback: true },
		...{ resource, operation: value },
	});
	if (schema === undefined) throw new Error(`n8n finds no schema of ${node} ${operation}`);
	// What the editor offers must be there.
	const required = operation === '' ? [] : Object.keys(schema.properties as object);
	const validate = compile({ schema: { ...schema, required } } as never);
	return outputs.flatMap((json) => {
		validate(json);
		return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
	});
}
