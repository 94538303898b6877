import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';
import { repository } from './paths.mts';

interface Referable {
	$ref?: string;
	required?: boolean;
	headers?: Record<string, Referable>;
	content?: Record<string, object>;
}

type Operation = { responses: Record<string, Referable> };

const contract = parse(readFileSync(join(repository, 'docs/openapi.yaml'), 'utf8')) as {
	paths: Record<string, Record<string, Operation>>;
};

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(contract, 'contract');

/** Follows references inside the contract. */
function resolve(pointer: string): { pointer: string; value: Referable } {
	const keys = pointer.slice(2).split('/').map(decodeURIComponent);
	const value = keys.reduce<unknown>(
		(inner, key) => (inner as Record<string, unknown>)[key.replaceAll('~1', '/')],
		contract,
	) as Referable;
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

interface ReceivedResponse {
	status: number;
	headers: Record<string, string | undefined>;
	text: string;
}

/**
 * Checks a response of the API against docs/openapi.yaml. An unknown operation must be answered with an error.
 * @param path below the base URL, without the query
 * @returns what is wrong with it, as short texts
 */
export function findViolations(method: string, path: string, received: ReceivedResponse): string[] {
	const { status, headers, text } = received;
	const errors = status < 400 ? [] : findSchemaErrors('#/components/schemas/Error', text);
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
	return [...errors, ...findSchemaErrors(`${pointer}/content/${escape(type)}/schema`, text)];
}

function findSchemaErrors(pointer: string, text: string): string[] {
	const validate = ajv.getSchema(`contract${pointer}`);
	if (!validate) return [`docs/openapi.yaml has nothing at ${pointer}`];
	if (!/^[[{]/.test(text)) return ['the body is no JSON'];
	if (validate(JSON.parse(text))) return [];
	return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
