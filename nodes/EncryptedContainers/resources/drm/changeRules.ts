import { UserError, type IDataObject } from 'n8n-workflow';

import { findRules, parseRules, readRules, RULES } from '../../../shared/api/drmRules';
import type { RuleKey, ShownRules } from '../../../shared/api/drmRules';
import { toContainerKey } from '../../../shared/api/records';
import type { Client } from '../../../shared/client/client';
import { delay } from '../../../shared/client/delay';
import { endSentence, hasStatus, noteSentChange } from '../../../shared/errors/errors';
import { getDateInDays } from '../../../shared/parameters/dates';
import { buildPath } from '../../../shared/parameters/requests';
import { shorten } from '../../../shared/parameters/values';
import { takeBreak } from '../../../shared/responses/takeBreak';
import type { Item } from '../../execution/item';
import { findDifference, findEnd, findFixed } from './ruleChanges';
import type { RulesChange, RulesPatch } from './ruleChanges';

/** How long to wait for a read that shows the change, in milliseconds: ten seconds in all. */
const PAUSES = [250, 500, 1000, 2000, 4000, 2250];
/** A cache can show the old rules, with their old ETag, for seconds after a change. */
const PAUSES_BEFORE_TRIES = [0, ...PAUSES.slice(0, 4)];

export interface ContainerEntry {
	id: string;
	name?: string;
}

export interface RulesTask {
	/** The rules that must be understood. */
	needs: RuleKey[];
	/** Decides by the current rules of a container, which a message calls `title`; undefined where it is not concerned. */
	decide(shown: ShownRules, title: string): RulesChange | undefined;
	isDryRun?: boolean;
}

/**
 * Reads the rules of a container, and sends what has to change, after all other items and executions of this n8n that do.
 * @throws UserError where the rules can't change, or the service still gives more access than wanted
 */
export async function changeRules(item: Item, entry: ContainerEntry, task: RulesTask) {
	const rules = new ContainerRules(item, entry);
	return await item.runAlone(`rules ${toContainerKey(entry.id)}`, async () => {
		for (const pause of PAUSES_BEFORE_TRIES) {
			await delay(pause, item.run.signal);
			const result = await rules.change(task).catch((error: unknown) => {
				if (!hasStatus(error, 412)) throw error;
			});
			if (result !== undefined) return result;
		}
		throw new UserError(`Somebody else keeps changing the rules of ${rules.title}`, {
			description: 'They changed each time before the node could send its change. Run it again.',
		});
	});
}

export function describeContainer(client: Client, { id, name }: ContainerEntry): string {
	const [shownId, shownName] = [id, name ?? ''].map((text) =>
		shorten(client.redactor.redactLine(text)),
	);
	return name === undefined ? `the container "${shownId}"` : `"${shownName}" (${shownId})`;
}

/** The rules of one container, as an item reads and changes them. */
class ContainerRules {
	readonly title;

	constructor(
		private readonly item: Item,
		private readonly entry: ContainerEntry,
	) {
		this.title = describeContainer(item.client, entry);
	}

	async change({ needs, decide, isDryRun }: RulesTask) {
		const { item, entry, title } = this;
		const shown = await this.read(needs.includes('recipients'));
		// There can be many recipients.
		await takeBreak();
		const odd = needs.find((key) => key in shown.unclear);
		if (odd !== undefined) {
			const message = `The service shows "${odd}" of ${title} in a form that the node can't read`;
			throw new UserError(message, {
				description: `It is ${JSON.stringify(shown.unclear[odd]).slice(0, 100)}. Nothing was changed. Look at the rules with the operation Access Rules (DRM) > Get.`,
			});
		}
		// Of an earlier try, the response can be lost.
		const sent = item.state.sent.get(entry.id) as RulesChange | undefined;
		const isExtended = sent?.isExtension && findEnd(sent, shown) === undefined;
		const change = isExtended ? undefined : decide(shown, title);
		if (change?.patch === undefined) {
			return { changed: sent !== undefined, output: (sent ?? change)?.output, shown };
		}
		const { output } = change;
		const fixed = findFixed(shown.rules, title);
		if (fixed !== undefined) throw fixed;
		if (isDryRun) return { changed: false, output, shown };
		return { changed: true, output, shown: await this.send(change, shown) };
	}

	private async read(needsRecipients: boolean): Promise<ShownRules> {
		const { client, timeZone } = this.item;
		return await readRules(client, this.entry.id, { timeZone, needsRecipients });
	}

	/** Sends a change, and gives back what the service dropped. @returns the rules that show it */
	private async send(change: RulesChange, current: ShownRules): Promise<ShownRules> {
		const { item, title } = this;
		const { rules: before, etag } = current;
		const { patch = {}, advice } = change;
		const today = getDateInDays(0, item.timeZone);
		const needsRecipients = 'recipients' in patch || 'recipients' in before;
		const find = (shown: ShownRules) => findDifference(change, before, shown, today);
		const { returned, message } = await this.patch(change, patch, etag);
		if (returned && !find(returned)) return returned;
		let shown = current;
		let difference: ReturnType<typeof find>;
		let restored = '';
		try {
			// A service can have replicas or a cache.
			for (const pause of [0, ...PAUSES]) {
				const dropped = difference?.dropped;
				if (dropped !== undefined && restored === '') {
					restored = Object.keys(dropped).join(', ');
					await this.patch(change, { ...dropped, ...patch });
				} else await delay(pause, item.run.signal);
				shown = await this.read(needsRecipients);
				difference = find(shown);
				if (difference === undefined) break;
			}
		} catch (error) {
			throw noteSentChange(error as Error);
		}
		const { isWider, text } = difference ?? {};
		if (isWider) {
			const texts = [
				'The node sent the change, and read the rules for ten seconds.',
				message && `The service answered: ${endSentence(shorten(message))}`,
				restored &&
					`It dropped rules that were not sent (${restored}), also when they were sent again.`,
				'Look at the rules with Access Rules (DRM) > Get in a few minutes.',
				advice,
			];
			throw new UserError(`The service still shows ${text} for ${title}`, {
				description: texts.filter(Boolean).join(' '),
			});
		}
		if (restored !== '') {
			const hint = `The service dropped the rules that were not sent (${restored}). The node restored them.`;
			item.run.addHint(hint);
		}
		if (text) item.run.addHint(`The service still shows the old rules of ${title}: ${text}.`);
		return shown;
	}

	private async patch(change: RulesChange, json: RulesPatch, etag?: string) {
		const { item, entry } = this;
		const remember = () => item.state.sent.set(entry.id, change);
		const { object, message } = await item.client.requestChange({
			method: 'PATCH',
			path: buildPath(['containers', entry.id, 'drm']),
			action: 'change the rules of the container',
			json: json as IDataObject,
			secrets: item.sensitiveValues,
			headers: etag === undefined ? {} : { 'If-Match': etag },
			subject: { containerId: entry.id, containerName: entry.name },
			expected: RULES,
			onUnknownOutcome: remember,
		});
		remember();
		await takeBreak();
		const found = findRules(object);
		return found ? { returned: parseRules(found, item.timeZone) } : { message };
	}
}
