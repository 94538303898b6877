import { createRequire } from 'node:module';
import type * as AjvModule from '@fastify/ajv-compiler';
import type { ErrorObject } from '@fastify/ajv-compiler';
import type { Schema } from './contract.cts';

type Error = Pick<ErrorObject, 'instancePath' | 'keyword' | 'params' | 'message'> & {
	propertyName?: string;
};

/**
 * Describes what a schema refuses.
 *
 * @param roots names the values that were checked, such as `body`, by their key in the checked object
 */
export function describeErrors(errors: Error[], roots: Record<string, string> = {}): string[] {
	// An unknown key has two errors: one of its name, and one of the object.
	return errors
		.filter(({ propertyName }) => propertyName === undefined)
		.map((error) => describeError(error, roots));
}

function describeError(
	{ instancePath, keyword, params, message }: Error,
	roots: Record<string, string>,
): string {
	const [, first = '', ...rest] = instancePath.split('/');
	const names = '' in roots ? [roots[''], first, ...rest] : [roots[first] ?? first, ...rest];
	const place = names
		.filter((name) => name !== '')
		.join('.')
		.replace(/\.(\d+)(?=\.|$)/g, '[$1]');
	const inside = (name: string) => (place === '' ? (roots[name] ?? name) : `${place}.${name}`);
	switch (keyword) {
		case 'required':
			return `${inside(params.missingProperty as string)} is missing`;
		case 'additionalProperties':
			return place === 'query'
				? `query has an unknown parameter: ${params.additionalProperty}`
				: `${place} has an unknown key: ${params.additionalProperty}`;
		case 'propertyNames':
			return `${place} has an unknown key: ${params.propertyName}`;
		case 'enum':
			return `${place} must be one of ${(params.allowedValues as unknown[]).join(', ')}`;
		default:
			return `${place} ${message}`;
	}
}

// Ajv requires JSON files. On Node 20, that fails below a module that tsx compiles, but not below a plain require.
const { AjvCompiler } = createRequire(__filename)('@fastify/ajv-compiler') as typeof AjvModule;
const off = { coerceTypes: false, removeAdditional: false, strict: false, useDefaults: false };
const compile = AjvCompiler()({}, { customOptions: { allErrors: true, ...off } });

/** @throws Error with all that a schema refuses in a value */
export function assertSchema(wanted: Schema, value: unknown, name: string): void {
	const validate = compile({ schema: wanted } as never);
	if (validate(value ?? null)) return;
	const problems = describeErrors(validate.errors as ErrorObject[], { '': name });
	throw new Error(`Invalid ${name}: ${problems.join('; ')}.`);
}
