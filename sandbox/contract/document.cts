import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';

/** The twelve operations of the service. */
export const OPERATION_IDS = [
	'getMe',
	'encodeFiles',
	'listContainers',
	'getContainerEnvelope',
	'getContainer',
	'deleteContainer',
	'getDrmRules',
	'updateDrmRules',
	'listContacts',
	'getContact',
	'upsertContact',
	'deleteContact',
] as const;

export type OperationId = (typeof OPERATION_IDS)[number];

export type Schema = Record<string, unknown>;

export interface MediaType {
	schema: Schema;
	/** Of the parts of a form, by name. */
	encoding?: Record<string, { contentType: string }>;
}

export interface Parameter {
	name: string;
	in: 'path' | 'query' | 'header';
	required?: boolean;
	schema: Schema;
}

export interface OperationObject {
	operationId: OperationId;
	parameters?: Parameter[];
	requestBody?: { required?: boolean; content: Record<string, MediaType> };
	/** By status, or by range such as `2XX`. */
	responses: Record<string, { content?: Record<string, MediaType> }>;
}

type PathItem = { parameters?: Parameter[] } & Record<string, OperationObject>;

/** The parts of an OpenAPI document that the sandbox uses. Until `dereference`, any of them can be a `$ref`. */
export interface OpenApiDocument {
	paths: Record<string, PathItem>;
	components: { schemas: Record<string, Schema> };
}

const FILE = path.join(__dirname, '../../docs/openapi.yaml');

let source: OpenApiDocument | undefined;

/** @returns docs/openapi.yaml as a new object; the file is read once */
export function loadDocument(): OpenApiDocument {
	source ??= parse(readFileSync(FILE, 'utf8')) as OpenApiDocument;
	return structuredClone(source);
}

/** @returns the document with a copy in place of each `$ref`; keys beside a `$ref` win */
export function dereference(document: OpenApiDocument): OpenApiDocument {
	return replaceRefs(document, document) as OpenApiDocument;
}

function replaceRefs(node: unknown, document: OpenApiDocument): unknown {
	if (Array.isArray(node)) return node.map((entry) => replaceRefs(entry, document));
	if (typeof node !== 'object' || node === null) return node;
	const { $ref, ...own } = node as { $ref?: string };
	const merged = $ref === undefined ? own : { ...resolveRef($ref, document), ...own };
	return Object.fromEntries(
		Object.entries(merged).map(([key, value]) => [key, replaceRefs(value, document)]),
	);
}

function resolveRef(ref: string, document: OpenApiDocument): object {
	const target = ref
		.replace(/^#\//, '')
		.split('/')
		.reduce<unknown>((node, key) => (node as Schema | undefined)?.[key], document);
	if (typeof target !== 'object' || target === null) throw new Error(`There is nothing at ${ref}`);
	return target;
}
