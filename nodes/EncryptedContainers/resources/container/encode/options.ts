import { UserError } from 'n8n-workflow';

import { parseBoolean, parseChoice, parseOption } from '../../../../shared/parameters/scalars';
import type { Item } from '../../../execution/item';
import { IF_EXISTS } from './choices';
import type { PartNames } from './multipartForm';

/** What the user set under Options for encode. */
export interface EncodeOptions {
	partNames: PartNames;
	ifExists: 'create' | 'reuse' | 'fail';
	includeFileDigests: boolean;
}

/** @throws UserError for an option that can't be used */
export function getEncodeOptions(item: Item): EncodeOptions {
	const options = item.getOptions();
	const parsePart = (name: string, preset: string, label: string) =>
		parseOption(options, name, preset, (value) => parsePartName(value, preset, label));
	return {
		partNames: {
			manifest: parsePart('manifestPartName', 'manifest.json', 'Manifest Part Name'),
			file: parsePart('filePartName', 'file', 'File Part Name'),
		},
		ifExists: parseOption<EncodeOptions['ifExists']>(options, 'ifExists', 'create', (value) =>
			parseChoice(value, 'If Container Exists', IF_EXISTS),
		),
		includeFileDigests: parseOption(options, 'includeFileDigests', false, (value) =>
			parseBoolean(value, 'Include File Digests'),
		),
	};
}

function parsePartName(value: unknown, preset: string, label: string): string {
	if (typeof value === 'string' && /^[\w.[\]-]+$/.test(value.trim())) return value.trim();
	throw new UserError(`"${label}" is not a valid name for a part of the request`, {
		description: `Use only letters, digits, dots, hyphens and underscores in "${label}". The default is ${preset}.`,
	});
}
