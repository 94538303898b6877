import type { IDataObject, IExecutePaginationFunctions } from 'n8n-workflow';

import { isSameRule } from '../../../../shared/api/ruleValues';
import { createInputError } from '../../../../shared/errors/nodeErrors';
import { isSameJson } from '../../../../shared/responses/canonicalJson';
import { getInputItems } from '../../../execution/runContext';
import { createParameterReader, hasExpression } from './itemParameters';
import type { Manifest } from './manifest';
import { getManifest } from './manifest';

const MAX_LISTED = 10;

/** What a container has once, in words for a message, by key in the manifest. */
const PARTS: Record<string, string> = {
	name: 'container names',
	recipients: 'recipients',
	password: 'passwords',
};

/**
 * Checks that all items ask for the same container, since their files go into one.
 *
 * @param context the context of the first item
 * @throws NodeOperationError that names the items which differ
 */
export function assertSameManifest(context: IExecutePaginationFunctions): void {
	const items = getInputItems(context);
	if (items.length < 2 || !hasExpression(context.getNode().parameters)) return;
	const read = createParameterReader(context);
	const parse = (_item: unknown, itemIndex: number) => {
		try {
			return getManifest(read(itemIndex), context.getTimezone());
		} catch (error) {
			const { message, description } = error as Error & { description?: string };
			throw createInputError(context.getNode(), { message, description, itemIndex });
		}
	};
	const [first, ...others] = items.map(parse);
	const differences = others.map((manifest) => listDifferences(first, manifest));
	if (differences.every(({ length }) => length === 0)) return;
	// What changes with the time, such as $now, differs between two readings of one item too.
	const unstable = new Set(listDifferences(first, parse(undefined, 0)));
	const parts = [...new Set(differences.flat())].filter((part) => !unstable.has(part));
	if (parts.length === 0) return;
	const different = differences.flatMap((found, index) =>
		found.some((part) => parts.includes(part)) ? [index + 1] : [],
	);
	throw createInputError(context.getNode(), {
		message: `The items have different ${parts.join(' and ')}, but go into one container`,
		description: `${describeItems(different)} not the same as item 0. Use the same values for all items, for example {{ $input.first().json.name }}, or set "Container Mode" to One Container per Item.`,
		itemIndex: different[0],
	});
}

function listDifferences(one: Manifest, other: Manifest): string[] {
	const differences = Object.keys({ ...one.container, ...other.container })
		.filter((key) => !isSamePart(key, one.container[key], other.container[key]))
		.map((key) => PARTS[key] ?? 'access rules');
	const [rest, otherRest] = [one, other].map((manifest) => ({ ...manifest, container: null }));
	return isSameJson(rest, otherRest) ? differences : [...differences, 'settings of files'];
}

function isSamePart(key: string, one: IDataObject[string], other: IDataObject[string]): boolean {
	return key === 'recipients' ? isSameRule(one, other) : isSameJson(one ?? null, other ?? null);
}

function describeItems(indexes: number[]): string {
	const listed = indexes.slice(0, MAX_LISTED).join(', ');
	if (indexes.length === 1) return `Item ${listed} is`;
	const more = indexes.length - MAX_LISTED;
	return `Items ${listed}${more > 0 ? ` and ${more} more` : ''} are`;
}
