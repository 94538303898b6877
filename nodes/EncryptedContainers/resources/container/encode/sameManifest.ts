import type { IDataObject } from 'n8n-workflow';

import { toCanonicalRule } from '../../../../shared/api/ruleValues';
import { takeBreak } from '../../../../shared/client/delay';
import { createInputError } from '../../../../shared/errors/nodeErrors';
import { isSameJson } from '../../../../shared/responses/canonicalJson';
import type { Item } from '../../../execution/item';
import { getManifest, type Manifest } from './manifest';

/** The error that names the first item which differs, where the files of all go into one container. */
export async function findDifference(item: Item, manifests: Manifest[]) {
	const first = toParts(manifests[0]);
	for (const [itemIndex, manifest] of manifests.entries()) {
		await takeBreak();
		const parts = toParts(manifest);
		const different = Object.keys(first).filter((name) => !isSameJson(parts[name], first[name]));
		if (different.length === 0) continue;
		// What changes with the time, such as $now, differs between two readings of one item too.
		const again = toParts(getManifest(item));
		const stable = different.filter((name) => isSameJson(again[name], first[name]));
		if (stable.length === 0) continue;
		return createInputError(item.host.node, {
			message: `The items have different ${stable.join(' and ')}, but go into one container`,
			description: `Item ${itemIndex} is not the same as item 0. Use the same values for all items, for example {{ $input.first().json.name }}, or set "Container Mode" to One Container per Item.`,
			itemIndex,
		});
	}
	return undefined;
}

/** What a container has once, by what a message calls it. */
function toParts({ container, ...settings }: Manifest): IDataObject {
	const { name, recipients, password, ...rules } = container;
	return {
		'container names': name,
		recipients: toCanonicalRule(recipients),
		passwords: password,
		'access rules': rules,
		'settings of files': settings,
	};
}
