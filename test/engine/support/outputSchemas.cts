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

/** A schema of the built package, found as n8n finds it. It allows further fields, which the service might return. */
export class OutputSchema {
	private readonly schema: Schema;

	/** @param operation such as `container/get`; none for a trigger */
	constructor(node: string, operation = '') {
		const [resource, value] = operation.split('/');
		const nodeDir = join(repositoryRoot, 'dist/nodes', node);
		const found = loadOutputSchema({
			nodeDir,
			version: 1,
			resource,
			operation: value,
			versionFallback: true,
		});
		if (found === undefined) throw new Error(`n8n finds no schema of ${node} ${operation}`);
		this.schema = found;
	}

	get fields(): string[] {
		return getFields(this.schema);
	}

	/** Returns what doesn't fit, fields that the schema does not list included. */
	check(json: IDataObject): string[] {
		const validate = compile({ schema: withoutFurtherFields(this.schema) } as never);
		validate(json);
		return (validate.errors ?? []).map(({ instancePath, message, params }) =>
			[instancePath, message, JSON.stringify(params)].join(' '),
		);
	}
}

/** Returns the paths of all fields, those of lists as one. */
function getFields({ properties = {} }: Schema, path = ''): string[] {
	return Object.entries(properties).flatMap(([name, schema]) =>
		schema.properties ? getFields(schema, `${path}${name}.`) : [path + name],
	);
}

/** Returns the paths of all fields of an output, as those of its schema. */
export function getOutputFields(json: IDataObject, path = ''): string[] {
	return Object.entries(json).flatMap(([name, value]) =>
		typeof value === 'object' && value !== null && !Array.isArray(value)
			? getOutputFields(value as IDataObject, `${path}${name}.`)
			: [path + name],
	);
}

function withoutFurtherFields({ properties, items, ...schema }: Schema): object {
	if (items !== undefined) return { ...schema, items: withoutFurtherFields(items) };
	if (properties === undefined) return schema;
	const closed = Object.entries(properties).map(([name, value]) => [
		name,
		withoutFurtherFields(value),
	]);
	return { ...schema, properties: Object.fromEntries(closed), additionalProperties: false };
}
