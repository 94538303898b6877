import { UserError, type IDataObject } from 'n8n-workflow';

import { fetchRules } from '../../../../shared/api/drmRules';
import type { ListEntry } from '../../../../shared/api/lists';
import { isSameRule, parseRule } from '../../../../shared/api/ruleValues';
import { isNoDate, parseServiceDate } from '../../../../shared/parameters/dates';
import { listSome } from '../../../../shared/parameters/values';
import { isRecord } from '../../../../shared/responses/shapes';
import type { Call } from '../../../execution/operation';

/** The error for other recipients, another end, or download: people might have access who should not, or none. */
export async function compareAccess(
	{ client, item }: Call,
	{ id, name = '' }: ListEntry,
	wanted: IDataObject,
): Promise<UserError | undefined> {
	const asked = readAccess({ ...(isRecord(wanted.drm) ? wanted.drm : {}), ...wanted });
	const shown = readAccess(await fetchRules(client, id));
	const differences: Array<[kind: string, text: string]> = [];
	if (!isSameRule(asked.recipients, shown.recipients)) {
		const [now, before] = [asked, shown].map(({ recipients }) => describeRecipients(recipients));
		differences.push(['other recipients', `Its recipients are ${before} instead of ${now}.`]);
	}
	if (!isSameEnd(asked.end, shown.end, item.timeZone)) {
		const [now, before] = [asked, shown].map(({ end }) => describeDay(end));
		differences.push(['another end', `Its last day is ${before} instead of ${now}.`]);
	}
	if (shown.isDownloadable && !asked.isDownloadable) {
		differences.push(['download', 'Its files can be downloaded.']);
	}
	if (differences.length === 0) return undefined;
	const kinds = differences.map(([kind]) => kind).join(' and ');
	const texts = differences.map(([, text]) => client.redactLine(text)).join(' ');
	return new UserError(
		`A container named "${client.redactLine(name)}" already exists with ${kinds}`,
		{
			description: `Nothing was uploaded. ${texts} Change the rules of the container with DRM > Update (its ID is ${client.redactLine(id)}), or use another name.`,
		},
	);
}

/** What can't be understood stays as it is: it is not the same as nothing. */
function readAccess({ recipients, time, downloadable }: IDataObject) {
	return {
		recipients: parseRule('recipients', recipients) ?? recipients,
		end: isRecord(time) ? time.end : time,
		isDownloadable: parseRule('downloadable', downloadable) === true,
	};
}

/** A service can show a day as a moment. */
function isSameEnd(asked: unknown, shown: unknown, timeZone: string): boolean {
	if (isNoDate(asked)) return isNoDate(shown);
	const day = parseServiceDate(asked);
	const days = [parseServiceDate(shown), parseServiceDate(shown, timeZone)];
	return day !== undefined && days.includes(day);
}

function describeDay(end: unknown): string {
	return parseServiceDate(end) ?? (isNoDate(end) ? 'not set' : JSON.stringify(end));
}

function describeRecipients(recipients: unknown): string {
	const texts = [recipients ?? []]
		.flat()
		.map((entry) => (isRecord(entry) ? JSON.stringify(entry) : String(entry)));
	return listSome(texts) || 'nobody in particular';
}
