import type { IncomingHttpHeaders } from 'node:http';
import { findOperation, findSchemaErrors } from '../../tools/contract.cts';
import { parseForm } from './form.cts';

/** A complete request, as it was sent. */
interface SentRequest {
	method: string;
	/** Path and query below the base URL. */
	path: string;
	headers: IncomingHttpHeaders;
	body: Buffer;
}

/** Checks all requests of each test of a file or describe block. */
export interface ContractCheck {
	add(request: SentRequest): void;
	/** Checks the requests of this test without their bodies. */
	skipBodies(reason: string): void;
}

/** A test fails if it sends a request that docs/openapi.yaml doesn't allow. */
export function checkContract(): ContractCheck {
	const sent: SentRequest[] = [];
	let skipsBodies = false;

	const find = () => {
		const found = sent.flatMap((request) => {
			const violations = findRequestViolations(request);
			const counted = violations.filter((text) => !skipsBodies || !text.startsWith('body'));
			return counted.map((violation) => `${request.method} ${request.path}: ${violation}`);
		});
		return [...new Set(found)];
	};

	beforeEach(() => {
		sent.length = 0;
		skipsBodies = false;
	});
	afterEach(() => {
		const violations = find();
		if (violations.length === 0) return;
		throw new Error(`Sent, but not allowed by docs/openapi.yaml:\n${violations.join('\n')}`);
	});
	return {
		add: (request) => void sent.push(request),
		skipBodies: (reason) => (skipsBodies = reason !== ''),
	};
}

/**
 * Checks a request against docs/openapi.yaml. Query parameters that it doesn't list are left to whoever sets them.
 * @returns what is wrong with it, as short texts; those about the body begin with `body`
 */
function findRequestViolations(sent: SentRequest): string[] {
	const { method, headers, body } = sent;
	const [path, query] = sent.path.split('?');
	const operation = findOperation(method, path);
	if (!operation) return [`there is no operation ${method} ${sent.path}`];
	const segments = path.split('/');
	const place = operation.template.split('/');
	const read = {
		path: (name: string) => decodeURIComponent(segments[place.indexOf(`{${name}}`)]),
		query: (name: string) => new URLSearchParams(query).get(name) ?? undefined,
		header: (name: string) => headers[name.toLowerCase()],
	};
	const errors = operation.parameters.flatMap((parameter) => {
		const text = read[parameter.in](parameter.name);
		if (text === undefined) return [];
		const isNumber = JSON.stringify(parameter.schema).includes('"integer"');
		const value = isNumber ? Number(text) : text;
		return findSchemaErrors(parameter.schema, value, `${parameter.in} ${parameter.name}`);
	});
	if (!/^Bearer \S/.test(headers.authorization ?? '')) errors.push('there is no API key');

	const accepted = operation.requestBody?.content;
	if (body.length === 0) return accepted ? [...errors, 'body is missing'] : errors;
	const type = String(headers['content-type']).split(';')[0];
	if (!accepted?.[type]) return [...errors, `body of type ${type} isn't listed`];
	try {
		const value =
			type === 'application/json' ? (JSON.parse(String(body)) as unknown) : readForm(sent);
		return [...errors, ...findSchemaErrors(accepted[type].schema, value, 'body')];
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
