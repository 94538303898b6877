import type { Check } from '../contract.mts';
import { assertValid, malformed, type FieldProblems } from '../errors.mts';
import { findRuleProblems, mergeRules, toCanonicalJson, type DrmRules } from './rules.mts';

/** The document that comes with an upload (docs/openapi.yaml, Manifest). */
interface Manifest {
	container: {
		name: string;
		recipients?: string[];
		downloadable?: boolean;
		password?: string;
		drm?: Partial<DrmRules>;
	};
	files?: Record<string, { type?: string; hidden?: boolean }>;
}

export type ParsedManifest = ReturnType<typeof parseManifest>;

/** @throws ServiceError 400 where the bytes are no JSON, 422 where they are no valid manifest */
export function parseManifest(bytes: Buffer, check: Check) {
	const manifest = parseJson(bytes) as Manifest;
	assertValid(check(manifest));
	const { container, files = {} } = manifest;
	const { name, password, drm = {} } = container;
	const problems: FieldProblems = {};
	const rules: Partial<DrmRules> = { ...drm };
	for (const key of ['recipients', 'downloadable'] as const) {
		if (container[key] === undefined) continue;
		const isTwice = drm[key] !== undefined;
		if (isTwice && toCanonicalJson(drm[key]) !== toCanonicalJson(container[key])) {
			problems[`container.${key}`] = `differs from container.drm.${key}`;
		}
		Object.assign(rules, { [key]: container[key] });
	}
	for (const [path, problem] of Object.entries(findRuleProblems(rules))) {
		const isOutside = path.startsWith('recipients') && container.recipients !== undefined;
		problems[isOutside ? `container.${path}` : `container.drm.${path}`] = problem;
	}
	assertValid(problems);
	const fingerprint = toCanonicalJson(manifest);
	return { name, password, rules: mergeRules({ dynamic: false }, rules), files, fingerprint };
}

function parseJson(bytes: Buffer): unknown {
	try {
		return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
	} catch {
		throw malformed('The manifest is not valid JSON in UTF-8.');
	}
}
