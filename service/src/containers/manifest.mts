import { assertValid, malformed, type FieldProblems } from '../errors.mts';
import { findRuleProblems, mergeRules, type DrmRules } from './rules.mts';

interface FileSettings {
	type?: string;
	hidden?: boolean;
}

/** The document that comes with an upload, as docs/openapi.yaml describes it. */
interface Manifest {
	container: {
		name: string;
		recipients?: string[];
		downloadable?: boolean;
		password?: string;
		drm?: Partial<DrmRules>;
	};
	files?: Record<string, FileSettings>;
}

export interface ParsedManifest {
	name: string;
	password?: string;
	rules: DrmRules;
	fileSettings: Map<string, FileSettings>;
}

const TWICE = ['recipients', 'downloadable'] as const;

/** @throws ServiceError 400 where the text is no JSON, 422 where it is no valid manifest */
export function parseManifest(
	text: string,
	check: (manifest: unknown) => FieldProblems,
): { manifest: Manifest; parsed: ParsedManifest } {
	const manifest = parseJson(text) as Manifest;
	assertValid(check(manifest));
	const { name, password, drm = {}, recipients, downloadable } = manifest.container;
	const beside = { recipients, downloadable };
	const problems: FieldProblems = {};
	for (const key of TWICE) {
		const [outer, inner] = [beside[key], drm[key]];
		if (outer === undefined || inner === undefined) continue;
		if (JSON.stringify(outer) !== JSON.stringify(inner)) {
			problems[`container.${key}`] = `differs from container.drm.${key}`;
		}
	}
	assertValid(problems);
	const sent = Object.entries({ ...drm, ...dropUndefined(beside) });
	const rules = mergeRules({ dynamic: false }, Object.fromEntries(sent));
	const paths = Object.entries(findRuleProblems(rules)).map(([path, problem]) => [
		path.startsWith('recipients') && recipients !== undefined
			? `container.${path}`
			: `container.drm.${path}`,
		problem,
	]);
	assertValid(Object.fromEntries(paths) as FieldProblems);
	return {
		manifest,
		parsed: { name, password, rules, fileSettings: new Map(Object.entries(manifest.files ?? {})) },
	};
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		throw malformed('The manifest is not valid JSON.');
	}
}

function dropUndefined(values: object): object {
	return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
