import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parse } from 'yaml';
import { projectRoot } from '../../tools/project.cts';
// From the Compose Specification, under the license beside it.
import schema from './support/compose-spec.json';

interface Service {
	image?: string;
	build?: { context: string; dockerfile: string };
	environment?: Record<string, string>;
	volumes?: string[];
	secrets?: string[];
	networks?: string[];
	depends_on?: Record<string, object>;
}

interface Composition {
	services: Record<string, Service>;
	volumes?: Record<string, unknown>;
	networks?: Record<string, unknown>;
	secrets?: Record<string, { file: string }>;
}

interface Validate {
	(value: unknown): boolean;
	errors?: object[];
}

// That of the service: the linter's at the root is older.
const load = createRequire(join(projectRoot, 'service', 'package.json'));
const { Ajv } = load('ajv') as {
	Ajv: new (options: object) => { compile(schema: object): Validate };
};

const read = (file: string) => readFileSync(join(projectRoot, file), 'utf8');
const exists = (file: string) => existsSync(join(projectRoot, file));

describe.each(['compose.yaml', 'compose.production.yaml'])('%s', (file) => {
	const composition = parse(read(file), { merge: true }) as Composition;
	const services = Object.values(composition.services);

	it('is what the Compose Specification allows', () => {
		const ajv = new Ajv({ strict: false, allErrors: true });
		// As ajv names this draft.
		const $schema = 'http://json-schema.org/draft-07/schema#';
		const validate = ajv.compile({ ...schema, $schema });
		validate(composition);
		expect(validate.errors ?? []).toEqual([]);
	});

	it('names only volumes, networks, secrets, services and files that exist', () => {
		for (const { volumes = [], networks = [], secrets = [], depends_on = {}, build } of services) {
			for (const volume of volumes) {
				const [source] = volume.split(':');
				if (source.startsWith('.')) expect(exists(source)).toBe(true);
				else expect(composition.volumes).toHaveProperty([source]);
			}
			for (const network of networks) expect(composition.networks).toHaveProperty([network]);
			for (const secret of secrets) expect(composition.secrets).toHaveProperty([secret]);
			for (const other of Object.keys(depends_on))
				expect(composition.services).toHaveProperty([other]);
			if (build) expect(exists(build.dockerfile)).toBe(true);
		}
	});

	it('says the version of each image that it pulls', () => {
		for (const { image } of services)
			expect(image).toMatch(/:(\d+\.\d+\.\d+|v?\d+(\.\d+)?|local)(-[a-z]+)?$/);
	});

	it('reads each secret from a file that it is given', () => {
		for (const { environment = {}, secrets = [] } of services) {
			const files = Object.values(environment).filter((value) => value.startsWith('/run/secrets/'));
			expect(files.sort()).toEqual(secrets.map((name) => `/run/secrets/${name}`).sort());
		}
	});
});

it('compose/production.env has all variables that compose.production.yaml needs', () => {
	const text = read('compose.production.yaml');
	const needed = text.matchAll(/\$\{(\w+)/g);
	// Compose reads it by itself.
	const ofCompose = /^ +profiles:/m.test(text) ? ['COMPOSE_PROFILES'] : [];
	const given = read('compose/production.env').matchAll(/^(\w+)=/gm);
	const unique = (matches: Iterable<RegExpMatchArray>) => [
		...new Set([...matches].map(([, name]) => name)),
	];
	expect(unique(given).sort()).toEqual([...unique(needed), ...ofCompose].sort());
});
