import { UserError, type IDataObject } from 'n8n-workflow';

import type { DrmRules } from '../../../../shared/api/drmRules';
import { fetchShownRules, findRules, parseRules } from '../../../../shared/api/drmRules';
import { getContainerIdentity } from '../../../../shared/api/records';
import { isSameRule } from '../../../../shared/api/ruleValues';
import { isNotFound } from '../../../../shared/errors/nodeErrors';
import { isEndOfDay, isNoDate, parseServiceDate } from '../../../../shared/parameters/dates';
import type { Call } from '../../../execution/operation';
import { listSome } from '../../../../shared/parameters/values';

const COMPARED = ['recipients', 'time'];

/**
 * Compares what an existing container shows of its recipients and of its end with what was asked for.
 *
 * @param wanted the manifest's container
 * @returns whether the container exists: it may have been deleted after the list was fetched
 * @throws UserError that states the difference: people might have access who should not, or the other way around
 */
export async function assertSameAccess(
	{ client, item }: Call,
	existing: IDataObject,
	wanted: IDataObject,
): Promise<boolean> {
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
	if (problem !== undefined) throw incomparableError(problem);
	const shown = await fetchShownRules(client, id, COMPARED, []).catch((error: unknown) => {
		if (isNotFound(error)) return undefined;
		throw error;
	});
	if (shown === undefined) return false;
	const { rules: current } = shown;
	const differences = [
		...compareRecipients(asked, current),
		...compareEnd(asked, current, item.timeZone),
	];
	if (differences.length === 0) return true;
	const kinds = differences.map(({ kind }) => kind).join(' and ');
	throw new UserError(`A container named "${name}" already exists with ${kinds}`, {
		description: `Nothing was uploaded. ${differences.map(({ text }) => client.redactLine(text)).join(' ')} Change the rules of the container with DRM > Update (its ID is ${client.redactLine(id)}), or use another name.`,
	});
}

interface Difference {
	kind: string;
	text: string;
}

function compareRecipients(asked: DrmRules, current: DrmRules): Difference[] {
	if (isSameRule(asked.recipients, current.recipients)) return [];
	const [wanted, found] = [asked, current].map(
		({ recipients }) => listSome(recipients ?? []) || 'nobody in particular',
	);
	return [{ kind: 'other recipients', text: `Its recipients are ${found} instead of ${wanted}.` }];
}

function compareEnd(asked: DrmRules, current: DrmRules, timeZone: string): Difference[] {
	const [wanted, found]: unknown[] = [asked.time?.end, current.time?.end];
	if (isSameRule(wanted, found)) return [];
	const day = parseServiceDate(wanted);
	// A service can show a day as a moment.
	const isSame =
		day === undefined
			? isNoDate(wanted) && isNoDate(found)
			: isEndOfDay(found, day) ||
				[parseServiceDate(found), parseServiceDate(found, timeZone)].includes(day);
	if (isSame) return [];
	const text = `Its last day is ${describeDay(found)} instead of ${describeDay(wanted)}.`;
	return [{ kind: 'another end', text }];
}

function describeDay(day: unknown): string {
	return parseServiceDate(day) ?? (isNoDate(day) ? 'not set' : JSON.stringify(day));
}

function incomparableError(problem: string): UserError {
	return new UserError(`"Manifest (JSON)" contains ${problem}, which can't be compared`, {
		description:
			'Nothing was uploaded. "Reuse Existing" compares the recipients and the end with those of the existing container. Enter them as the service documents them.',
	});
}
