import { readFileSync } from 'node:fs';
import { Ajv2020, type AnySchema, type ErrorObject } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { FieldProblems } from './errors.mts';

type Parameter = { name: string; in: string; schema: AnySchema; $ref?: string };
type Body = { content: Record<string, { schema: AnySchema }> };
type Operation = { operationId?: string; parameters?: Parameter[]; requestBody?: Body };
type Document = {
	paths: Record<string, Record<string, Operation>>;
	components: { parameters: Record<string, Parameter> };
};

export type Check = (value: unknown) => FieldProblems;

export type Contract = ReturnType<typeof loadContract>;

/** References in the document name it, so that its parts can be compiled alone. */
const ID = 'contract';

export function loadContract(file: URL) {
	const text = readFileSync(file, 'utf8').replaceAll('"#/', `"${ID}#/`);
	const { paths, components, ...document } = JSON.parse(text) as Document;
	const createCompiler = (options = {}) => {
		// Verbose: an error has the schema, with its description.
		const ajv = new Ajv2020({ strict: false, validateSchema: false, verbose: true, ...options });
		addFormats.default(ajv);
		ajv.addSchema({ paths, components, ...document }, ID);
		return (schema: AnySchema, whole = 'body'): Check =>
			(value) => {
				// Compiled when it is needed first: idle memory and the time to start depend on it.
				const validate = ajv.compile(schema);
				return validate(value) ? findUnstorable(value) : describe(validate.errors![0], whole);
			};
	};
	const compile = createCompiler();
	/** Also turns texts into numbers, and fills in what is left out. */
	const compileQuery = createCompiler({ coerceTypes: true, useDefaults: true });
	const resolve = (parameter: Parameter) =>
		parameter.$ref ? components.parameters[parameter.$ref.split('/').at(-1)!] : parameter;

	const operations = Object.entries(paths).flatMap(([path, methods]) =>
		Object.entries(methods).flatMap(([method, { operationId, parameters = [], requestBody }]) => {
			if (operationId === undefined) return [];
			const query = parameters.map(resolve).filter((parameter) => parameter.in === 'query');
			const properties = Object.fromEntries(query.map(({ name, schema }) => [name, schema]));
			const body = requestBody?.content['application/json']?.schema;
			return {
				operationId,
				method: method.toUpperCase(),
				url: path.replace(/\{(\w+)\}/g, ':$1'),
				checkQuery: compileQuery({ type: 'object', properties, additionalProperties: false }),
				checkBody: body && compile(body),
			};
		}),
	);
	const manifest = { $ref: `${ID}#/components/schemas/Manifest` };
	return { operations, checkManifest: compile(manifest, 'manifest') };
}

/** Only the first thing that is wrong: to find all in a large body would take seconds. */
function describe(error: ErrorObject, whole: string): FieldProblems {
	const { instancePath, params, message = '', propertyName, parentSchema } = error;
	const keyword = propertyName === undefined ? error.keyword : 'propertyNames';
	const { additionalProperty, missingProperty, allowedValues = [], type } = params;
	const isShort = allowedValues.length <= 5;
	const words: Record<string, string> = {
		additionalProperties: "isn't a known field",
		required: 'is missing',
		propertyNames: "isn't a valid name of a field",
		pattern: `must be: ${parentSchema?.description ?? message}`,
		type: `must be ${[type].flat().join(' or ')}`,
		enum: `must be ${isShort ? allowedValues.join(' or ') : 'one of the values in the API documentation'}`,
	};
	const unescape = (key: string) => key.replaceAll('~1', '/').replaceAll('~0', '~');
	const key = additionalProperty ?? missingProperty ?? propertyName ?? params.propertyName ?? [];
	const path = [...instancePath.split('/').slice(1).map(unescape), key].flat();
	return { [toField(path) || whole]: words[keyword] ?? message };
}

const toField = (path: string[]) => path.join('.').slice(0, 200);

/** Text that a database or JSON can't hold as it is. */
function findUnstorable(value: unknown, path: string[] = []): FieldProblems {
	if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) {
		return { [toField(path)]: "can't have NUL or half a surrogate pair" };
	}
	if (typeof value !== 'object' || value === null) return {};
	for (const [key, held] of Object.entries(value)) {
		const found = { ...findUnstorable(key, path), ...findUnstorable(held, [...path, key]) };
		if (Object.keys(found).length > 0) return found;
	}
	return {};
}
