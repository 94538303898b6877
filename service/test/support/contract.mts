import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';
import { repository } from './paths.mts';

interface ResponseObject {
	$ref?: string;
	headers?: Record<string, { $ref?: string; required?: boolean }>;
	content?: Record<string, unknown>;
}

interface ContractDocument {
	paths: Record<string, Record<string, { responses?: Record<string, ResponseObject> }>>;
	components: { headers: Record<string, { required?: boolean }> } & Record<string, object>;
}

/** A response of the API, as the contract sees it. */
interface ReceivedResponse {
	status: number;
	headers: Record<string, string | string[] | undefined>;
	text: string;
}

const contract = parse(
	readFileSync(join(repository, 'docs/openapi.yaml'), 'utf8'),
) as ContractDocument;

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(contract, 'contract');

const escapePointer = (text: string) =>
	encodeURIComponent(text.replaceAll('~', '~0').replaceAll('/', '~1'));

/** The validator of the schema at a place in docs/openapi.yaml. */
function validatorAt(pointer: string) {
	const key = `contract#${pointer}`;
	const validate = ajv.getSchema(key);
	if (!validate) throw new Error(`docs/openapi.yaml has nothing at ${pointer}`);
	return validate;
}

/** `/containers/1/drm` → `/containers/{container_id}/drm`. The template with fewest parameters wins. */
function findTemplate(path: string): string | undefined {
	const segments = path.split('/');
	const matches = Object.keys(contract.paths).filter((template) => {
		const parts = template.split('/');
		return (
			parts.length === segments.length &&
			parts.every((part, index) => part.startsWith('{') || part === segments[index])
		);
	});
	const parameters = (template: string) => template.split('{').length;
	return matches.sort((one, other) => parameters(one) - parameters(other))[0];
}

/**
 * Checks a response of the API against docs/openapi.yaml. An operation that doesn't exist must be answered
 * with an error.
 * @param path below the base URL, without the query
 * @returns what is wrong with it, as short texts
 */
export function findViolations(
	method: string,
	path: string,
	{ status, headers, text }: ReceivedResponse,
): string[] {
	const template = findTemplate(path);
	const operation =
		template === undefined ? undefined : contract.paths[template][method.toLowerCase()];
	const errorPointer = '/components/schemas/Error';
	if (template === undefined || !operation?.responses) {
		return status < 400 ? [`${status} for an unknown operation`] : checkJson(errorPointer, text);
	}
	const listed = [String(status), `${Math.floor(status / 100)}XX`, 'default'].find(
		(name) => operation.responses?.[name],
	);
	if (!listed) return [`the status ${status} isn't listed`];
	let pointer = `/paths/${escapePointer(template)}/${method.toLowerCase()}/responses/${listed}`;
	let response: ResponseObject = operation.responses[listed];
	if (response.$ref) {
		pointer = response.$ref.slice(1);
		response = pointer
			.slice(1)
			.split('/')
			.reduce<unknown>(
				(value, key) => (value as Record<string, unknown>)[key],
				contract,
			) as ResponseObject;
	}
	const missing = Object.entries(response.headers ?? {})
		.filter(([name, header]) => {
			const shared =
				header.$ref && contract.components.headers[header.$ref.split('/').at(-1) ?? ''];
			return (shared || header).required && headers[name.toLowerCase()] === undefined;
		})
		.map(([name]) => `the header ${name} is missing`);
	if (!response.content) return [...missing, ...(text === '' ? [] : ['there is a body'])];
	const type = String(headers['content-type']).split(';')[0];
	if (!response.content[type]) return [...missing, `the type ${type} isn't listed`];
	const errors = status >= 400 ? checkJson(errorPointer, text) : [];
	return [
		...missing,
		...errors,
		...checkJson(`${pointer}/content/${escapePointer(type)}/schema`, text),
	];
}

function checkJson(pointer: string, text: string): string[] {
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		return [`the body is no JSON: ${text.slice(0, 200)}`];
	}
	const validate = validatorAt(pointer);
	if (validate(value)) return [];
	return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
}
