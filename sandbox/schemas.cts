import { createRequire } from 'node:module';
import type * as AjvModule from '@fastify/ajv-compiler';
import type { ErrorObject } from '@fastify/ajv-compiler';

export type Schema = Record<string, unknown>;

/** @returns what a schema refuses in a value of this name, as short texts with what it allows */
export function describeErrors(
	errors: Array<Pick<ErrorObject, 'instancePath' | 'params' | 'message' | 'propertyName'>>,
	name: string,
): string[] {
	return (
		errors
			// An unknown key has two errors: one of its name, and one of the object.
			.filter(({ propertyName }) => propertyName === undefined)
			.map(({ instancePath, params, message = '' }) => {
				const place = instancePath.replaceAll('/', '.');
				const missing = Object.values(params).filter((value) => !message.includes(String(value)));
				return [`${name}${place} ${message}`.replace(/^\./, ''), ...missing].join(': ');
			})
	);
}

// Ajv requires JSON files. On Node 20, that fails below a module that tsx compiles, but not below a plain require.
const { AjvCompiler } = createRequire(__filename)('@fastify/ajv-compiler') as typeof AjvModule;
const off = { coerceTypes: false, removeAdditional: false, strict: false, useDefaults: false };
const compile = AjvCompiler()({}, { customOptions: { allErrors: true, ...off } });

/** @throws Error with all that a schema refuses in a value */
export function assertSchema(wanted: Schema, value: unknown, name: string): void {
	const validate = compile({ schema: wanted } as never);
	if (validate(value ?? null)) return;
	const problems = describeErrors(validate.errors as ErrorObject[], name);
	throw new Error(`Invalid ${name}: ${problems.join('; ')}.`);
}
