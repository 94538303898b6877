import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { IncomingHttpHeaders } from 'node:http';
import path from 'node:path';
import type * as AjvFormats from 'ajv-formats';
import type * as OpenApiBackend from 'openapi-backend';
import { parse } from 'yaml';
import { describeErrors, type Schema } from './schemas.cts';
import { mediaType, parseJson, type FormPart } from './upload.cts';

// They require JSON files. On Node 20, that fails below a module that tsx compiles, but not below a plain require.
const load = createRequire(__filename);
const { OpenAPIRouter, OpenAPIValidator } = load('openapi-backend') as typeof OpenApiBackend;
const { default: addFormats } = load('ajv-formats') as typeof AjvFormats;

interface MediaType {
	schema: Schema;
	/** Of the parts of a form, by name. */
	encoding?: Record<string, { contentType: string }>;
}

export interface ContractOperation {
	operationId: string;
	requestBody?: { content: Record<string, MediaType> };
	/** By status, or by range such as `2XX`. */
	responses: Record<string, { content?: Record<string, MediaType> }>;
}

/** The parts of an OpenAPI document that tests, tools and the sandbox use. Any of them can be a `$ref`. */
interface OpenApiDocument {
	paths: Record<string, Record<string, ContractOperation>>;
	components: { schemas: Record<string, Schema> };
}

/** @returns sandbox/openapi.yaml */
export function loadDocument(): OpenApiDocument {
	const file = path.join(__dirname, 'openapi.yaml');
	return parse(readFileSync(file, 'utf8')) as OpenApiDocument;
}

/** @returns the document with a copy in place of each `$ref`; keys beside a `$ref` win */
function dereference(document: OpenApiDocument): OpenApiDocument {
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

/** How a service departs from sandbox/openapi.yaml. */
export interface Departures {
	manifestPart?: string;
	filePart?: string;
	requiredManifestFields?: string[];
	drmTimes?: 'date' | 'timestamp';
}

const ENCODE = '/users/{user_id}/containers/encode';

function depart(document: OpenApiDocument, departures: Departures): OpenApiDocument {
	const { manifestPart = 'manifest.json', filePart = 'file' } = departures;
	const { schemas } = document.components;
	schemas.ManifestContainer.required = departures.requiredManifestFields ?? [];
	if (departures.drmTimes === 'timestamp') {
		const anyOf = ['date', 'date-time'].map((format) => ({ type: 'string', format }));
		Object.assign(schemas.AccessWindow.properties as object, { start: { anyOf }, end: { anyOf } });
	}
	const dereferenced = dereference(document);
	const { requestBody } = dereferenced.paths[ENCODE].post;
	const renamed = JSON.stringify(requestBody)
		.replaceAll('"manifest.json"', JSON.stringify(manifestPart))
		.replaceAll('"file"', JSON.stringify(filePart));
	Object.assign(requestBody as object, JSON.parse(renamed));
	return dereferenced;
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

/** What requests and responses of the service look like. openapi-backend compares them with sandbox/openapi.yaml. */
export class Contract {
	private readonly router;
	private readonly validator;

	constructor(departures: Departures) {
		const definition = depart(loadDocument(), departures) as never;
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
	validateRequest({ method, path: sent, headers, body, parts }: ContractRequest): string[] {
		const operation = this.match(method, sent)?.operation;
		if (operation === undefined) return [`There is no operation ${method} ${sent}`];
		const problems = /^Bearer \S/.test(headers.authorization ?? '')
			? []
			: ['header.authorization must be Bearer <API key>'];
		const accepted = operation.requestBody?.content ?? {};
		const content = accepted[mediaType(headers['content-type'])];
		if ((body !== undefined || parts !== undefined) && content === undefined) {
			const types = Object.keys(accepted).join(' or ') || 'nothing';
			return [...problems, `body of ${operation.operationId} must be ${types}`];
		}
		const form = parts && toForm(parts, content);
		if (form !== undefined && form.problems.length > 0) return [...problems, ...form.problems];
		const query = Object.fromEntries(new URL(sent, 'https://localhost').searchParams);
		const { errors } = this.validator.validateRequest(
			{ method, path: sent, query, headers: headers as never, body: form?.values ?? body },
			operation as never,
		);
		const name = form === undefined ? 'body' : 'form';
		const described = describeErrors(errors ?? [], '');
		return [...problems, ...described.map((text) => text.replace(/^requestBody\b/, name))];
	}

	/** @returns what is wrong with the response to a request, as short texts */
	validateResponse(
		{ method, path: sent }: Pick<ContractRequest, 'method' | 'path'>,
		{ status, type, text }: { status: number; type?: string; text: string },
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
		const media = mediaType(type ?? 'text/plain');
		if (response.content[media] === undefined) {
			return [`${operationId} has no response ${status} of type ${media}`];
		}
		if (media !== 'application/json') return [];
		const value = parseJson(text);
		if (value === undefined) return ['The response is not JSON'];
		const { errors } = this.validator.validateResponse(value, operation as never, status);
		return describeErrors(errors ?? [], 'response');
	}
}

/** @returns the parts as one object, and what is wrong with their counts, media types and JSON */
function toForm(parts: FormPart[], { schema, encoding = {} }: MediaType) {
	const problems: string[] = [];
	const values: Record<string, unknown> = {};
	const properties = schema.properties as Record<string, Schema>;
	for (const { name, type, text = '' } of parts) {
		const expected = encoding[name]?.contentType ?? '*/*';
		const value = expected === '*/*' ? '' : parseJson(text);
		const isList = properties[name]?.type === 'array';
		if (expected === '*/*' ? !type.includes('/') : mediaType(type) !== expected) {
			problems.push(`form.${name} must be of type ${expected}`);
		} else if (value === undefined) {
			problems.push(`form.${name} is not JSON`);
		} else if (name in values && !isList) {
			problems.push(`form.${name} must be one part`);
		} else {
			values[name] = isList ? [...((values[name] as unknown[]) ?? []), value] : value;
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

const contracts = new Map<string, Contract>();

/** @returns the contract with these departures, compiled once */
export function contractFor(departures: Departures = {}): Contract {
	const { manifestPart, filePart, requiredManifestFields, drmTimes } = departures;
	const key = JSON.stringify([manifestPart, filePart, requiredManifestFields, drmTimes]);
	const contract = contracts.get(key) ?? new Contract(departures);
	contracts.set(key, contract);
	return contract;
}
