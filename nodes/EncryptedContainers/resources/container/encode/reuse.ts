import { UserError, type IDataObject } from 'n8n-workflow';

import { fetchShownRules, findRules, parseRules } from '../../../../shared/api/drmRules';
import { getContainerIdentity } from '../../../../shared/api/records';
import { isSameRule, parseRule } from '../../../../shared/api/ruleValues';
import { isEndOfDay, isNoDate, parseServiceDate } from '../../../../shared/parameters/dates';
import { listSome } from '../../../../shared/parameters/values';
import { isRecord } from '../../../../shared/responses/shapes';
import type { Call } from '../../../execution/operation';

const COMPARED = ['recipients', 'time'];

/** @throws UserError for other recipients, another end, or download: people might have access who should not, or none */
export async function assertSameAccess(call: Call, existing: IDataObject, wanted: IDataObject) {
	const { client, item } = call;
	const { id, name } = getContainerIdentity(existing);
	if (id === undefined) {
		throw new UserError(`A container named "${name}" already exists, but the list shows no ID`, {
			description: 'Nothing was uploaded. Its access rules can only be compared by its ID.',
		});
	}
	// The manifest has the rules where responses have them, too.
	const found = findRules(wanted);
	const { rules: asked, problem } =
		found.rules === undefined ? { rules: {}, problem: found.problem } : parseRules(found, COMPARED);
	if (problem !== undefined) {
		throw new UserError(`"Manifest (JSON)" contains ${problem}, which can't be compared`, {
			description:
				'Nothing was uploaded. "Reuse Existing" compares the recipients and the end with those of the existing container. Enter them as the service documents them.',
		});
	}
	const { rules: shown } = await fetchShownRules(client, id, COMPARED, []);
	const kinds: string[] = [];
	const texts: string[] = [];
	if (!isSameRule(asked.recipients, shown.recipients)) {
		const [before, now] = [shown, asked].map(
			({ recipients }) => listSome(recipients ?? []) || 'nobody in particular',
		);
		kinds.push('other recipients');
		texts.push(`Its recipients are ${before} instead of ${now}.`);
	}
	if (!isSameEnd(asked.time?.end, shown.time?.end, item.timeZone)) {
		const [before, now] = [shown, asked].map(({ time }) => describeDay(time?.end));
		kinds.push('another end');
		texts.push(`Its last day is ${before} instead of ${now}.`);
	}
	// The record has it where the manifest has it.
	const record = isRecord(existing.container) ? existing.container : existing;
	const { downloadable = record.downloadable } = shown;
	if (found.rules?.downloadable === false && parseRule('downloadable', downloadable) === true) {
		kinds.push('download');
		texts.push('Its files can be downloaded.');
	}
	if (kinds.length === 0) return;
	throw new UserError(`A container named "${name}" already exists with ${kinds.join(' and ')}`, {
		description: `Nothing was uploaded. ${texts.map((text) => client.redactLine(text)).join(' ')} Change the rules of the container with DRM > Update (its ID is ${client.redactLine(id)}), or use another name.`,
	});
}

/** A service can show a day as a moment. */
function isSameEnd(asked: unknown, shown: unknown, timeZone: string): boolean {
	if (isSameRule(asked, shown)) return true;
	const day = parseServiceDate(asked);
	if (day === undefined) return isNoDate(asked) && isNoDate(shown);
	const days = [parseServiceDate(shown), parseServiceDate(shown, timeZone)];
	return isEndOfDay(shown, day) || days.includes(day);
}

function describeDay(day: unknown): string {
	return parseServiceDate(day) ?? (isNoDate(day) ? 'not set' : JSON.stringify(day));
}
