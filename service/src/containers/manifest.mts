import stringify from 'safe-stable-stringify';
import type { Check } from '../contract.mts';
import { assertValid, attempt, malformed } from '../errors.mts';
import { findChangedRules, findRuleProblems, mergeRules, type DrmRules } from './rules.mts';

type OuterRules = Pick<DrmRules, 'recipients' | 'downloadable'>;

interface SentManifest {
	container: OuterRules & { name: string; password?: string; drm?: Partial<DrmRules> };
	files?: Record<string, FileSettings>;
}

interface FileSettings {
	type?: string;
	hidden?: boolean;
}

export type Manifest = ReturnType<typeof parseManifest>;

/** @throws ServiceError */
export function parseManifest(bytes: Uint8Array, check: Check) {
	const decoder = new TextDecoder('utf-8', { fatal: true });
	const sent = attempt(() => JSON.parse(decoder.decode(bytes)) as SentManifest);
	if (sent === undefined) throw malformed('The manifest is not valid JSON in UTF-8.');
	assertValid(check(sent));
	const { container, files = {} } = sent;
	const { name, password, drm = {}, ...outside } = container;
	const rules = { ...drm, ...outside };
	const problems = findRuleProblems(drm, 'container.drm.');
	Object.assign(problems, findRuleProblems(outside, 'container.'));
	for (const rule of findChangedRules({ ...rules, ...drm }, rules)) {
		problems[`container.${rule}`] = `differs from container.drm.${rule}`;
	}
	assertValid(problems);
	return {
		name,
		password,
		rules: mergeRules({ dynamic: false }, rules),
		/** By the name of a file. */
		settings: new Map(Object.entries(files)),
		/** The same text for each form of the same JSON. */
		canonical: stringify(sent),
	};
}
