import type { IncomingHttpHeaders } from 'node:http';
import { createCheck } from './check.cts';
import type { MediaType, OpenApiDocument, OperationObject, Parameter } from './document.cts';
import { dereference, loadDocument } from './document.cts';
import type { FormPart } from './form.cts';
import { checkForm } from './form.cts';
import { mediaType } from '../http/partHeaders.cts';

export interface ContractOperation extends OperationObject {
	method: string;
	/** Below the base URL, such as `/containers/{container_id}`. */
	path: string;
	parameters: Parameter[];
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

export interface ContractResponse {
	status: number;
	headers: IncomingHttpHeaders;
	/** As received. */
	text: string;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** The twelve operations of the service, and what their requests and responses look like. */
export class Contract {
	readonly operations: ContractOperation[];
	private readonly check = createCheck();

	constructor(document: OpenApiDocument) {
		this.operations = listOperations(dereference(document));
	}

	findOperation(method: string, path: string): ContractOperation | undefined {
		const [pathname] = path.split('?', 1);
		return this.operations.find(
			(operation) =>
				operation.method === method && parsePath(operation.path, pathname) !== undefined,
		);
	}

	/** @returns what is wrong with the request, as short texts; empty when it fits the contract */
	validateRequest(request: ContractRequest): string[] {
		const operation = this.findOperation(request.method, request.path);
		if (operation === undefined) return [`There is no operation ${request.method} ${request.path}`];
		return [
			...checkKey(request),
			...this.checkParameters(operation, request),
			...this.checkBody(operation, request),
		];
	}

	/** @returns what is wrong with the response to a request, as short texts */
	validateResponse(
		request: Pick<ContractRequest, 'method' | 'path'>,
		{ status, headers, text }: ContractResponse,
	): string[] {
		const operation = this.findOperation(request.method, request.path);
		if (operation === undefined) return [`There is no operation ${request.method} ${request.path}`];
		const { responses, operationId } = operation;
		const response = responses[status] ?? responses[`${Math.floor(status / 100)}XX`];
		if (response === undefined) return [`${operationId} has no response ${status}`];
		if (response.content === undefined)
			return text === '' ? [] : ['The response must have no body'];
		// A body without a type is plain text, and so is no body at all.
		const type = mediaType(headers['content-type'] ?? 'text/plain');
		const content = response.content[type];
		if (content === undefined) return [`${operationId} has no response ${status} of type ${type}`];
		if (type !== 'application/json') return this.check(content.schema, text, 'response');
		const value = tryParse(text);
		return value === undefined
			? ['The response is not JSON']
			: this.check(content.schema, value, 'response');
	}

	private checkParameters(operation: ContractOperation, request: ContractRequest): string[] {
		const url = new URL(request.path, 'https://localhost');
		const values = {
			path: parsePath(operation.path, request.path.split('?', 1)[0]) ?? {},
			query: Object.fromEntries(url.searchParams),
			header: request.headers,
		};
		const { parameters } = operation;
		const problems = parameters.flatMap(({ name, in: place, required, schema }) => {
			const value = values[place][name];
			if (value === undefined) return required ? [`${place}.${name} is missing`] : [];
			return this.check(schema, value, `${place}.${name}`);
		});
		const query = parameters.filter((parameter) => parameter.in === 'query');
		// In a query, an object stands for parameters of any name.
		if (query.some(({ schema }) => schema.type === 'object')) return problems;
		const known = query.map(({ name }) => name);
		const unknown = Object.keys(values.query).filter((name) => !known.includes(name));
		return [...problems, ...unknown.map((name) => `query has an unknown parameter: ${name}`)];
	}

	private checkBody(operation: ContractOperation, request: ContractRequest): string[] {
		const { body, parts } = request;
		const isPresent = body !== undefined || parts !== undefined;
		const { requestBody } = operation;
		if (requestBody === undefined) {
			return isPresent ? [`${operation.operationId} accepts no body`] : [];
		}
		if (!isPresent) return requestBody.required ? ['body is missing'] : [];
		const type = mediaType(request.headers['content-type'] ?? '');
		const content: MediaType | undefined = requestBody.content[type];
		if (content === undefined) {
			return [`body must be of type ${Object.keys(requestBody.content).join(' or ')}`];
		}
		return parts === undefined
			? this.check(content.schema, body, 'body')
			: checkForm(parts, content, this.check);
	}
}

/** Every operation needs the API key (securitySchemes). */
function checkKey({ headers: { authorization = '' } }: ContractRequest): string[] {
	return /^Bearer \S/.test(authorization) ? [] : ['header.authorization must be Bearer <API key>'];
}

function listOperations({ paths }: OpenApiDocument): ContractOperation[] {
	return Object.entries(paths).flatMap(([path, item]) =>
		METHODS.filter((method) => item[method] !== undefined).map((method) => ({
			...item[method],
			method: method.toUpperCase(),
			path,
			parameters: [...(item.parameters ?? []), ...(item[method].parameters ?? [])],
		})),
	);
}

/** @returns the path parameters, decoded once, or undefined when the path doesn't match */
function parsePath(template: string, pathname: string): Record<string, string> | undefined {
	const names = template.split('/');
	const segments = pathname.split('/');
	if (names.length !== segments.length) return undefined;
	const params: Record<string, string> = {};
	for (const [index, name] of names.entries()) {
		const segment = tryDecode(segments[index]);
		if (!name.startsWith('{')) {
			if (name !== segment) return undefined;
		} else if (segment === undefined || segment === '') {
			return undefined;
		} else {
			params[name.slice(1, -1)] = segment;
		}
	}
	return params;
}

function tryDecode(text: string): string | undefined {
	try {
		return decodeURIComponent(text);
	} catch {
		return undefined;
	}
}

function tryParse(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}

let contract: Contract | undefined;

/** @returns the contract of docs/openapi.yaml, loaded once */
export function loadContract(): Contract {
	return (contract ??= new Contract(loadDocument()));
}
