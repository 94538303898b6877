import { readFileSync } from 'node:fs';
import { Ajv2020, type AnySchema, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { FieldProblems } from './errors.mts';

interface Parameter {
	name: string;
	in: 'path' | 'query' | 'header';
	schema: AnySchema;
}

interface Operation {
	operationId: string;
	parameters?: Array<Parameter | { $ref: string }>;
	requestBody?: { content: Record<string, { schema: AnySchema }> };
}

interface Document {
	paths: Record<string, Record<string, Operation>>;
	components: { parameters: Record<string, Parameter>; schemas: Record<string, AnySchema> };
}

/** What a route needs of an operation of docs/openapi.yaml. */
export interface ContractOperation {
	/** Such as `GET`. */
	method: string;
	/** As Fastify writes it, such as `/containers/:container_id`. */
	url: string;
	/** Changes texts of the query into numbers, and fills in what is left out. */
	checkQuery: (query: unknown) => FieldProblems;
	/** Absent where the operation has no JSON body. */
	checkBody?: (body: unknown) => FieldProblems;
}

export interface Contract {
	operations: Map<string, ContractOperation>;
	checkManifest: (manifest: unknown) => FieldProblems;
}

const DOCUMENT = 'contract';
const METHODS = ['get', 'post', 'patch', 'delete'];

/** @param file docs/openapi.yaml as JSON */
export function loadContract(file: URL): Contract {
	const document = JSON.parse(readFileSync(file, 'utf8')) as Document;
	const createAjv = (options: object) => {
		const ajv = new Ajv2020({ allErrors: true, strict: false, validateSchema: false, ...options });
		addFormats.default(ajv);
		return ajv.addSchema(document as object, DOCUMENT);
	};
	const ajv = createAjv({});
	const queryAjv = createAjv({ coerceTypes: true, useDefaults: true });

	const operations = new Map<string, ContractOperation>();
	for (const [path, methods] of Object.entries(document.paths)) {
		for (const [method, operation] of Object.entries(methods)) {
			if (!METHODS.includes(method)) continue;
			const query = (operation.parameters ?? [])
				.map((parameter) => resolve(document, parameter))
				.filter((parameter) => parameter.in === 'query');
			const properties = Object.fromEntries(
				query.map(({ name, schema }) => [name, toAbsolute(schema)]),
			);
			const body = operation.requestBody?.content['application/json']?.schema;
			operations.set(operation.operationId, {
				method: method.toUpperCase(),
				url: path.replace(/\{(\w+)\}/g, ':$1'),
				checkQuery: createCheck(
					queryAjv.compile({ type: 'object', properties, additionalProperties: false }),
				),
				...(body === undefined ? {} : { checkBody: createCheck(ajv.compile(toAbsolute(body))) }),
			});
		}
	}
	const manifest = { $ref: `${DOCUMENT}#/components/schemas/Manifest` };
	return { operations, checkManifest: createCheck(ajv.compile(manifest)) };
}

function resolve({ components }: Document, parameter: Parameter | { $ref: string }): Parameter {
	return '$ref' in parameter
		? components.parameters[parameter.$ref.slice('#/components/parameters/'.length)]
		: parameter;
}

/** References in a part of the document point into the whole document. */
function toAbsolute(schema: AnySchema): AnySchema {
	return JSON.parse(JSON.stringify(schema).replaceAll('"#/', `"${DOCUMENT}#/`)) as AnySchema;
}

const createCheck =
	(validate: ValidateFunction) =>
	(value: unknown): FieldProblems => {
		const unstorable = findUnstorableText(value, '');
		if (unstorable !== undefined) return { [unstorable]: 'must be text without NUL characters' };
		if (validate(value)) return {};
		return Object.fromEntries((validate.errors ?? []).map(describe).reverse());
	};

/** @returns the path of the field, and what is wrong with it */
function describe({
	instancePath,
	keyword,
	params,
	message = '',
	propertyName,
}: ErrorObject): [string, string] {
	const at = [...instancePath.split('/').slice(1).map(unescapePointer)];
	const join = (...more: string[]) => [...at, ...more].join('.') || 'body';
	if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') {
		const { additionalProperty, unevaluatedProperty } = params as Record<string, string>;
		return [join(additionalProperty ?? unevaluatedProperty), "isn't a known field"];
	}
	if (keyword === 'required')
		return [join((params as { missingProperty: string }).missingProperty), 'is missing'];
	if (keyword === 'propertyNames' || propertyName !== undefined) {
		return [join(propertyName ?? ''), 'is no valid name of a field'];
	}
	if (keyword === 'enum') {
		const { allowedValues } = params as { allowedValues: unknown[] };
		const isShort = allowedValues.length <= 5;
		return [
			join(),
			isShort
				? `must be one of ${allowedValues.join(', ')}`
				: 'must be one of the values of the contract',
		];
	}
	if (keyword === 'pattern') return [join(), 'has characters or a form that are not allowed'];
	if (keyword === 'format')
		return [join(), `must be a ${(params as { format: string }).format}, such as 2026-12-31`];
	return [join(), message];
}

const unescapePointer = (key: string) => key.replaceAll('~1', '/').replaceAll('~0', '~');

/** Text that a database or a JSON document can't hold as it is: with NUL, or with half of a surrogate pair. */
function findUnstorableText(value: unknown, path: string): string | undefined {
	if (typeof value === 'string') {
		return value.includes('\0') || !value.isWellFormed() ? path || 'body' : undefined;
	}
	if (typeof value !== 'object' || value === null) return undefined;
	for (const [key, held] of Object.entries(value)) {
		const at = path === '' ? key : `${path}.${key}`;
		if (findUnstorableText(key, '') !== undefined) return path || 'body';
		const found = findUnstorableText(held, at);
		if (found !== undefined) return found;
	}
	return undefined;
}
