import { UserError, type IDataObject } from 'n8n-workflow';

import { findRules, parseRules, readRules, RULES } from '../../../shared/api/drmRules';
import type { ShownRules } from '../../../shared/api/drmRules';
import { toContainerKey } from '../../../shared/api/records';
import type { RuleKey } from '../../../shared/api/ruleValues';
import type { Client } from '../../../shared/client/client';
import { delay, takeBreak } from '../../../shared/client/delay';
import { buildPath } from '../../../shared/client/path';
import { endSentence, hasStatus, noteSentChange } from '../../../shared/errors/serviceError';
import { getDateInDays } from '../../../shared/parameters/dates';
import { shorten } from '../../../shared/parameters/values';
import { isFilled } from '../../../shared/responses/shapes';
import type { Item } from '../../execution/item';
import { findFixed, type RulesChange, type RulesPatch } from './ruleChanges';
import { findDifference, findEnd, listDropped } from './ruleDifference';

/** How long to wait for a read that shows the change, in milliseconds: ten seconds in all. */
const PAUSES = [250, 500, 1000, 2000, 4000, 2250];
/** A cache can show the old rules, with their old ETag, for seconds after a change. */
const PAUSES_BEFORE_TRIES = [0, ...PAUSES.slice(0, 4)];

export interface ContainerEntry {
	id: string;
	name?: string;
	/** Whether a list showed it: it can be deleted since. */
	isListed?: boolean;
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
 *
 * @returns the rules as the service shows them afterwards
 * @throws UserError where the rules can't change, or the service still gives more access than wanted
 */
export async function changeRules(item: Item, entry: ContainerEntry, task: RulesTask) {
	const rules = new ContainerRules(item, entry);
	return await item.runAlone(`rules ${toContainerKey(entry.id)}`, async () => {
		for (const pause of PAUSES_BEFORE_TRIES) {
			await delay(pause, item.run.signal);
			const result = await rules.change(task).catch((error: Error) => {
				if (hasStatus(error, 412)) return undefined;
				throw error;
			});
			if (result !== undefined) return result;
		}
		throw new UserError(`Somebody else keeps changing the rules of ${rules.title}`, {
			description: 'They changed each time before the node could send its change. Run it again.',
		});
	});
}

export function describeContainer(client: Client, { id, name }: ContainerEntry): string {
	const [shownId, shownName] = [id, name ?? ''].map((text) => shorten(client.redactLine(text)));
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
		const shown = await this.read(needs.includes('recipients'));
		// There can be many recipients.
		await takeBreak();
		this.assertClear(shown, needs);
		// Of an earlier try, the response can be lost.
		const sent = this.item.state.sent.get(this.entry.id) as RulesChange | undefined;
		if (sent?.isExtension && findEnd(sent, shown) === undefined) {
			return { changed: true, output: sent.output, shown };
		}
		const change = decide(shown, this.title);
		if (change?.patch === undefined) {
			return { changed: sent !== undefined, output: (sent ?? change)?.output, shown };
		}
		const fixed = findFixed(shown.rules, this.title);
		if (fixed !== undefined) throw fixed;
		const { output } = change;
		if (isDryRun) return { changed: false, output, shown };
		return { changed: true, output, shown: await this.send(change, shown) };
	}

	/** Sends a change, and returns the rules that show it. */
	private async send(change: RulesChange, { rules: before, etag }: ShownRules) {
		const { patch = {} } = change;
		const today = getDateInDays(0, this.item.timeZone);
		const isMade = (shown: ShownRules) => findDifference(change, before, shown) === undefined;
		const findDropped = (shown: ShownRules) => listDropped(before, patch, shown, today);
		const isWhole = (shown: ShownRules) => !isFilled(findDropped(shown));
		const { returned, message } = await this.patch(change, patch, etag);
		if (returned && isMade(returned) && isWhole(returned)) return returned;
		const needsRecipients = 'recipients' in patch || 'recipients' in before;
		let shown = await this.readUntil(isMade, needsRecipients);
		const dropped = findDropped(shown);
		if (isFilled(dropped)) {
			await this.patch(change, { ...dropped, ...patch });
			shown = await this.readUntil((read) => isMade(read) && isWhole(read), needsRecipients);
			const names = Object.keys(dropped).join(', ');
			if (!isWhole(shown)) throw createDroppedError(this.title, names);
			const hint = `The service dropped the rules that were not sent (${names}). The node restored them.`;
			this.item.run.addHint(hint);
		}
		this.report(change, before, shown, message);
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

	/** Reads the rules until they are as wanted, or no pause is left: a service can have replicas or a cache. */
	private async readUntil(isWanted: (shown: ShownRules) => boolean, needsRecipients: boolean) {
		try {
			for (const pause of PAUSES) {
				const shown = await this.read(needsRecipients);
				if (isWanted(shown)) return shown;
				await delay(pause, this.item.run.signal);
			}
			return await this.read(needsRecipients);
		} catch (error) {
			throw noteSentChange(error as Error);
		}
	}

	private async read(needsRecipients: boolean): Promise<ShownRules> {
		const { client, timeZone } = this.item;
		return await readRules(client, this.entry.id, { timeZone, needsRecipients });
	}

	/** @throws UserError where a rule that is needed can't be understood */
	private assertClear({ unclear }: ShownRules, needs: RuleKey[]): void {
		const rule = needs.find((key) => key in unclear);
		if (rule === undefined) return;
		const message = `The service shows "${rule}" of ${this.title} in a form that the node can't read`;
		throw new UserError(message, {
			description: `It is ${JSON.stringify(unclear[rule]).slice(0, 100)}. Nothing was changed. Look at the rules with the operation DRM > Get.`,
		});
	}

	/** @throws UserError where more people have access than wanted, or longer */
	private report(change: RulesChange, before: RulesPatch, shown: ShownRules, message?: string) {
		const difference = findDifference(change, before, shown);
		if (difference === undefined) return;
		const { isWider, text } = difference;
		if (!isWider) {
			const hint = `The service still shows the old rules of ${this.title}: ${text}.`;
			return this.item.run.addHint(hint);
		}
		const said = message && `The service answered: ${endSentence(shorten(message))}`;
		const look = 'Look at the rules with DRM > Get in a few minutes.';
		const texts = ['The node sent the change, and read the rules for ten seconds.', said, look];
		throw new UserError(`The service still shows ${text} for ${this.title}`, {
			description: [...texts, change.advice].filter(Boolean).join(' '),
		});
	}
}

function createDroppedError(title: string, names: string): UserError {
	return new UserError(`The service dropped other rules of ${title}: ${names}`, {
		description:
			'It replaces all rules by those that are sent, and does not show them although the node sent them again. Set them with DRM > Update.',
	});
}
