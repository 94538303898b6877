import { UserError, type IDataObject } from 'n8n-workflow';

import {
	isSameRule,
	parseRules,
	readRules,
	type ShownRules,
} from '../../../../shared/api/drmRules';
import { CONTAINER_LIST, fetchEntries, type ListEntry } from '../../../../shared/api/lists';
import type { QueryParameters } from '../../../../shared/parameters/requests';
import { listSome } from '../../../../shared/parameters/values';
import { isObject, isRecord } from '../../../../shared/responses/shapes';
import type { Item } from '../../../execution/item';

/** Services can store a name in another Unicode form than a file name has on macOS, and without spaces around it. */
export function toNameKey(name: string): string {
	return name.normalize().trim();
}

/** The containers with a name. The service looks for it anywhere in theirs. */
export async function findByName(item: Item, name: string): Promise<ListEntry[]> {
	const query: QueryParameters = [['name', name.trim()]];
	const userId = await item.getUserId();
	const entries = await fetchEntries(item.client, CONTAINER_LIST, userId, { query });
	return entries.filter((entry) => toNameKey(entry.name ?? '') === toNameKey(name));
}

export function existsError({ client }: Item, { id, name = '' }: ListEntry): UserError {
	return new UserError(`A container named "${client.redactLine(name)}" already exists`, {
		description: `Nothing was uploaded. The ID of the existing container is ${client.redactLine(id)}. Change "Container Name", delete the existing container, or set "If Container Exists" to Reuse Existing.`,
	});
}

/** The error for other recipients, another end, or download: people might have access who should not, or none. */
export async function compareAccess(
	{ client, timeZone }: Item,
	{ id, name = '' }: ListEntry,
	container: IDataObject,
): Promise<UserError | undefined> {
	const drm = isRecord(container.drm) ? container.drm : {};
	const asked = getAccess(parseRules({ ...drm, ...container }, timeZone));
	const shown = getAccess(await readRules(client, id, { timeZone, needsRecipients: false }));
	const differences = (['recipients', 'last day'] as const)
		.filter((what) => !isSameRule(asked[what], shown[what]))
		.map((what) => `Its ${what}: ${describe(shown[what])} instead of ${describe(asked[what])}.`);
	// Without the rule, files can be downloaded.
	if (shown.downloadable !== false && asked.downloadable === false) {
		differences.push('Its files can be downloaded.');
	}
	if (differences.length === 0) return undefined;
	return new UserError(
		`A container named "${client.redactLine(name)}" already exists with other access rules`,
		{
			description: `Nothing was uploaded. ${client.redactLine(differences.join(' '))} Change the rules of the container with Access Rules (DRM) > Update (its ID is ${client.redactLine(id)}), or use another name.`,
		},
	);
}

/** What can't be understood stays as it came: it is not the same as nothing. */
function getAccess({ rules, unclear }: ShownRules) {
	return {
		recipients: rules.recipients ?? unclear.recipients,
		'last day': rules.time?.end ?? unclear.time,
		downloadable: rules.downloadable ?? unclear.downloadable,
	};
}

function describe(value: unknown): string {
	const texts = [value ?? []]
		.flat()
		.map((one) => (isObject(one) ? JSON.stringify(one) : String(one)));
	return listSome(texts) || 'none';
}
