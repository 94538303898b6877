import { isObject, parseJson, requireBoolean, requireKeys, requireObject } from './checks.cts';
import { requireRecipients, requireText } from './checks.cts';
import { checkRules } from './drm-rules.cts';
import { invalid } from '../service/errors.cts';
import type { Rules } from '../service/store.cts';
import type { SandboxSettings } from '../settings.cts';

const CONTAINER_KEYS = ['name', 'recipients', 'downloadable', 'password', 'drm'];

export interface CheckedManifest {
	manifest: unknown;
	name: string;
	rules: Rules;
}

/**
 * Checks the manifest of an encode request (service-api.md, "Manifest"; `files` as field-facts.md knows it).
 *
 * @returns its name and the rules that the new container has
 * @throws ServiceError 400 saying what is wrong
 */
export function checkManifest(text: string, settings: SandboxSettings): CheckedManifest {
	const manifest = requireObject(parseJson(text, 'The manifest'), 'The manifest');
	const container = requireObject(manifest.container, 'container');
	if (settings.unknownManifestFields === 'refuse') {
		requireKeys(manifest, ['container', 'files'], 'The manifest');
		requireKeys(container, CONTAINER_KEYS, 'container');
	}
	if (manifest.files !== undefined && !isObject(manifest.files)) {
		throw invalid('files must be an object by file name');
	}
	for (const field of settings.requiredManifestFields) {
		if (container[field] === undefined) throw invalid(`container.${field} is missing`);
	}
	if (container.name !== undefined) requireText(container.name, 'container.name');
	if (container.recipients !== undefined) {
		requireRecipients(container.recipients, 'container.recipients');
	}
	if (container.downloadable !== undefined) {
		requireBoolean(container.downloadable, 'container.downloadable');
	}
	if (container.password !== undefined) requireText(container.password, 'container.password');
	const drm =
		container.drm === undefined
			? {}
			: checkRules(container.drm, 'container.drm', settings.drmTimes);
	const { recipients, downloadable } = container;
	return {
		manifest,
		name: (container.name as string | undefined) ?? '',
		rules: {
			dynamic: settings.defaultDynamic,
			...(recipients === undefined ? {} : { recipients }),
			...(downloadable === undefined ? {} : { downloadable }),
			...drm,
		},
	};
}
