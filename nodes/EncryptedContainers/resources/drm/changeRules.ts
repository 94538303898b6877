import type { IDataObject } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import type { DrmRules, ShownRules } from '../../../shared/api/drmRules';
import { fetchShownRules, findRules } from '../../../shared/api/drmRules';
import { toContainerKey, withContainerId } from '../../../shared/api/records';
import type { ServiceClient, ServiceRequest } from '../../../shared/client/client';
import { delay, takeBreak } from '../../../shared/client/delay';
import { buildPath } from '../../../shared/client/path';
import { isExpression } from '../../../shared/parameters/values';
import { isRecord } from '../../../shared/responses/shapes';
import type { Item } from '../../execution/item';
import type { SentChange } from '../../execution/memory';
import type { Call } from '../../execution/operation';
import { isCertainlyReplaced, isReplaced, isSameState, rememberChange } from './recentChanges';
import { findFixed } from './ruleChanges';

/** How long a service can take until a read shows the last change. */
const MAX_LAG = 10_000;
const FIRST_PAUSE = 250;

const NOT_SHOWN_ADVICE =
	'For ten seconds, the service showed the rules as they were before. It ignored the change, or shows it later. Check the rules with the operation DRM > Get in a few minutes.';

/** What reads and changes the rules of a container. */
export interface RulesCall {
	client: ServiceClient;
	containerId: string;
	/** For messages. */
	containerName?: string;
	/** The container for all who use the same service. */
	key: string;
	/** What the item changed in it before: a later look at the rules finds nothing left to do. */
	sent: SentChange;
	/** @throws the reason of a cancellation */
	delay: (milliseconds: number) => Promise<unknown>;
}

/** Why what the service shows doesn't bear a change out. */
type Problem = Error | { expected: string; received: string };

/** What to send, and how to know that it was done. */
export interface RulesChange {
	toSend: DrmRules;
	/** What the request does, for messages. */
	action?: string;
	/** What to know of the change when the service might have it. */
	sent?: SentChange;
	/**
	 * @param shown undefined where the response shows no rules
	 * @param isResponse whether it is the response to the change, which can show less than a read does
	 */
	findProblem(shown: ShownRules | undefined, isResponse: boolean): Problem | undefined;
}

/** Decides what to send by the current rules; undefined where nothing would change. */
export type ChangePlan = (
	current: ShownRules | undefined,
	container: string,
) => Promise<RulesChange | undefined> | RulesChange | undefined;

/** What came of a change. */
export interface ChangeResult {
	changed: boolean;
	/** The rules that the service shows. */
	rules?: DrmRules;
	/** The response that bears the change out. */
	response?: IDataObject;
}

/** How to read and change the rules of a container, after all other items and executions of this n8n that do. */
export async function withRules<T>(
	call: Call,
	containerId: string,
	containerName: string | undefined,
	task: (call: RulesCall) => Promise<T>,
): Promise<T> {
	const key = `rules ${toContainerKey(containerId)}`;
	const rulesCall = {
		client: call.client,
		containerId,
		containerName,
		key: call.getServiceKey(key),
		sent: call.item.state.getSent(containerId),
		delay: async (milliseconds: number) => await delay(milliseconds, call.run.signal),
	};
	return await call.runAlone(key, describeContainer(rulesCall), async () => await task(rulesCall));
}

/** As withRules, for the container of an item. Returns its output. */
export async function changeItem(
	call: Call,
	containerId: string,
	task: (call: RulesCall) => Promise<ChangeResult>,
): Promise<IDataObject[]> {
	const name = getChosenName(call.item);
	return [toOutput(containerId, await withRules(call, containerId, name, task))];
}

export function toOutput(
	containerId: string,
	{ changed, response, rules }: ChangeResult,
): IDataObject {
	const shown = response ?? rules ?? { success: true };
	return withContainerId(containerId, { ...shown, changed });
}

/**
 * Reads the current rules of a container, and changes them. A program elsewhere can change them at the same time: where
 * the service reports it, the change is planned and sent once more.
 *
 * @param needs the rules that must be understood; undefined for a change that needs no current rules
 * @throws UserError where the rules can't change, NodeApiError where the service doesn't show the change
 */
export async function changeRules(
	call: RulesCall,
	needs: string[] | undefined,
	plan: ChangePlan,
): Promise<ChangeResult> {
	const container = describeContainer(call);
	for (let isLastTry = false; ; isLastTry = true) {
		const current = needs === undefined ? undefined : await readCurrentRules(call, needs);
		const change = await plan(current, container);
		if (change === undefined) return { changed: call.sent.isSent ?? false, rules: current?.rules };
		const fixed = current && findFixed(current.rules, container);
		if (fixed !== undefined) throw fixed;
		const { problem, ...result } = await writeRules(call, change, current?.rules);
		if (problem === undefined) return { changed: true, ...result };
		// A service that ignores a change reports the rules as they were before.
		const { rules = {} } = result;
		if (current === undefined || isSameState(current.rules, rules)) throw problem;
		if (!isLastTry) continue;
		throw new UserError(
			`The rules of ${container} are not what was sent, because they changed meanwhile`,
			{
				description:
					'Another program, or n8n in another process, changes the same container. The node tried twice. Check the rules with the operation DRM > Get, and run the workflow again when nothing else changes them.',
			},
		);
	}
}

/** The name, where it is known, and the ID. */
export function describeContainer({ client, containerId, containerName }: RulesCall): string {
	const id = client.redactLine(containerId);
	return containerName === undefined
		? `the container "${id}"`
		: `"${client.redactLine(containerName)}" (${id})`;
}

/** Sends rules, and checks what the service shows of them: in its response, or otherwise in a read. */
async function writeRules(
	call: RulesCall,
	{ toSend, action = 'change the rules of the container', sent, findProblem }: RulesChange,
	current: DrmRules | undefined,
): Promise<{ rules?: DrmRules; response?: IDataObject; problem?: Error }> {
	const { client, containerId, containerName, key } = call;
	const onSent = () => Object.assign(call.sent, sent, { isSent: true });
	const request: ServiceRequest = {
		method: 'PATCH',
		path: buildPath(['containers', containerId, 'drm']),
		action,
		json: toSend,
		subject: { containerId, containerName },
		onUnknownOutcome() {
			onSent();
			rememberChange(key, current, toSend, undefined, false);
		},
	};
	const response = await client.requestOptionalObject(request);
	onSent();
	// There can be many recipients.
	await takeBreak();
	const returned = findRules(response);
	const shown = returned.rules === undefined ? undefined : returned;
	const isUnclear = 'problem' in returned && returned.problem !== undefined;
	const isCertain = !isUnclear && findProblem(shown, true) === undefined;
	rememberChange(key, current, toSend, isCertain ? shown?.rules : undefined);
	if (isCertain) return { rules: shown?.rules, response };
	// The response may show the rules as they were before.
	const isBefore = (rules: DrmRules) => current !== undefined && isSameState(rules, current);
	const { shown: reported, isOld } = await readUntilNew(call, [], isBefore);
	rememberChange(key, current, toSend, reported.rules);
	const problem = findProblem(reported, false);
	const error =
		problem === undefined || problem instanceof Error
			? problem
			: client.createError(request, {
					kind: 'unexpected',
					...problem,
					...(isOld ? { advice: NOT_SHOWN_ADVICE } : {}),
				});
	return { rules: reported.rules, problem: error };
}

/**
 * Reads the current rules of a container. A service with replicas or a cache can still show them as they were before the
 * last change, which a new change would undo then: they are read again, for up to ten seconds.
 *
 * @throws UserError when the service still shows the old ones
 */
async function readCurrentRules(call: RulesCall, needs: string[]): Promise<ShownRules> {
	// An item can send its own change again.
	const isOldState = (rules: DrmRules) =>
		call.sent.isSent ? isCertainlyReplaced(call.key, rules) : isReplaced(call.key, rules);
	const { shown, isOld } = await readUntilNew(call, needs, isOldState);
	// A change whose response was lost, and that no read shows, was not made.
	if (!isOld || !isCertainlyReplaced(call.key, shown.rules)) return shown;
	throw new UserError(
		`The service still shows the rules of ${describeContainer(call)} as they were before the last change`,
		{
			description:
				'Nothing was sent, because it would undo that change. Reads of the service can lag behind its changes, or another program restored the old rules. Run the workflow again in a few minutes.',
		},
	);
}

async function readUntilNew(
	{ client, containerId, delay: wait }: RulesCall,
	needs: string[],
	isOldState: (rules: DrmRules) => boolean,
): Promise<{ shown: ShownRules; isOld: boolean }> {
	for (let waited = 0, pause = FIRST_PAUSE; ; waited += pause, pause *= 2) {
		const shown = await fetchShownRules(client, containerId, needs);
		const isOld = isOldState(shown.rules);
		if (!isOld || waited >= MAX_LAG) return { shown, isOld };
		pause = Math.min(pause, MAX_LAG - waited);
		await wait(pause);
	}
}

/** The name that the list in the editor showed for the container. */
function getChosenName(item: Item): string | undefined {
	const locator = item.getRawParameter('containerId');
	if (!isRecord(locator) || locator.mode !== 'list' || isExpression(locator.value))
		return undefined;
	const { cachedResultName: name } = locator;
	return typeof name === 'string' && name !== '' ? name : undefined;
}
