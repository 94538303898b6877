import type { ErrorObject } from '@fastify/ajv-compiler';

/**
 * Describes what a schema refuses.
 *
 * @param root names the value that was checked, such as `body`
 */
export function describeErrors(root: string, errors: ErrorObject[]): string[] {
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
		default:
			return `${place} ${message}`;
	}
}
