import type { IDataObject, INodeParameterResourceLocator } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import type { DrmRules, ShownRules } from '../../../shared/api/drmRules';
import { fetchShownRules, findRules } from '../../../shared/api/drmRules';
import { toContainerKey } from '../../../shared/api/records';
import type { ServiceClient, ServiceRequest } from '../../../shared/client/client';
import { delay, takeBreak } from '../../../shared/client/delay';
import { buildPath } from '../../../shared/client/path';
import { isExpression, shorten } from '../../../shared/parameters/values';
import type { Item } from '../../execution/item';
import type { SentChange } from '../../execution/memory';
import type { Call } from '../../execution/operation';
import { isReplaced, isSameState, rememberChange } from './recentChanges';
import type { RulesChange } from './ruleChanges';
import { findFixed } from './ruleChanges';
import type { ContainerEntry } from './selectContainers';

/** How long a service can take until a read shows the last change, in milliseconds. */
const MAX_LAG = 10_000;
const FIRST_PAUSE = 250;

const NOT_SHOWN_ADVICE =
	'The service ignored the change, or shows it later (a password: never). The node read the rules for ten seconds if they stayed the same. Check the names of fields in JSON, and the rules with the operation DRM > Get in a few minutes.';

/**
 * Decides what to send by the current rules, if they were read; undefined where nothing would change.
 *
 * @param container for messages
 * @param sent what the item changed in the container before: a later look at the rules finds nothing left to do
 */
export type Plan = (
	current: ShownRules | undefined,
	container: string,
	sent: SentChange,
) => RulesChange | undefined;

/** What came of a change. */
export interface ChangeResult {
	changed: boolean;
	/** The rules that the service shows. */
	rules?: DrmRules;
	/** The response that bears the change out. */
	response?: IDataObject;
}

/**
 * Reads the current rules of a container, and changes them, after all other items and executions of this n8n that do.
 *
 * @param needs the rules that must be understood; undefined for a change that needs no current rules
 * @throws UserError where the rules can't change, NodeApiError where the service doesn't show the change
 */
export async function changeRules(
	call: Call,
	{ id, name }: ContainerEntry,
	needs: string[] | undefined,
	plan: Plan,
): Promise<ChangeResult> {
	const changer = new RulesChanger(call, id, name);
	const key = `rules ${toContainerKey(id)}`;
	return await call.runAlone(key, changer.container, async () => await changer.change(needs, plan));
}

/** The name that the list in the editor showed for the container of an item. */
export function getChosenName(item: Item): string | undefined {
	const locator = (item.getRawParameter('containerId') ?? {}) as INodeParameterResourceLocator;
	const isChosen = locator.mode === 'list' && !isExpression(locator.value);
	return isChosen ? locator.cachedResultName || undefined : undefined;
}

/** The name, where it is known, and the ID. */
export function describeContainer(client: ServiceClient, id: string, name?: string): string {
	const [shownId, shownName] = [id, name ?? ''].map((text) => shorten(client.redactLine(text)));
	return name === undefined ? `the container "${shownId}"` : `"${shownName}" (${shownId})`;
}

class RulesChanger {
	readonly container;
	private readonly client;
	/** The container for all who use the same service. */
	private readonly key;
	private readonly sent;

	constructor(
		private readonly call: Call,
		private readonly id: string,
		private readonly name?: string,
	) {
		this.client = call.client;
		this.container = describeContainer(call.client, id, name);
		this.key = call.getServiceKey(`rules ${toContainerKey(id)}`);
		this.sent = call.item.state.getSent(id);
	}

	async change(needs: string[] | undefined, plan: Plan): Promise<ChangeResult> {
		// A program elsewhere can change the rules at the same time: where the service reports it, they are sent once more.
		for (let isLastTry = false; ; isLastTry = true) {
			const current = needs && (await this.readCurrent(needs));
			// There can be many recipients.
			await takeBreak();
			const change = plan(current, this.container, this.sent);
			if (change === undefined) {
				return { changed: this.sent.isSent ?? false, rules: current?.rules };
			}
			const fixed = current && findFixed(current.rules, this.container);
			if (fixed !== undefined) throw fixed;
			await takeBreak();
			const { problem, ...result } = await this.write(change, current?.rules);
			if (problem === undefined) return { changed: true, ...result };
			// A service that ignores a change reports the rules as they were before.
			const isIgnored = isSameState(current?.rules ?? {}, result.rules ?? {});
			if (current === undefined || isIgnored) throw problem;
			if (!isLastTry) continue;
			throw new UserError(
				`The rules of ${this.container} are not what was sent, because they changed meanwhile`,
				{
					description:
						'Another program, or n8n in another process, changes the same container. The node tried twice. Check the rules with the operation DRM > Get, and run the workflow again when nothing else changes them.',
				},
			);
		}
	}

	/** Sends rules, and checks what the service shows of them: in its response, or otherwise in a read. */
	private async write(
		{ toSend, action = 'change the rules of the container', sent, findProblem }: RulesChange,
		current: DrmRules | undefined,
	): Promise<Omit<ChangeResult, 'changed'> & { problem?: Error }> {
		// Of a rule that the service doesn't show, nobody can see that it changed.
		const visible = Object.entries(toSend).filter(([name]) => current && name in current);
		const remember = (shown?: DrmRules, isLost?: boolean) => {
			Object.assign(this.sent, sent, { isSent: true });
			const after = shown ?? { ...current, ...Object.fromEntries(visible) };
			rememberChange(this.key, current, after, isLost);
		};
		const request: ServiceRequest = {
			method: 'PATCH',
			path: buildPath(['containers', this.id, 'drm']),
			action,
			json: toSend,
			subject: { containerId: this.id, containerName: this.name },
			onUnknownOutcome: () => remember(undefined, true),
		};
		const { object: response } = await this.client.requestChange(request);
		await takeBreak();
		const returned = findRules(response);
		const shown = returned.rules === undefined ? undefined : returned;
		const isDone = findProblem(shown, true) === undefined;
		remember(isDone ? shown?.rules : undefined);
		if (isDone) return { rules: shown?.rules, response };
		// The response may show the rules as they were before.
		const reported = await this.readWhile((rules) => isSameState(rules, current ?? {}), []);
		const problem = findProblem(reported, false);
		if (problem === undefined) {
			remember(reported.rules);
			return { rules: reported.rules };
		}
		const failure = { kind: 'unexpected', ...problem, advice: NOT_SHOWN_ADVICE } as const;
		return { rules: reported.rules, problem: this.client.createError(request, failure) };
	}

	/**
	 * A service with replicas or a cache can still show the rules as they were before the last change, which a new change
	 * would undo then: they are read again.
	 */
	private async readCurrent(needs: string[]): Promise<ShownRules> {
		// An item can send its own change again.
		const { isSent = false } = this.sent;
		const shown = await this.readWhile((rules) => isReplaced(this.key, rules, isSent), needs);
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
		isOld: (rules: DrmRules) => boolean,
		needs: string[],
	): Promise<ShownRules> {
		for (let waited = 0, pause = FIRST_PAUSE; ; waited += pause, pause *= 2) {
			const shown = await fetchShownRules(this.client, this.id, needs);
			if (!isOld(shown.rules) || waited >= MAX_LAG) return shown;
			pause = Math.min(pause, MAX_LAG - waited);
			await delay(pause, this.call.run.signal);
		}
	}
}
