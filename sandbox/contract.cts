import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { IncomingHttpHeaders } from 'node:http';
import path from 'node:path';
import type * as AjvFormats from 'ajv-formats';
import type * as OpenApiBackend from 'openapi-backend';
import { parse } from 'yaml';
import { describeErrors } from './schemas.cts';
import type { SandboxSettings } from './settings.cts';
import { mediaType } from './upload.cts';

// They require JSON files. On Node 20, that fails below a module that tsx compiles, but not below a plain require.
const load = createRequire(__filename);
const { OpenAPIRouter, OpenAPIValidator } = load('openapi-backend') as typeof OpenApiBackend;
const { default: addFormats } = load('ajv-formats') as typeof AjvFormats;

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

interface MediaType {
	schema: Schema;
	/** Of the parts of a form, by name. */
	encoding?: Record<string, { contentType: string }>;
}

export interface ContractOperation {
	operationId: OperationId;
	/** Below the base URL, such as `/containers/{container_id}`. */
	path: string;
	method: string;
	requestBody?: { content: Record<string, MediaType> };
	/** By status, or by range such as `2XX`. */
	responses: Record<string, { content?: Record<string, MediaType> }>;
}

/** The parts of an OpenAPI document that tests, tools and the sandbox use. Any of them can be a `$ref`. */
export interface OpenApiDocument {
	paths: Record<string, Record<string, ContractOperation>>;
	components: { schemas: Record<string, Schema> };
}

const FILE = path.join(__dirname, '../docs/openapi.yaml');

let source: OpenApiDocument | undefined;

/** @returns docs/openapi.yaml as a new object; the file is read once */
export function loadDocument(): OpenApiDocument {
	source ??= parse(readFileSync(FILE, 'utf8')) as OpenApiDocument;
	return structuredClone(source);
}

/** @returns the document with a copy in place of each `$ref`; keys beside a `$ref` win */
export function dereference(document: OpenApiDocument): OpenApiDocument {
	const replaceRefs = (node: unknown): unknown => {
		if (Array.isArray(node)) return node.map(replaceRefs);
		if (typeof node !== 'object' || node === null) return node;
		const { $ref, ...own } = node as { $ref?: string };
		const merged = $ref === undefined ? own : { ...find($ref), ...own };
		return Object.fromEntries(
			Object.entries(merged).map(([key, value]) => [key, replaceRefs(value)]),
		);
	};
	const find = (ref: string): object =>
		ref
			.split('/')
			.slice(1)
			.reduce<unknown>((node, key) => (node as Schema)[key], document) as object;
	return replaceRefs(document) as OpenApiDocument;
}

/** One part of a form, as far as the contract describes it. */
export interface FormPart {
	name: string;
	/** The Content-Type of the part; empty when it has none. */
	type: string;
	/** The content of a JSON part. The contract says nothing about the content of files. */
	text?: string;
}

export interface ContractRequest {
	method: string;
	/** Path and query below the base URL, as sent. */
	path: string;
	headers: IncomingHttpHeaders;
	/** A JSON body, parsed. */
	body?: unknown;
	/** The parts of a form. */
	parts?: FormPart[];
}

/** What requests and responses of the service look like. openapi-backend compares them with the document. */
export class Contract {
	private readonly router;
	private readonly validator;

	constructor(document: OpenApiDocument) {
		const definition = dereference(document) as never;
		this.router = new OpenAPIRouter({ definition, ignoreTrailingSlashes: false });
		this.validator = new OpenAPIValidator({
			definition,
			router: this.router,
			ajvOpts: { allErrors: true, strict: false },
			customizeAjv: (ajv) => addFormats(ajv as never) as never,
			lazyCompileValidators: true,
		});
	}

	/** @returns the operation with its path parameters, decoded once; nothing where there is none at this path */
	match(method: string, sent: string) {
		const request = { method, path: sent.split('?', 1)[0], headers: {} };
		const operation = this.router.matchOperation(request);
		if (operation === undefined || !isDecodable(request.path)) return undefined;
		const { params } = this.router.parseRequest(request, operation);
		return {
			operation: operation as unknown as ContractOperation,
			params: params as Record<string, string>,
		};
	}

	/** @returns what is wrong with the request, as short texts; empty when it fits the contract */
	validateRequest(request: ContractRequest): string[] {
		const { method, path: sent, headers, body, parts } = request;
		const operation = this.match(method, sent)?.operation;
		if (operation === undefined) return [`There is no operation ${method} ${sent}`];
		const problems = /^Bearer \S/.test(headers.authorization ?? '')
			? []
			: ['header.authorization must be Bearer <API key>'];
		const accepted = operation.requestBody?.content;
		const isPresent = body !== undefined || parts !== undefined;
		if (accepted === undefined && isPresent) {
			problems.push(`${operation.operationId} accepts no body`);
		}
		const content = accepted?.[mediaType(headers['content-type'] ?? '')];
		if (accepted !== undefined && isPresent && content === undefined) {
			return [...problems, `body must be of type ${Object.keys(accepted).join(' or ')}`];
		}
		const form = parts && content && toForm(parts, content);
		if (form !== undefined && form.problems.length > 0) return [...problems, ...form.problems];
		const query = Object.fromEntries(new URL(sent, 'https://localhost').searchParams);
		const { errors } = this.validator.validateRequest(
			{ method, path: sent, query, headers: headers as never, body: form?.values ?? body },
			operation as never,
		);
		const roots = { requestBody: form === undefined ? 'body' : 'form' };
		return [...problems, ...describeErrors(errors ?? [], roots)];
	}

	/** @returns what is wrong with the response to a request, as short texts */
	validateResponse(
		{ method, path: sent }: Pick<ContractRequest, 'method' | 'path'>,
		{ status, headers, text }: { status: number; headers: IncomingHttpHeaders; text: string },
	): string[] {
		const operation = this.match(method, sent)?.operation;
		if (operation === undefined) return [`There is no operation ${method} ${sent}`];
		const { responses, operationId } = operation;
		const response = responses[status] ?? responses[`${Math.floor(status / 100)}XX`];
		if (response === undefined) return [`${operationId} has no response ${status}`];
		if (response.content === undefined) {
			return text === '' ? [] : ['The response must have no body'];
		}
		// A body without a type is plain text, and so is no body at all.
		const type = mediaType(headers['content-type'] ?? 'text/plain');
		if (response.content[type] === undefined) {
			return [`${operationId} has no response ${status} of type ${type}`];
		}
		if (type !== 'application/json') return [];
		const value = tryParse(text);
		if (value === undefined) return ['The response is not JSON'];
		const { errors } = this.validator.validateResponse(value, operation as never, status);
		return describeErrors(errors ?? [], { '': 'response' });
	}
}

/** @returns the parts as one object, and what is wrong with their counts, media types and JSON */
function toForm(parts: FormPart[], { schema, encoding = {} }: MediaType) {
	const problems: string[] = [];
	const values: Record<string, unknown> = Object.create(null);
	const properties = schema.properties as Record<string, Schema>;
	for (const { name, type, text = '' } of parts) {
		const expected = Object.hasOwn(encoding, name) ? encoding[name].contentType : '*/*';
		if (expected === '*/*' ? !type.includes('/') : mediaType(type) !== expected) {
			problems.push(`form.${name} must be of type ${expected}`);
			continue;
		}
		const value = expected === '*/*' ? '' : tryParse(text);
		if (value === undefined) problems.push(`form.${name} is not JSON`);
		if (Object.hasOwn(properties, name) && properties[name].type === 'array') {
			values[name] = [...((values[name] as unknown[] | undefined) ?? []), value];
		} else if (name in values) {
			problems.push(`form.${name} must be one part`);
		} else {
			values[name] = value;
		}
	}
	return { problems, values };
}

function isDecodable(path: string): boolean {
	try {
		return decodeURIComponent(path) !== undefined;
	} catch {
		return false;
	}
}

function tryParse(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}

const contracts = new Map<string, Contract>();

/** @returns the contract as the settings change it; with the default settings, only a name is required in addition */
export function contractFor(settings: SandboxSettings): Contract {
	const { manifestPart, filePart, requiredManifestFields, drmTimes, contactFields } = settings;
	const key = JSON.stringify([
		[manifestPart, filePart],
		[requiredManifestFields, drmTimes, contactFields],
	]);
	let contract = contracts.get(key);
	if (contract === undefined) {
		contract = new Contract(depart(loadDocument(), settings));
		contracts.set(key, contract);
	}
	return contract;
}

/** Applies each way in which a setting departs from docs/openapi.yaml. */
function depart(document: OpenApiDocument, settings: SandboxSettings): OpenApiDocument {
	const { schemas } = document.components;
	// The contract leaves open which fields a manifest must have, and which ones a contact can have.
	schemas.ManifestContainer.required = settings.requiredManifestFields;
	if (settings.contactFields !== null) {
		schemas.ContactRequest.propertyNames = { enum: ['email', ...settings.contactFields] };
	}
	// The contract has days only.
	if (settings.drmTimes === 'timestamp') {
		const properties = schemas.AccessWindow.properties as Record<string, Schema>;
		for (const edge of ['start', 'end']) {
			const formats = ['date', 'date-time'].map((format) => ({ type: 'string', format }));
			properties[edge] = { anyOf: formats };
		}
	}
	// The contract has one name for each part.
	const rename = (name: string) =>
		({ 'manifest.json': settings.manifestPart, file: settings.filePart })[name] ?? name;
	const renameKeys = (object: object = {}) =>
		Object.fromEntries(Object.entries(object).map(([name, value]) => [rename(name), value]));
	const { EncodeForm } = schemas;
	EncodeForm.required = (EncodeForm.required as string[]).map(rename);
	EncodeForm.properties = renameKeys(EncodeForm.properties as object);
	const { requestBody } = document.paths['/users/{user_id}/containers/encode'].post;
	const form = requestBody?.content['multipart/form-data'] as MediaType;
	form.encoding = renameKeys(form.encoding) as MediaType['encoding'];
	return document;
}
