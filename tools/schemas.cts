import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { dereference, loadDocument } from '../sandbox/contract.cts';
import type { Schema } from '../sandbox/schemas.cts';
import { projectRoot } from './project.cts';
import { runTool } from './tool.cts';

/** A JSON Schema of an output item, with no more than what n8n's editor shows. */
interface OutputSchema {
	type?: string | string[];
	properties?: Record<string, OutputSchema>;
	items?: OutputSchema;
}

const { schemas } = dereference(loadDocument()).components;

const text: OutputSchema = { type: 'string' };
const flag: OutputSchema = { type: 'boolean' };
const texts: OutputSchema = { type: 'array', items: text };

const user = fromContract('User');
const envelope = fromContract('ContainerEnvelope');
const contact = fromContract('Contact');
const rules = fromContract('DrmRulesResponse');

const ofContainer = { containerId: text };
const ofDecision = { action: text, reason: text };

/** What each operation returns with its default options. */
const operations: Record<string, OutputSchema> = {
	'container/delete': object({ deleted: flag, ...ofContainer }),
	'container/encode': object({
		...envelope.properties,
		settings: object({
			name: text,
			recipients: texts,
			downloadable: flag,
			drm: object({ dynamic: flag }),
			emailTo: text,
			endsOn: { type: ['string', 'null'] },
		}),
	}),
	'container/get': envelope,
	'container/getAll': envelope,
	'container/getEnvelope': envelope,
	'drm/check': object({
		...ofContainer,
		name: text,
		compliant: flag,
		violations: {
			type: 'array',
			// What is and what is allowed can be text, a number, a list or nothing.
			items: object({ rule: text, actual: {}, allowed: {} }),
		},
		...ofDecision,
	}),
	'drm/get': object({ ...ofContainer, ...rules.properties }),
	'drm/removeEverywhere': object({
		...ofContainer,
		name: text,
		...ofDecision,
		recipients: texts,
	}),
	'drm/revoke': object({ ...ofContainer, changed: flag, ...rules.properties }),
	'drm/syncRecipients': object({
		...ofContainer,
		name: text,
		action: text,
		added: texts,
		removed: texts,
		unchanged: { type: 'integer' },
	}),
	'drm/update': object({ ...ofContainer, changed: flag, ...rules.properties }),
	'contact/delete': object({ deleted: flag, email: text }),
	'contact/get': contact,
	'contact/getAll': contact,
	'contact/sync': object({ action: text, email: text, changes: texts }),
	'contact/upsert': contact,
	'user/getMe': user,
};

const trigger = object({
	...ofContainer,
	name: text,
	...envelope.properties,
	rules,
	changedRules: texts,
	added: object({ recipients: texts }),
	endsOn: text,
	daysLeft: { type: 'integer' },
	...contact.properties,
});

/** Returns the content of each schema file, by its path below `nodes/`. */
export function createOutputSchemas(): Record<string, string> {
	const file = (node: string, name: string, schema: OutputSchema) => [
		`${node}/__schema__/v1.0.0/${name}.json`,
		`${JSON.stringify(schema)}\n`,
	];
	return Object.fromEntries([
		...Object.entries(operations).map(([name, schema]) =>
			file('EncryptedContainers', name, schema),
		),
		file('EncryptedContainersTrigger', 'output', trigger),
	]);
}

function object(properties: Record<string, OutputSchema>): OutputSchema {
	return { type: 'object', properties };
}

function fromContract(name: string): OutputSchema {
	return simplify(schemas[name]);
}

/** Where the contract has several forms, the first is the expected one. */
function simplify({ anyOf, allOf, type, properties, items }: Schema): OutputSchema {
	const [first] = (anyOf ?? allOf ?? []) as Schema[];
	if (first !== undefined) return simplify(first);
	const fields = Object.entries((properties ?? {}) as Record<string, Schema>);
	return {
		type: type as OutputSchema['type'],
		...(fields.length === 0
			? {}
			: { properties: Object.fromEntries(fields.map(([name, one]) => [name, simplify(one)])) }),
		...(items === undefined ? {} : { items: simplify(items as Schema) }),
	};
}

/** Writes the schemas of the outputs, which n8n's editor shows before a node ran, beside the nodes. */
async function main(): Promise<void> {
	const nodes = join(projectRoot, 'nodes');
	for (const name of ['EncryptedContainers', 'EncryptedContainersTrigger']) {
		await rm(join(nodes, name, '__schema__'), { recursive: true, force: true });
	}
	for (const [path, content] of Object.entries(createOutputSchemas())) {
		await mkdir(dirname(join(nodes, path)), { recursive: true });
		await writeFile(join(nodes, path), content);
	}
}

if (require.main === module) runTool(main);
