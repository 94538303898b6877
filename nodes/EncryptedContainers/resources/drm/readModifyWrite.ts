import { randomUUID } from 'crypto';
import { UserError, type IDataObject } from 'n8n-workflow';

import { hasFeature } from '../../../shared/api/features';
import { findRules, parseRules, readRules, RULES } from '../../../shared/api/shownRules';
import type { RuleKey, ShownRules } from '../../../shared/api/shownRules';
import { toContainerKey } from '../../../shared/api/records';
import { acceptChange } from '../../../shared/client/accept';
import type { ServiceRequest } from '../../../shared/client/client';
import { delay } from '../../../shared/client/delay';
import { endpoints, toRequest } from '../../../shared/client/endpoints';
import { endSentence, hasStatus, isInDoubt } from '../../../shared/errors/errors';
import type { Doubt } from '../../../shared/errors/failure';
import { addDays, getDateInDays } from '../../../shared/parameters/dates';
import { shorten } from '../../../shared/parameters/values';
import { takeBreak } from '../../../shared/responses/takeBreak';
import { RULE_LABELS } from '../../descriptions/ruleFields';
import type { Item } from '../../execution/item';
import { findDifference, type Difference } from './differences';
import { getEnd } from './ruleChanges';
import type { RulesChange, RulesPatch } from './ruleChanges';

/** Before each read of rules, in milliseconds: a replica or a cache can show the old ones, with their ETag, for seconds. */
const PAUSES = [0, 250, 500, 1000, 2000, 4000, 2250];
const MAX_TRIES = 5;

export interface ContainerEntry {
	id: string;
	name?: string;
	/** As the list has it. */
	record?: IDataObject;
}

type Container = ContainerEntry & { item: Item; title: string };

export interface RulesTask {
	/** The rules that must be understood. */
	needs: RuleKey[];
	/** Decides by the current rules of a container, which a message calls `title`; undefined where it is not concerned. */
	decide(shown: ShownRules, title: string): RulesChange | undefined;
	/** Then nothing is sent, also not again. */
	isDryRun?: boolean;
}

/** What is kept for later tries of a change that was sent. */
interface SentChange {
	change: RulesChange;
	/** The rules by which it was decided. */
	current: ShownRules;
	/** Where the service recognizes it by that: what was sent with it is made once, however often it comes. */
	idempotencyKey?: string;
	isInDoubt?: boolean;
}

/**
 * Reads the rules of a container, and sends what has to change, after all other items and executions of this n8n that do.
 * @throws UserError where the rules can't change, or the service still gives more access than wanted
 */
export async function readModifyWrite(item: Item, entry: ContainerEntry, task: RulesTask) {
	const title = describeContainer(item, entry);
	return await item.runAlone(`rules ${toContainerKey(entry.id)}`, async () => {
		for (const pause of PAUSES.slice(0, MAX_TRIES)) {
			await delay(pause, item.execution.signal);
			const trying = readAndChange({ ...entry, item, title }, task);
			const result = await trying.catch((error: unknown) => {
				if (!hasStatus(error, 412)) throw error;
			});
			if (result !== undefined) return result;
		}
		throw new UserError(`The service did not change the rules of ${title}`, {
			description:
				'Each time, it answered that they had changed since the node read them. Somebody else might be changing them: run the workflow again. If the error persists, a proxy might change the ETag header of responses: ask the operator of the service.',
		});
	});
}

export function describeContainer({ client }: Item, entry: ContainerEntry): string {
	const { id, name } = client.redactor.redactLines({ id: entry.id, name: entry.name });
	if (name === undefined) return `the container "${shorten(id)}"`;
	return `"${shorten(name)}" (${shorten(id)})`;
}

async function readAndChange(container: Container, { needs, decide, isDryRun }: RulesTask) {
	const { item, id, title } = container;
	const { client, timeZone } = item;
	// Of an earlier try, the response can be lost.
	const sent = item.recallChange(id) as SentChange | undefined;
	if (!isDryRun && sent?.isInDoubt && sent.idempotencyKey !== undefined) {
		const verified = await sendAndVerify(container, sent);
		return { changed: true, output: sent.change.output, shown: verified };
	}
	const needsRecipients = needs.includes('recipients');
	const shown = await readRules(client, id, { timeZone, needsRecipients });
	assertReadable(shown, needs, title);
	const { extendedTo } = sent?.change ?? {};
	const isExtended = extendedTo && getEnd(shown.rules) >= addDays(extendedTo, -shown.tolerance);
	const change = isExtended ? undefined : decide(shown, title);
	if (change?.patch === undefined) {
		return { changed: sent !== undefined, output: (sent?.change ?? change)?.output, shown };
	}
	assertChangeable(shown, title);
	const { output } = change;
	if (isDryRun) return { changed: false, output, shown };
	const isRecognized = await hasFeature(client, 'idempotency_key');
	const idempotencyKey = isRecognized ? randomUUID() : undefined;
	const begun = { change, current: shown, idempotencyKey };
	const verified = await sendAndVerify(container, begun);
	return { changed: true, output, shown: verified };
}

/** @throws UserError where a rule that is needed can't be understood */
function assertReadable({ unclear }: ShownRules, needs: RuleKey[], title: string): void {
	const odd = needs.find((key) => key in unclear);
	if (odd === undefined) return;
	const message = `The service shows "${odd}" of ${title} in a form that the node can't read`;
	throw new UserError(message, {
		description: `It is ${JSON.stringify(unclear[odd]).slice(0, 100)}. Nothing was changed. Look at the rules with the operation Access Rules (DRM) > Get.`,
	});
}

/** @throws UserError for rules that were sealed */
function assertChangeable({ rules }: ShownRules, title: string): void {
	if (rules.dynamic !== false) return;
	const message = `The rules of ${title} can't change: it was encrypted without "${RULE_LABELS.dynamic}"`;
	throw new UserError(message, {
		description: `To end access, delete the container. To share the files with other rules, encode them again with "${RULE_LABELS.dynamic}" on.`,
	});
}

type FindDifference = (shown: ShownRules) => Difference | undefined;

/** @returns the rules that show the change. @throws UserError where they give more access than wanted */
async function sendAndVerify(container: Container, sent: SentChange): Promise<ShownRules> {
	const { item, title } = container;
	const { change, current } = sent;
	const { patch = {} } = change;
	const today = getDateInDays(0, item.timeZone);
	const find: FindDifference = (shown) => findDifference(change, current.rules, shown, today);
	const { returned, message } = await sendPatch(container, sent, { json: patch });
	if (returned && !find(returned)) return returned;
	const { shown, difference } = await readUntilShown(container, sent, find);
	if (difference === undefined) return shown;
	const { isWider, text } = difference;
	if (!isWider) {
		item.execution.addHint(`The service still shows old rules of ${title}: ${text}.`);
		return shown;
	}
	const answer = message ? ` The service answered: ${endSentence(shorten(message))}` : '';
	const owner = ' If the service always shows its owner, keep that address.';
	throw new UserError(`The service still shows ${text} for ${title}`, {
		description: `The node sent the change, and read the rules for ten seconds.${answer} Look at the rules with Access Rules (DRM) > Get in a few minutes.${'recipients' in patch ? owner : ''}`,
	});
}

/** Reads until nothing differs, for ten seconds. What the service drops with the change is sent once more. */
async function readUntilShown(
	container: Container,
	{ change, current }: SentChange,
	find: FindDifference,
) {
	const { item, id } = container;
	const { client, timeZone, execution } = item;
	const { patch = {} } = change;
	const needsRecipients = 'recipients' in { ...current.rules, ...patch };
	const doubt: Doubt = { what: 'change', isEarlier: true };
	let shown = current;
	let difference: Difference | undefined;
	let isRestored = false;
	for (const pause of PAUSES) {
		await delay(pause, execution.signal);
		shown = await readRules(client, id, { timeZone, needsRecipients, doubt });
		difference = find(shown);
		if (difference === undefined) break;
		const { dropped } = difference;
		if (dropped === undefined || isRestored) continue;
		isRestored = true;
		await sendPatch(container, { change, current }, { json: { ...dropped, ...patch }, doubt });
		const names = Object.keys(dropped).join(', ');
		execution.addHint(`The service dropped rules (${names}), and the node sent them again.`);
	}
	return { shown, difference };
}

interface Patch {
	json: RulesPatch;
	/** Where it follows the change, whatever the rules are by now. */
	doubt?: Doubt;
}

async function sendPatch({ item, id, name }: Container, sent: SentChange, { json, doubt }: Patch) {
	const { idempotencyKey, current } = sent;
	const etag = doubt === undefined ? current.etag : undefined;
	const request: ServiceRequest = {
		...toRequest(endpoints.updateDrmRules, { containerId: id }),
		action: 'change the rules of the container',
		json: json as IDataObject,
		secrets: item.secrets,
		headers: etag === undefined ? {} : { 'If-Match': etag },
		idempotencyKey,
		subject: { containerId: id, recordName: name },
		expected: RULES,
		doubt,
	};
	const { object, message } = await item.client
		.request(request, acceptChange)
		.catch((error: unknown) => {
			// With a key, this answer says that no try of it was made.
			const isUnmade = idempotencyKey !== undefined && hasStatus(error, 412);
			if (isUnmade) item.noteChange(id, undefined);
			else if (isInDoubt(error)) item.noteChange(id, { ...sent, isInDoubt: true });
			throw error;
		});
	item.noteChange(id, { ...sent, isInDoubt: false });
	await takeBreak();
	const found = findRules(object);
	return found ? { returned: parseRules(found, item.timeZone) } : { message };
}
