import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AjvCompiler } from '@fastify/ajv-compiler';
import type { IDataObject } from 'n8n-workflow';
import { repositoryRoot } from '../../support/package.cts';

interface Schema {
	properties?: Record<string, Schema>;
	items?: Schema;
}

const compile = AjvCompiler()({}, { customOptions: { allErrors: true, coerceTypes: false } });

/** A schema of the built package. It allows further fields, which the service might return. */
export class OutputSchema {
	private readonly schema: Schema;

	constructor(path: string) {
		const file = join(repositoryRoot, 'dist/nodes', path);
		this.schema = JSON.parse(readFileSync(file, 'utf8')) as Schema;
	}

	get fields(): string[] {
		return Object.keys(this.schema.properties ?? {});
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

function withoutFurtherFields({ properties, items, ...schema }: Schema): object {
	if (items !== undefined) return { ...schema, items: withoutFurtherFields(items) };
	if (properties === undefined) return schema;
	const closed = Object.entries(properties).map(([name, value]) => [
		name,
		withoutFurtherFields(value),
	]);
	return { ...schema, properties: Object.fromEntries(closed), additionalProperties: false };
}
