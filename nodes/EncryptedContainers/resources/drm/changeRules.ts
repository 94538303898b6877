import { UserError, type IDataObject, type INodeParameterResourceLocator } from 'n8n-workflow';

import type { DrmRules, ShownRules } from '../../../shared/api/drmRules';
import { fetchShownRules, findRules } from '../../../shared/api/drmRules';
import { isSameRule } from '../../../shared/api/ruleValues';
import { toContainerKey } from '../../../shared/api/records';
import type { ServiceClient, ServiceRequest } from '../../../shared/client/client';
import { delay, takeBreak } from '../../../shared/client/delay';
import { buildPath } from '../../../shared/client/path';
import { isExpression, shorten } from '../../../shared/parameters/values';
import type { Item } from '../../execution/item';
import type { Call } from '../../execution/operation';
import { findProblem } from './contradiction';
import { isReplaced, isSameState, rememberChange } from './recentChanges';
import { findFixed, type RulesChange } from './ruleChanges';

/** How long a service can take until a read shows the last change, in milliseconds. */
const MAX_LAG = 10_000;
const FIRST_PAUSE = 250;

const NOT_SHOWN_ADVICE =
	'The service ignored the change, or shows it later (a password: never), or another program changed the rules meanwhile. The node read the rules for ten seconds if they stayed the same. Check the names of fields in JSON, and the rules with the operation DRM > Get in a few minutes.';

export interface ContainerEntry {
	id: string;
	name?: string;
}

/**
 * Decides what to send by the current rules, if they were read; undefined where there is nothing to say of the container.
 *
 * @param container for messages
 * @param sent what the item sent before, even if the response was lost
 */
export type Decide = (
	current: ShownRules | undefined,
	container: string,
	sent?: RulesChange,
) => RulesChange | undefined;

/**
 * Reads the current rules of a container, and changes them, after all other items and executions of this n8n that do.
 *
 * @param needs the rules that must be understood; undefined for a change that needs no current rules
 * @returns the rules that the service shows, the response if it bears the change out, and what the decision says of it
 * @throws UserError where the rules can't change, NodeApiError where the service doesn't show the change
 */
export async function changeRules(
	call: Call,
	entry: ContainerEntry,
	needs: string[] | undefined,
	decide: Decide,
) {
	const changer = new RulesChanger(call, entry);
	const key = `rules ${toContainerKey(entry.id)}`;
	return await call.runAlone(key, changer.container, async () => {
		return await changer.change(needs, decide);
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

class RulesChanger {
	readonly container;
	private readonly client;
	/** The container for all who use the same service. */
	private readonly key;

	constructor(
		private readonly call: Call,
		private readonly entry: ContainerEntry,
	) {
		this.client = call.client;
		this.container = describeContainer(call.client, entry);
		this.key = call.getServiceKey(`rules ${toContainerKey(entry.id)}`);
	}

	async change(needs: string[] | undefined, decide: Decide) {
		const sent = this.call.item.state.sent.get(this.entry.id) as RulesChange | undefined;
		const current = needs && (await this.readCurrent(needs, sent !== undefined));
		// There can be many recipients.
		await takeBreak();
		const change = decide(current, this.container, sent);
		if (change?.toSend === undefined) {
			const isDone = sent && current && !findProblem(sent, current);
			const { output } = (isDone ? sent : change) ?? {};
			return { changed: sent !== undefined, output, rules: current?.rules };
		}
		const fixed = current && findFixed(current.rules, this.container);
		if (fixed !== undefined) throw fixed;
		await takeBreak();
		return { changed: true, output: change.output, ...(await this.send(change, current?.rules)) };
	}

	/** Sends rules, and checks what the service shows of them: in its response, or otherwise in a read. */
	private async send(
		change: RulesChange,
		before: DrmRules | undefined,
	): Promise<{ response?: IDataObject; rules?: DrmRules }> {
		const { id, name } = this.entry;
		const { toSend = {}, lastDay } = change;
		// Of a rule that the service doesn't show, nobody can see that it changed.
		const visible = Object.entries(toSend).filter(([key]) => before && key in before);
		const expected = { ...before, ...Object.fromEntries(visible) };
		const remember = (after: DrmRules, isLost = false) => {
			this.call.item.state.sent.set(id, change);
			rememberChange(this.key, before, after, isLost);
		};
		const request: ServiceRequest = {
			method: 'PATCH',
			path: buildPath(['containers', id, 'drm']),
			action: lastDay ? 'end access to the container' : 'change the rules of the container',
			json: toSend,
			subject: { containerId: id, containerName: name },
			onUnknownOutcome: () => remember(expected, true),
		};
		const { object: response, outcome, message } = await this.client.requestChange(request);
		await takeBreak();
		const returned = findRules(response);
		const { rules } = returned;
		const answered = rules === undefined ? undefined : returned;
		const isDone = outcome !== 'pending' && !findProblem(change, answered, before, true);
		remember((isDone ? rules : undefined) ?? expected);
		if (isDone) return { rules, response };
		// The response may show the rules as they were before. Of one that is not done, a read has to show all that changed.
		const changed = Object.entries(toSend).filter(
			([key, value]) => !isSameRule(value, before?.[key]),
		);
		const entered = outcome === 'pending' ? Object.fromEntries(changed) : change.entered;
		const find = (read: ShownRules) => findProblem({ ...change, entered }, read, before);
		const shown = await this.readWhile(
			(read) => {
				return isSameState(read.rules, before ?? read.rules) && find(read) !== undefined;
			},
			[],
			Object.keys(toSend),
		);
		const problem = find(shown);
		if (problem === undefined) {
			remember(shown.rules);
			return { rules: shown.rules };
		}
		const said = rules === undefined && message ? `The response was: ${shorten(message)}. ` : '';
		const advice = `${said}${NOT_SHOWN_ADVICE}`;
		const failure = { kind: 'unexpected', ...problem, advice } as const;
		throw this.client.createError(request, failure);
	}

	/**
	 * A service with replicas or a cache can still show the rules as they were before the last change, which a new change
	 * would undo then: they are read again.
	 *
	 * @param isSent whether the item can send its own change again
	 */
	private async readCurrent(needs: string[], isSent: boolean): Promise<ShownRules> {
		const shown = await this.readWhile(({ rules }) => isReplaced(this.key, rules, isSent), needs);
		// A change whose response was lost, and that no read shows, was not made.
		if (!isReplaced(this.key, shown.rules, true)) return shown;
		throw new UserError(
			`The service still shows the rules of ${this.container} as they were before the last change`,
			{
				description:
					'Nothing was sent, because it would undo that change. Reads of the service can lag behind its changes, or another program restored the old rules. Run the workflow again in a few minutes.',
			},
		);
	}

	/** Reads the rules until they are new, for up to ten seconds. */
	private async readWhile(
		isOld: (shown: ShownRules) => boolean,
		needs: string[],
		wanted = needs,
	): Promise<ShownRules> {
		for (let waited = 0, pause = FIRST_PAUSE; ; waited += pause, pause *= 2) {
			const shown = await fetchShownRules(this.client, this.entry.id, needs, wanted);
			if (!isOld(shown) || waited >= MAX_LAG) return shown;
			pause = Math.min(pause, MAX_LAG - waited);
			await delay(pause, this.call.run.signal);
		}
	}
}
