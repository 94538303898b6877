import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parse } from 'yaml';
import { parseForm } from './form.cts';
import { projectRoot } from './project.cts';

interface Referable {
	$ref?: string;
	required?: boolean;
	headers?: Record<string, Referable>;
	content?: Record<string, object>;
}

interface Parameter extends Referable {
	name: string;
	in: 'path' | 'query' | 'header';
	schema: object;
}

interface Operation {
	parameters?: Parameter[];
	requestBody?: { content: Record<string, object> };
	responses: Record<string, Referable>;
}

interface Validate {
	(value: unknown): boolean;
	errors?: Array<{ instancePath: string; message?: string; params: object }>;
}

interface Ajv {
	addSchema(schema: object, key: string): void;
	getSchema(reference: string): Validate | undefined;
}

const contract = parse(readFileSync(join(projectRoot, 'docs', 'openapi.yaml'), 'utf8')) as {
	paths: Record<string, Record<string, Operation> & { parameters?: Parameter[] }>;
};

// That of the service: the linter's at the root is older.
const load = createRequire(join(projectRoot, 'service', 'package.json'));
const { Ajv2020 } = load('ajv/dist/2020.js') as { Ajv2020: new (options: object) => Ajv };
const { default: addFormats } = load('ajv-formats') as { default: (ajv: Ajv) => void };
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats(ajv);
ajv.addSchema(contract, 'contract');

/** Follows references inside the contract. */
function resolve<T extends Referable>(pointer: string): { pointer: string; value: T } {
	const keys = pointer.slice(2).split('/').map(decodeURIComponent);
	const value = keys.reduce<unknown>(
		(inner, key) => (inner as Record<string, unknown>)[key.replaceAll('~1', '/')],
		contract,
	) as T;
	return value.$ref ? resolve(value.$ref) : { pointer, value };
}

const escape = (key: string) => encodeURIComponent(key.replaceAll('/', '~1'));

/** `/containers/1/drm` → `/containers/{container_id}/drm` */
function findTemplate(path: string): string | undefined {
	const segments = path.split('/');
	const matches = Object.keys(contract.paths).filter((template) => {
		const parts = template.split('/');
		return (
			parts.length === segments.length &&
			parts.every((part, index) => part.startsWith('{') || part === segments[index])
		);
	});
	const countParameters = (template: string) => template.split('{').length;
	return matches.sort((one, other) => countParameters(one) - countParameters(other))[0];
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
	const errors = status < 400 ? [] : findTextErrors('#/components/schemas/Error', text);
	const template = findTemplate(path) ?? '';
	const operation = contract.paths[template]?.[method.toLowerCase()];
	if (!operation) return status < 400 ? [`${status} for an unknown operation`] : errors;
	const name = [String(status), `${Math.floor(status / 100)}XX`].find(
		(key) => operation.responses[key],
	);
	if (!name) return [`the status ${status} isn't listed`];
	const { pointer, value } = resolve(
		`#/paths/${escape(template)}/${method.toLowerCase()}/responses/${name}`,
	);
	for (const header of Object.keys(value.headers ?? {})) {
		const { required } = resolve(`${pointer}/headers/${header}`).value;
		if (required && !headers[header.toLowerCase()]) errors.push(`the header ${header} is missing`);
	}
	if (!value.content) return text === '' ? errors : [...errors, 'there is a body'];
	const type = String(headers['content-type']).split(';')[0];
	if (!value.content[type]) return [...errors, `the type ${type} isn't listed`];
	return [...errors, ...findTextErrors(`${pointer}/content/${escape(type)}/schema`, text)];
}

/** A complete request, as it was sent. */
export interface SentRequest {
	method: string;
	/** Path and query below the base URL. */
	path: string;
	headers: IncomingHttpHeaders;
	body: Buffer;
}

/**
 * Checks a request against docs/openapi.yaml. Query parameters that it doesn't list are left to whoever sets them.
 * @returns what is wrong with it, as short texts; those about the body begin with `body`
 */
export function findRequestViolations(sent: SentRequest): string[] {
	const { method, headers, body } = sent;
	const [path, query] = sent.path.split('?');
	const template = findTemplate(path) ?? '';
	const pointer = `#/paths/${escape(template)}`;
	const operation = contract.paths[template]?.[method.toLowerCase()];
	if (!operation) return [`there is no operation ${method} ${sent.path}`];
	const segments = path.split('/');
	const place = template.split('/');
	const read = {
		path: (name: string) => decodeURIComponent(segments[place.indexOf(`{${name}}`)]),
		query: (name: string) => new URLSearchParams(query).get(name) ?? undefined,
		header: (name: string) => headers[name.toLowerCase()],
	};
	const shared = (contract.paths[template].parameters ?? []).map(
		(_, index) => `${pointer}/parameters/${index}`,
	);
	const own = (operation.parameters ?? []).map(
		(_, index) => `${pointer}/${method.toLowerCase()}/parameters/${index}`,
	);
	const errors = [...shared, ...own].flatMap((one) => {
		const { pointer: at, value: parameter } = resolve<Parameter>(one);
		const text = read[parameter.in](parameter.name);
		if (text === undefined) return [];
		const isNumber = JSON.stringify(parameter.schema).includes('"integer"');
		const value = isNumber ? Number(text) : text;
		return findSchemaErrors(`${at}/schema`, value, `${parameter.in} ${parameter.name}`);
	});
	if (!/^Bearer \S/.test(headers.authorization ?? '')) errors.push('there is no API key');

	const accepted = operation.requestBody?.content;
	if (body.length === 0) return accepted ? [...errors, 'body is missing'] : errors;
	const type = String(headers['content-type']).split(';')[0];
	if (!accepted?.[type]) return [...errors, `body of type ${type} isn't listed`];
	const schema = `${pointer}/${method.toLowerCase()}/requestBody/content/${escape(type)}/schema`;
	try {
		const value =
			type === 'application/json' ? (JSON.parse(String(body)) as unknown) : readForm(sent);
		return [...errors, ...findSchemaErrors(schema, value, 'body')];
	} catch (error) {
		return [...errors, `body can't be read: ${(error as Error).message}`];
	}
}

/** The parts of a form by name: manifests as JSON, files as a list without their content. */
function readForm({ headers, body }: SentRequest) {
	const form: Record<string, unknown> = {};
	for (const { name, type, content } of parseForm(headers, body)) {
		if (!name.startsWith('manifest')) form[name] = [...((form[name] as string[]) ?? []), ''];
		else if (type !== 'application/json') throw new Error(`${name} is no JSON`);
		else form[name] = JSON.parse(String(content)) as unknown;
	}
	return form;
}

function findTextErrors(pointer: string, text: string): string[] {
	if (!/^[[{]/.test(text)) return ['the body is no JSON'];
	return findSchemaErrors(pointer, JSON.parse(text), '');
}

function findSchemaErrors(pointer: string, value: unknown, name: string): string[] {
	const validate = ajv.getSchema(`contract${pointer}`);
	if (!validate) return [`docs/openapi.yaml has nothing at ${pointer}`];
	if (validate(value)) return [];
	return (validate.errors ?? []).map(({ instancePath, message = '', params }) => {
		const allowed = Object.values(params).filter((one) => !message.includes(String(one)));
		return [`${name}${instancePath} ${message}`.trim(), ...allowed].join(': ');
	});
}
