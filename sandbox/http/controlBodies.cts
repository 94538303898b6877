import { createCheck } from '../contract/check.cts';
import type { Schema } from '../contract/document.cts';
import type { Fault } from '../faults/fault.cts';
import { HOSTILE_BODY_NAMES } from '../faults/hostileBodies.cts';
import type { NewContact, NewContainer } from '../service/store.cts';

/** A fault as JSON: `times: null` has no end, `path` is the source and flags of a pattern. */
export type FaultMessage = Omit<Fault, 'path' | 'times'> & {
	path?: { source: string; flags: string };
	times?: number | null;
};

const check = createCheck();
const text: Schema = { type: 'string' };
const count: Schema = { type: 'integer', minimum: 0 };
const status: Schema = { type: 'integer', minimum: 200, maximum: 599 };

const object = (properties: Record<string, Schema>, ...required: string[]): Schema => ({
	type: 'object',
	additionalProperties: false,
	properties,
	required,
});

const record = { userId: text, created: text, updated: text };
const containers: Schema = {
	type: 'array',
	items: object({
		...record,
		uuid: { type: 'string', minLength: 1 },
		name: text,
		rules: { type: 'object' },
		files: { type: 'array', items: object({ name: text, type: text, size: count, sha256: text }) },
		manifest: {},
	}),
};
const contacts: Schema = {
	type: 'array',
	items: object({ ...record, email: text, fields: { type: 'object' } }, 'email'),
};

const match = {
	kind: text,
	method: text,
	path: object({ source: text, flags: text }, 'source'),
	times: { type: ['integer', 'null'], minimum: 1 },
	nth: { type: 'integer', minimum: 1 },
	probability: { type: 'number', minimum: 0, maximum: 1 },
	seed: { type: 'integer' },
	when: { enum: ['arrival', 'body', 'effect'] },
};

/** A fault of each kind, with what it needs. */
const faults: Record<Fault['kind'], Schema> = Object.fromEntries(
	Object.entries({
		status: [
			{
				status,
				body: text,
				contentType: text,
				headers: { type: 'object', additionalProperties: text },
			},
			'status',
		],
		reset: [{ afterBytes: count }],
		resetInResponse: [{}],
		halfResponse: [{}],
		stallHeaders: [{ ms: count }, 'ms'],
		stallBody: [{ ms: count }, 'ms'],
		never: [{}],
		webPage: [{}],
		redirect: [{ location: text, status }, 'location'],
		cutJson: [{}],
		wrongType: [{ contentType: text }, 'contentType'],
		body: [{ body: text, status, contentType: text }, 'body'],
		hostile: [{ body: { enum: HOSTILE_BODY_NAMES }, status }, 'body'],
		echo: [{ status }],
	} satisfies Record<Fault['kind'], [Record<string, Schema>, ...string[]]>).map(
		([kind, [properties, ...required]]) => [kind, object({ ...match, ...properties }, ...required)],
	),
) as Record<Fault['kind'], Schema>;

/** @throws Error with all that is wrong with a body */
function parse<T>(schema: Schema, body: unknown, root: string): T {
	const problems = check(schema, body ?? null, root);
	if (problems.length > 0) throw new Error(`Invalid body: ${problems.join('; ')}.`);
	return body as T;
}

export function parseContainers(body: unknown): Array<Partial<NewContainer>> {
	return parse(containers, body, 'containers');
}

export function parseContacts(body: unknown): Array<Partial<NewContact> & { email: string }> {
	return parse(contacts, body, 'contacts');
}

export function parseFault(body: unknown): Fault {
	const kinds = Object.keys(faults);
	const kind: Schema = {
		type: 'object',
		required: ['kind'],
		properties: { kind: { enum: kinds } },
	};
	const message = parse<FaultMessage>(kind, body, 'fault');
	const { path, times, ...rest } = parse<FaultMessage>(faults[message.kind], body, 'fault');
	return {
		...rest,
		...(path === undefined ? {} : { path: new RegExp(path.source, path.flags) }),
		...(times === undefined ? {} : { times: times ?? Infinity }),
	} as Fault;
}
