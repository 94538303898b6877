import { createRequire } from 'node:module';
import type * as AjvModule from '@fastify/ajv-compiler';
import type { ErrorObject } from '@fastify/ajv-compiler';
import type { Schema } from './document.cts';

/** @returns what is wrong with a value, empty if nothing is */
export type Check = (schema: Schema, value: unknown, root: string) => string[];

// Ajv requires JSON files. On Node 20, that fails below a module that tsx compiles, but not below a plain require.
const { AjvCompiler } = createRequire(__filename)('@fastify/ajv-compiler') as typeof AjvModule;

/** Checks what is sent, and changes none of it. */
const AJV_OPTIONS = {
	allErrors: true,
	coerceTypes: false,
	removeAdditional: false,
	strict: false,
	useDefaults: false,
};

/** Fastify's own compiler: Ajv, with the formats. It keeps each compiled schema. */
export function createCheck(): Check {
	const compile = AjvCompiler()({}, { customOptions: AJV_OPTIONS });
	return (schema, value, root) => {
		const validate = compile({ schema } as never);
		return validate(value) ? [] : describeErrors(root, validate.errors as ErrorObject[]);
	};
}

/**
 * Describes what a schema refuses.
 *
 * @param root names the value that was checked, such as `body`
 */
function describeErrors(root: string, errors: ErrorObject[]): string[] {
	// An unknown key has two errors: one of its name, and one of the object.
	return errors
		.filter(({ propertyName }) => propertyName === undefined)
		.map((error) => describeError(root, error));
}

function describeError(
	root: string,
	{ instancePath, keyword, params, message }: ErrorObject,
): string {
	const place = root + instancePath.replace(/\/(\d+)(?=\/|$)/g, '[$1]').replaceAll('/', '.');
	switch (keyword) {
		case 'required':
			return `${place}.${params.missingProperty} is missing`;
		case 'additionalProperties':
			return `${place} has an unknown key: ${params.additionalProperty}`;
		case 'propertyNames':
			return `${place} has an unknown key: ${params.propertyName}`;
		case 'enum':
			return `${place} must be one of ${params.allowedValues.join(', ')}`;
		default:
			return `${place} ${message}`;
	}
}
