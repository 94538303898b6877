import { UserError, type INodeParameterResourceLocator } from 'n8n-workflow';

import type { DrmRules, ShownRules } from '../../../shared/api/drmRules';
import { fetchShownRules, findRules } from '../../../shared/api/drmRules';
import { isSameRule } from '../../../shared/api/ruleValues';
import { toContainerKey } from '../../../shared/api/records';
import type { ServiceClient, ServiceRequest } from '../../../shared/client/client';
import { delay, takeBreak } from '../../../shared/client/delay';
import { buildPath } from '../../../shared/client/path';
import { endSentence, noteSentChange } from '../../../shared/errors/nodeErrors';
import { isExpression, shorten } from '../../../shared/parameters/values';
import type { Item } from '../../execution/item';
import type { Call } from '../../execution/operation';
import { findProblem, isSameDay } from './contradiction';
import { isLastChange, isReplaced, rememberChange } from './recentChanges';
import { findFixed, type RulesChange } from './ruleChanges';

/** How long to wait for reads that show the last change, in milliseconds: ten seconds in all. */
const PAUSES = [250, 500, 1000, 2000, 4000, 2250];

const NOT_SHOWN_ADVICE =
	'The service ignored the change, or shows it later (a password: never), or another program changed the rules meanwhile. The node read the rules for ten seconds. Check the names of fields in JSON, and the rules with the operation DRM > Get in a few minutes.';

export interface ContainerEntry {
	id: string;
	name?: string;
}

/** Decides by the current rules, if they were read, and by what the item sent before, even if the response was lost. */
export type Decide = (
	current: ShownRules | undefined,
	container: string,
	sent?: RulesChange,
) => RulesChange | undefined;

/**
 * Reads the current rules of a container, and changes them, after all other items and executions of this n8n that do.
 *
 * @param needs the rules that must be understood; undefined for a change that needs no current rules
 * @throws UserError where the rules can't change, NodeApiError where the service doesn't show the change
 */
export async function changeRules(
	call: Call,
	entry: ContainerEntry,
	needs: string[] | undefined,
	decide: Decide,
) {
	const container = describeContainer(call.client, entry);
	const ruleKey = `rules ${toContainerKey(entry.id)}`;
	return await call.runAlone(ruleKey, async () => {
		const sent = call.item.state.sent.get(entry.id) as RulesChange | undefined;
		const key = call.getServiceKey(ruleKey);
		// A service with replicas or a cache can still show the rules as they were before the last change, which a new change
		// would undo then. An item that sent its change can send that again.
		const isOld = ({ rules }: ShownRules) => isReplaced(key, rules, sent !== undefined);
		const current = needs && (await readWhile(call, entry, isOld, needs));
		// There can be many recipients.
		await takeBreak();
		const change = decide(current, container, sent);
		if (current) assertNew(key, container, current, change);
		if (change?.toSend === undefined) {
			const isDone = sent && current && !findProblem(sent, current);
			const { output } = (isDone ? sent : change) ?? {};
			return { changed: sent !== undefined, output, rules: current?.rules };
		}
		const fixed = current && findFixed(current.rules, container);
		if (fixed !== undefined) throw fixed;
		await takeBreak();
		const { rules, response } = await send(call, key, entry, change, current);
		return { changed: true, output: change.output, rules, response };
	});
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

/** Sends rules, and checks what the service shows of them: in its response, or otherwise in a read. */
async function send(
	call: Call,
	key: string,
	entry: ContainerEntry,
	change: RulesChange,
	current?: ShownRules,
) {
	const { id, name } = entry;
	const before = current?.rules;
	const { toSend = {}, lastDay } = change;
	const expected = expectShown(current, toSend);
	const changed = Object.entries(toSend).filter(
		([rule, value]) => !isSameRule(value, before?.[rule]),
	);
	// The same day can show in another form, and is not replaced by itself.
	const isMoved = !isSameWindow({ ...before, ...toSend }, before);
	const keys = changed.map(([rule]) => rule).filter((rule) => rule !== 'time' || isMoved);
	const remember = (after: DrmRules, isLost = false) => {
		call.item.state.sent.set(id, change);
		rememberChange(key, before, after, isLost, keys);
	};
	const request: ServiceRequest = {
		method: 'PATCH',
		path: buildPath(['containers', id, 'drm']),
		action: lastDay ? 'end access to the container' : 'change the rules of the container',
		json: toSend,
		subject: { containerId: id, containerName: name },
		onUnknownOutcome: () => remember(expected, true),
	};
	const { object: response, message } = await call.client.requestChange(request);
	await takeBreak();
	const returned = findRules(response);
	const { rules } = returned;
	// Where the rules show before and after the change, or must do so, each changed rule must show.
	const strict = { ...change, entered: Object.fromEntries(changed) };
	const isStrict = before && (rules !== undefined || changesAccess(before, toSend));
	const find = (shown: Partial<ShownRules>, isResponse = false) =>
		findProblem(isStrict ? strict : change, shown, before, isResponse);
	const isDone = !find(returned, true);
	// Other rules in the response show that it was refused. What says nothing of them can still come, or show late.
	const isRefused = !isDone && rules !== undefined;
	remember((isDone ? rules : undefined) ?? expected, isRefused);
	if (isDone) return { rules, response };
	// A read can show the rules as they were before, or in part.
	const isOld = (read: ShownRules) => find(read) !== undefined;
	const reading = readWhile(call, entry, isOld, [], Object.keys(toSend));
	const shown = await reading.catch((error: Error) => {
		throw noteSentChange(error);
	});
	const problem = find(shown);
	if (problem === undefined) {
		remember(shown.rules);
		return { rules: shown.rules };
	}
	const said =
		rules === undefined && message ? `The response was: ${endSentence(shorten(message))} ` : '';
	const advice = `${said}${NOT_SHOWN_ADVICE}`;
	throw call.client.createError(request, { kind: 'unexpected', ...problem, advice });
}

/** The rules after a change. Of a rule that the service doesn't show, not even as null, nobody can see that it changed. */
function expectShown(current: ShownRules | undefined, toSend: DrmRules): DrmRules {
	const shown = { ...current?.record, ...current?.rules };
	const visible = Object.entries(toSend).filter(([rule]) => rule in shown);
	return { ...current?.rules, ...Object.fromEntries(visible) };
}

/** Whether others can open the container then, or until another day: a response without rules does not prove that. */
function changesAccess(before: DrmRules, toSend: DrmRules): boolean {
	const { recipients, time } = { ...before, ...toSend };
	return !isSameRule(recipients, before.recipients) || !isSameDay(time?.end, before.time?.end);
}

function isSameWindow({ time }: DrmRules, before?: DrmRules): boolean {
	const { start, end } = before?.time ?? {};
	return isSameDay(time?.start, start) && isSameDay(time?.end, end);
}

/** A change whose response was lost, and that no read shows, was not made. The last change can be sent again, if it adds nothing up. */
function assertNew(key: string, container: string, current: ShownRules, change?: RulesChange) {
	if (!isReplaced(key, current.rules, true)) return;
	const { toSend, extendedEnd } = change ?? {};
	if (toSend && !extendedEnd && isLastChange(key, expectShown(current, toSend))) return;
	const message = `The service still shows the rules of ${container} as they were before the last change`;
	throw new UserError(message, {
		description:
			'Nothing was sent, because it would undo that change. Reads of the service can lag behind its changes, or another program restored the old rules. Run the workflow again in a few minutes.',
	});
}

/** Reads the rules until they are new, or no pause is left. */
async function readWhile(
	{ client, run }: Call,
	{ id }: ContainerEntry,
	isOld: (shown: ShownRules) => boolean,
	needs: string[],
	wanted = needs,
) {
	for (const pause of PAUSES) {
		const shown = await fetchShownRules(client, id, needs, wanted);
		if (!isOld(shown)) return shown;
		await delay(pause, run.signal);
	}
	return await fetchShownRules(client, id, needs, wanted);
}
