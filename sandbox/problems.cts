import type { ErrorObject } from '@fastify/ajv-compiler';

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
	const inside = (name: string) => {
		const known = place === '' ? (roots[name] ?? name) : `${place}.${name}`;
		return known;
	};
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
