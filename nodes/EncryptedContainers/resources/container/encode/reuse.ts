import { UserError, type IDataObject } from 'n8n-workflow';

import { parseRules, readRules, type ShownRules } from '../../../../shared/api/drmRules';
import type { ListEntry } from '../../../../shared/api/lists';
import { isSameRule, isSet } from '../../../../shared/api/ruleValues';
import { listSome } from '../../../../shared/parameters/values';
import { isRecord } from '../../../../shared/responses/shapes';
import type { Call } from '../../../execution/operation';

/** The error for other recipients, another end, or download: people might have access who should not, or none. */
export async function compareAccess(
	{ client, item }: Call,
	{ id, name = '' }: ListEntry,
	container: IDataObject,
): Promise<UserError | undefined> {
	const { timeZone } = item;
	const drm = isRecord(container.drm) ? container.drm : {};
	const asked = getAccess(parseRules({ ...drm, ...container }, timeZone));
	const shown = getAccess(await readRules(client, id, { timeZone, needsRecipients: false }));
	const differences: Array<[kind: string, text: string]> = [];
	if (!isSameRule(asked.recipients, shown.recipients)) {
		const [now, before] = [asked, shown].map(({ recipients }) => describe(recipients, 'nobody'));
		differences.push(['other recipients', `Its recipients are ${before} instead of ${now}.`]);
	}
	if (!isSameRule(asked.end, shown.end)) {
		const [now, before] = [asked, shown].map(({ end }) => describe(end, 'not set'));
		differences.push(['another end', `Its last day is ${before} instead of ${now}.`]);
	}
	const canDownload = isSet(shown.downloadable) && shown.downloadable !== false;
	if (canDownload && asked.downloadable !== true) {
		differences.push(['download', 'Its files can be downloaded.']);
	}
	if (differences.length === 0) return undefined;
	const kinds = differences.map(([kind]) => kind).join(' and ');
	const texts = client.redactLine(differences.map(([, text]) => text).join(' '));
	return new UserError(
		`A container named "${client.redactLine(name)}" already exists with ${kinds}`,
		{
			description: `Nothing was uploaded. ${texts} Change the rules of the container with DRM > Update (its ID is ${client.redactLine(id)}), or use another name.`,
		},
	);
}

/** What can't be understood stays as it came: it is not the same as nothing. */
function getAccess({ rules, unclear }: ShownRules) {
	return {
		recipients: rules.recipients ?? unclear.recipients,
		end: rules.time?.end ?? unclear.time,
		downloadable: rules.downloadable ?? unclear.downloadable,
	};
}

function describe(value: unknown, nothing: string): string {
	const texts = [value ?? []]
		.flat()
		.map((one) => (isRecord(one) ? JSON.stringify(one) : String(one)));
	return listSome(texts) || nothing;
}
