import type { IDataObject } from 'n8n-workflow';

import { isSameRule } from '../../../../shared/api/ruleValues';
import { takeBreak } from '../../../../shared/client/delay';
import { createInputError } from '../../../../shared/errors/nodeErrors';
import { isSameJson } from '../../../../shared/responses/canonicalJson';
import type { Item } from '../../../execution/item';
import { getManifest, type Manifest } from './manifest';

/** What a container has once, in words for a message, by key in the manifest. */
const PARTS: Record<string, string> = {
	name: 'container names',
	recipients: 'recipients',
	password: 'passwords',
};

/**
 * Checks that all items ask for the same container, since their files go into one.
 *
 * @param manifests of all items, in input order
 * @throws NodeOperationError that names the first item which differs
 */
export async function assertSameManifest(item: Item, manifests: Manifest[]): Promise<void> {
	const [first] = manifests;
	for (const [itemIndex, manifest] of manifests.entries()) {
		await takeBreak();
		const different = listDifferences(first, manifest);
		if (different.length === 0) continue;
		// What changes with the time, such as $now, differs between two readings of one item too.
		const unstable = listDifferences(first, getManifest(item));
		const parts = different.filter((part) => !unstable.includes(part));
		if (parts.length === 0) continue;
		throw createInputError(item.host.node, {
			message: `The items have different ${parts.join(' and ')}, but go into one container`,
			description: `Item ${itemIndex} is not the same as item 0. Use the same values for all items, for example {{ $input.first().json.name }}, or set "Container Mode" to One Container per Item.`,
			itemIndex,
		});
	}
}

function listDifferences(one: Manifest, other: Manifest): string[] {
	const differences = Object.keys({ ...one.container, ...other.container })
		.filter((key) => !isSamePart(key, one.container[key], other.container[key]))
		.map((key) => PARTS[key] ?? 'access rules');
	const [rest, otherRest] = [one, other].map((manifest) => ({ ...manifest, container: null }));
	if (!isSameJson(rest, otherRest)) differences.push('settings of files');
	return [...new Set(differences)];
}

function isSamePart(key: string, one: IDataObject[string], other: IDataObject[string]): boolean {
	return key === 'recipients' ? isSameRule(one, other) : isSameJson(one ?? null, other ?? null);
}
