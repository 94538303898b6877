import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parse } from 'yaml';
import { projectRoot } from './project.cts';

type Referable<T> = T | { $ref: string };
type Content = Record<string, { schema: object }>;

type Parameter = { name: string; in: 'path' | 'query' | 'header'; schema: object };
type Response = {
	headers?: Record<string, Referable<{ required?: boolean }>>;
	content?: Content;
};

interface Operation {
	parameters?: Array<Referable<Parameter>>;
	requestBody?: { content: Content };
	responses: Record<string, Referable<Response>>;
}

type PathItem = Record<string, Operation> & { parameters?: Array<Referable<Parameter>> };

interface Validate {
	(value: unknown): boolean;
	errors?: Array<{ instancePath: string; message?: string; params: object }>;
}

interface Ajv {
	addSchema(schema: object, key: string): void;
	compile(schema: object): Validate;
}

/** References name the document, so that its parts can be compiled alone. */
const ID = 'contract';
const yaml = readFileSync(join(projectRoot, 'docs', 'openapi.yaml'), 'utf8');
const contract = JSON.parse(JSON.stringify(parse(yaml)).replaceAll('"#/', `"${ID}#/`)) as {
	paths: Record<string, PathItem>;
	components: { schemas: { Error: object } };
};

// That of the service: the linter's at the root is older.
const load = createRequire(join(projectRoot, 'service', 'package.json'));
const { Ajv2020 } = load('ajv/dist/2020.js') as { Ajv2020: new (options: object) => Ajv };
const { default: addFormats } = load('ajv-formats') as { default: (ajv: Ajv) => void };
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats(ajv);
ajv.addSchema(contract, ID);

function resolve<T extends object>(value: Referable<T>): T {
	if (!('$ref' in value)) return value;
	const keys = value.$ref.split('/').slice(1);
	return keys.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], contract) as T;
}

/** The operation of a path below the base URL: `/containers/1/drm` is one of `/containers/{container_id}/drm`. */
export function findOperation(method: string, path: string) {
	const segments = path.split('/');
	const templates = Object.keys(contract.paths).filter((template) => {
		const parts = template.split('/');
		return (
			parts.length === segments.length &&
			parts.every((part, index) => part.startsWith('{') || part === segments[index])
		);
	});
	const countParameters = (template: string) => template.split('{').length;
	const [template] = templates.sort((one, other) => countParameters(one) - countParameters(other));
	const item = contract.paths[template];
	const operation = item?.[method.toLowerCase()];
	if (!operation) return undefined;
	const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])];
	return { ...operation, template, parameters: parameters.map(resolve) };
}

export interface ReceivedResponse {
	status: number;
	headers: Record<string, unknown>;
	text: string;
}

/**
 * Checks a response of the API against docs/openapi.yaml. An unknown operation must be answered with an error.
 * @param path below the base URL, without the query
 * @returns what is wrong with it, as short texts
 */
export function findResponseViolations(method: string, path: string, received: ReceivedResponse) {
	const { status, headers, text } = received;
	const errors = status < 400 ? [] : findTextErrors(contract.components.schemas.Error, text);
	const operation = findOperation(method, path);
	if (!operation) return status < 400 ? [`${status} for an unknown operation`] : errors;
	const { responses } = operation;
	const response = responses[status] ?? responses[`${Math.floor(status / 100)}XX`];
	if (!response) return [`the status ${status} isn't listed`];
	const { headers: listed = {}, content } = resolve(response);
	for (const [header, value] of Object.entries(listed)) {
		if (resolve(value).required && !headers[header.toLowerCase()])
			errors.push(`the header ${header} is missing`);
	}
	if (!content) return text === '' ? errors : [...errors, 'there is a body'];
	// A file can be of any type.
	if (content['*/*']) return errors;
	const type = String(headers['content-type']).split(';')[0];
	if (!content[type]) return [...errors, `the type ${type} isn't listed`];
	return [...errors, ...findTextErrors(content[type].schema, text)];
}

function findTextErrors(schema: object, text: string): string[] {
	if (!/^[[{]/.test(text)) return ['the body is no JSON'];
	return findSchemaErrors(schema, JSON.parse(text));
}

/** @param name begins each text */
export function findSchemaErrors(schema: object, value: unknown, name = ''): string[] {
	const validate = ajv.compile(schema);
	if (validate(value)) return [];
	return (validate.errors ?? []).map(({ instancePath, message = '', params }) => {
		const allowed = Object.values(params).filter((one) => !message.includes(String(one)));
		return [`${name}${instancePath} ${message}`.trim(), ...allowed].join(': ');
	});
}
