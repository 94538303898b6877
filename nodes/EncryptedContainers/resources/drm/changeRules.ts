import { UserError, type IDataObject, type INodeParameterResourceLocator } from 'n8n-workflow';

import type { DrmRules, ShownRules } from '../../../shared/api/drmRules';
import { findRules, parseRules, readRules } from '../../../shared/api/drmRules';
import { toContainerKey } from '../../../shared/api/records';
import type { RuleKey } from '../../../shared/api/ruleValues';
import type { ServiceClient } from '../../../shared/client/client';
import { delay, takeBreak } from '../../../shared/client/delay';
import { buildPath } from '../../../shared/client/path';
import { endSentence, hasStatus, noteSentChange } from '../../../shared/errors/nodeErrors';
import { getDateInDays } from '../../../shared/parameters/dates';
import { isExpression, shorten } from '../../../shared/parameters/values';
import type { Item } from '../../execution/item';
import type { Call } from '../../execution/operation';
import { findDifference, findFixed, listDropped } from './ruleChanges';
import type { RulesChange, RulesPatch } from './ruleChanges';

/** How long to wait for a read that shows the change, in milliseconds: ten seconds in all. */
const PAUSES = [250, 500, 1000, 2000, 4000, 2250];
const MAX_TRIES = 5;

export interface ContainerEntry {
	id: string;
	name?: string;
	/** Whether a list showed it: it can be deleted since. */
	isListed?: boolean;
}

/** What an item sent, kept until it shows: the response can be lost. */
interface SentChange {
	change: RulesChange;
	before: DrmRules;
}

export interface RulesTask {
	/** The rules that must be understood. */
	needs: RuleKey[];
	/** Decides by the current rules of a container, which a message calls `container`; undefined where it is not concerned. */
	decide(shown: ShownRules, container: string): RulesChange | undefined;
}

/**
 * Reads the rules of a container, and sends what has to change, after all other items and executions of this n8n that do.
 *
 * @returns the rules as the service shows them afterwards
 * @throws UserError where the rules can't change, or the service still gives more access than wanted
 */
export async function changeRules(call: Call, entry: ContainerEntry, task: RulesTask) {
	return await call.runAlone(`rules ${toContainerKey(entry.id)}`, async () => {
		for (let tries = 1; ; tries += 1) {
			const container = new Container(call, entry, task);
			const result = await tryToChange(container, task).catch((error: Error) => {
				// Somebody else changed the rules after they were read.
				if (hasStatus(error, '412') && tries < MAX_TRIES) return undefined;
				throw error;
			});
			if (result !== undefined) return result;
		}
	});
}

async function tryToChange(container: Container, { decide }: RulesTask) {
	const { title } = container;
	const shown = await container.read();
	// There can be many recipients.
	await takeBreak();
	const lost = container.findLost(shown);
	if (lost !== undefined) return { changed: true, output: lost.output, shown };
	const change = decide(shown, title);
	const { patch, output } = change ?? {};
	if (change === undefined || patch === undefined) return { changed: false, output, shown };
	const fixed = findFixed(shown.rules, title);
	if (fixed !== undefined) throw fixed;
	return { changed: true, output, shown: await container.send(change, shown) };
}

/** The container of an item, with the name that the list in the editor showed. */
export function getChosenContainer(item: Item, id: string): ContainerEntry {
	const locator = (item.getRawParameter('containerId') ?? {}) as INodeParameterResourceLocator;
	const isChosen = locator.mode === 'list' && !isExpression(locator.value);
	return { id, name: isChosen ? locator.cachedResultName || undefined : undefined };
}

export function describeContainer(client: ServiceClient, { id, name }: ContainerEntry): string {
	const [shownId, shownName] = [id, name ?? ''].map((text) => shorten(client.redactLine(text)));
	return name === undefined ? `the container "${shownId}"` : `"${shownName}" (${shownId})`;
}

/** The rules of one container, as an item reads and changes them. */
class Container {
	readonly id;
	/** What a message calls it. */
	readonly title;
	private readonly sent;

	constructor(
		private readonly call: Call,
		private readonly entry: ContainerEntry,
		private readonly task: RulesTask,
	) {
		this.id = entry.id;
		this.title = describeContainer(call.client, entry);
		this.sent = call.item.state.sent;
	}

	/** @throws UserError where a rule that is needed can't be understood */
	async read(): Promise<ShownRules> {
		const { needs } = this.task;
		const shown = await this.fetch(needs.includes('recipients'));
		const unclear = needs.find((key) => key in shown.unclear);
		if (unclear === undefined) return shown;
		const value = JSON.stringify(shown.unclear[unclear]).slice(0, 100);
		const message = `The service shows "${unclear}" of ${this.title} in a form that the node can't read`;
		throw new UserError(message, {
			description: `It is ${value}. Nothing was changed. Look at the rules with the operation DRM > Get.`,
		});
	}

	/** What the item sent in an earlier try, if it shows although the response was lost. */
	findLost(shown: ShownRules): RulesChange | undefined {
		const sent = this.sent.get(this.id) as SentChange | undefined;
		const isMade = sent && findDifference(sent.change, sent.before, shown) === undefined;
		return isMade ? sent.change : undefined;
	}

	/** Sends a change, and returns the rules that show it. */
	async send(change: RulesChange, { rules: before, etag }: ShownRules): Promise<ShownRules> {
		const { patch = {} } = change;
		const today = getDateInDays(0, this.call.item.timeZone);
		const find = (shown: ShownRules) => findDifference(change, before, shown);
		const isWhole = (shown: ShownRules) =>
			Object.keys(listDropped(before, patch, shown, today)).length === 0;
		// Whether it shows where the response is lost: what was there before proves nothing.
		const remember = () => {
			const isVisible = find({ rules: before, unclear: {}, tolerance: 0, record: {} });
			if (isVisible) this.sent.set(this.id, { change, before });
		};
		const { shown: returned, message } = await this.patch(patch, etag, remember);
		remember();
		if (returned && find(returned) === undefined && isWhole(returned)) {
			this.sent.delete(this.id);
			return returned;
		}
		let shown = await this.readUntil((read) => find(read) === undefined, patch);
		const dropped = listDropped(before, patch, shown, today);
		if (Object.keys(dropped).length > 0) {
			await this.patch({ ...dropped, ...patch }, undefined, remember);
			shown = await this.readUntil((read) => find(read) === undefined && isWhole(read), patch);
			this.reportDropped(Object.keys(dropped), isWhole(shown));
		}
		this.report(find(shown), message);
		this.sent.delete(this.id);
		return shown;
	}

	private async patch(json: RulesPatch, etag: string | undefined, onUnknownOutcome: () => void) {
		const { id, name } = this.entry;
		const { object, message } = await this.call.client.requestChange({
			method: 'PATCH',
			path: buildPath(['containers', id, 'drm']),
			action: 'change the rules of the container',
			json: json as IDataObject,
			secrets: this.call.item.sensitiveValues,
			headers: etag === undefined ? {} : { 'If-Match': etag },
			subject: { containerId: id, containerName: name },
			onUnknownOutcome,
		});
		await takeBreak();
		const found = findRules(object);
		return { shown: found && parseRules(found, this.call.item.timeZone), message };
	}

	/** Reads the rules until they are as wanted, or no pause is left: a service can have replicas or a cache. */
	private async readUntil(isWanted: (shown: ShownRules) => boolean, patch: RulesPatch) {
		const read = async () =>
			await this.fetch('recipients' in patch).catch((error: Error) => {
				throw noteSentChange(error);
			});
		for (const pause of PAUSES) {
			const shown = await read();
			if (isWanted(shown)) return shown;
			await delay(pause, this.call.run.signal);
		}
		return await read();
	}

	private async fetch(needsRecipients: boolean): Promise<ShownRules> {
		const { client, item } = this.call;
		return await readRules(client, this.id, { timeZone: item.timeZone, needsRecipients });
	}

	private reportDropped(names: string[], isRestored: boolean): void {
		const dropped = names.join(', ');
		if (!isRestored) {
			throw new UserError(`The service dropped other rules of ${this.title}: ${dropped}`, {
				description:
					'It replaces all rules by those that are sent. The node sent them again, but the service does not show them. Set them with DRM > Update.',
			});
		}
		this.call.run.addHint(
			`The service dropped the rules that were not sent (${dropped}). The node restored them.`,
		);
	}

	/** @throws UserError where more people have access than wanted, or longer */
	private report(difference: ReturnType<typeof findDifference>, message?: string): void {
		if (difference === undefined) return;
		const { isWider, text } = difference;
		if (!isWider) {
			const hint = `The service still shows the old rules of ${this.title}: ${text}.`;
			return this.call.run.addHint(hint);
		}
		const said = message ? ` The service answered: ${endSentence(shorten(message))}` : '';
		throw new UserError(`The service still shows ${text} for ${this.title}`, {
			description: `The node sent the change, and read the rules for ten seconds.${said} Look at the rules with DRM > Get in a few minutes.`,
		});
	}
}
