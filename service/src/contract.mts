import { readFileSync } from 'node:fs';
import { Ajv2020, type AnySchema, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { FieldProblems } from './errors.mts';

interface Parameter {
	name: string;
	in: string;
	schema: AnySchema;
}

interface Operation {
	operationId: string;
	parameters?: Array<Parameter & { $ref?: string }>;
	requestBody?: { content: Record<string, { schema: AnySchema }> };
}

interface Document {
	paths: Record<string, Record<string, Operation>>;
	components: { parameters: Record<string, Parameter> };
}

/** Finds what is wrong with a value; nothing where it keeps to the contract. */
export type Check = (value: unknown) => FieldProblems;

/** An operation of docs/openapi.yaml, as a route needs it. */
export interface ContractOperation {
	operationId: string;
	method: string;
	/** Such as `/containers/:container_id`. */
	url: string;
	/** Also turns texts into numbers, and fills in what is left out. */
	checkQuery: Check;
	/** Absent where there is no JSON body. */
	checkBody?: Check;
}

/** References in the document name it, so that its parts can be compiled alone. */
const ID = 'contract';

/** @param file docs/openapi.yaml as JSON */
export function loadContract(file: URL) {
	const text = readFileSync(file, 'utf8').replaceAll('"#/', `"${ID}#/`);
	const document = JSON.parse(text) as Document;
	const createAjv = (options = {}) => {
		const ajv = new Ajv2020({ strict: false, validateSchema: false, ...options });
		addFormats.default(ajv);
		return ajv.addSchema(document as object, ID);
	};
	const [bodies, queries] = [createAjv(), createAjv({ coerceTypes: true, useDefaults: true })];
	const toOperation = (url: string, method: string, operation: Operation): ContractOperation => {
		const { operationId, parameters = [], requestBody } = operation;
		const properties = parameters
			.map(({ $ref, ...own }) => ($ref ? find(document, $ref) : own))
			.filter((parameter) => parameter.in === 'query')
			.map(({ name, schema }) => [name, schema]);
		const query = { type: 'object', additionalProperties: false };
		const body = requestBody?.content['application/json']?.schema;
		return {
			...{ operationId, method: method.toUpperCase(), url: url.replace(/\{(\w+)\}/g, ':$1') },
			checkQuery: toCheck(
				queries.compile({ ...query, properties: Object.fromEntries(properties) }),
			),
			...(body && { checkBody: toCheck(bodies.compile(body)) }),
		};
	};
	const operations = Object.entries(document.paths).flatMap(([url, methods]) =>
		Object.entries(methods)
			.filter(([, { operationId }]) => operationId !== undefined)
			.map(([method, operation]) => toOperation(url, method, operation)),
	);
	const manifest = { $ref: `${ID}#/components/schemas/Manifest` };
	return { operations, checkManifest: toCheck(bodies.compile(manifest)) };
}

const find = ({ components }: Document, ref: string) =>
	components.parameters[ref.slice(`${ID}#/components/parameters/`.length)];

const toCheck =
	(validate: ValidateFunction): Check =>
	(value) => {
		if (!validate(value)) return describe(validate.errors![0]);
		const path = findUnstorable(value, []);
		return path === undefined ? {} : { [toPath(path)]: "can't have NUL or half a surrogate pair" };
	};

/** Only the first thing that is wrong: to find all in a large body would take seconds. */
function describe({ instancePath, keyword, params, message = '' }: ErrorObject): FieldProblems {
	const path = instancePath.split('/').slice(1).map(unescapePointer);
	const { additionalProperty, missingProperty, propertyName, allowedValues = [], type } = params;
	const words: Record<string, string> = {
		additionalProperties: "isn't a known field",
		required: 'is missing',
		propertyNames: "isn't a valid name of a field",
		pattern: "doesn't have the form that the contract describes",
		type: `must be ${[type].flat().join(' or ')}`,
		enum: `must be ${allowedValues.length > 5 ? 'a value of the contract' : allowedValues.join(' or ')}`,
	};
	const key = additionalProperty ?? missingProperty ?? propertyName;
	return { [toPath(key === undefined ? path : [...path, key])]: words[keyword] ?? message };
}

const toPath = (path: string[]) => path.join('.').slice(0, 200) || 'body';

const unescapePointer = (key: string) => key.replaceAll('~1', '/').replaceAll('~0', '~');

/** Text that a database or JSON can't hold as it is. @returns its path */
function findUnstorable(value: unknown, path: string[]): string[] | undefined {
	if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) return path;
	if (typeof value !== 'object' || value === null) return undefined;
	for (const [key, held] of Object.entries(value)) {
		const found = findUnstorable(key, path) ?? findUnstorable(held, [...path, key]);
		if (found !== undefined) return found;
	}
	return undefined;
}
