import type { IDataObject } from 'n8n-workflow';

import { parseRules } from '../../../../shared/api/shownRules';
import { listSome } from '../../../../shared/parameters/values';
import { isRecord } from '../../../../shared/responses/shapes';
import type { Manifest } from './manifest';

/** Says which files recipients can neither see nor download, as far as the service tells. */
export function describeUnseen(manifest: Manifest, shownFiles: unknown): string | undefined {
	if (!Array.isArray(shownFiles) || !isDownloadOff(manifest.container)) return undefined;
	const settings = isRecord(manifest.files) ? manifest.files : {};
	const isHidden = (name: string) => isRecord(settings[name]) && settings[name].hidden === true;
	const unseen = shownFiles
		.filter(isRecord)
		.filter(({ name, viewable }) => viewable === false && !isHidden(String(name)))
		.map(({ name }) => `"${String(name)}"`);
	if (unseen.length === 0) return undefined;
	const names = listSome(unseen);
	return `"Downloadable" is off, and recipients can't see files of this kind: ${names}. Send them as PDF, or turn "Downloadable" on.`;
}

function isDownloadOff(container: IDataObject): boolean {
	const drm = isRecord(container.drm) ? container.drm : {};
	return parseRules({ ...drm, ...container }).rules.downloadable === false;
}
