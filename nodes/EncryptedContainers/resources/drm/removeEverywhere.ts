import type { IDataObject } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import type { DrmRules } from '../../../shared/api/drmRules';
import { coversAddress, isWildcard, toAddressKey } from '../../../shared/parameters/addresses';
import { getLastDayOverEverywhere } from '../../../shared/parameters/dates';
import {
	parseBoolean,
	parseChoice,
	parseOption,
	parseShortText,
} from '../../../shared/parameters/scalars';
import type { Item } from '../../execution/item';
import type { Operation } from '../../execution/operation';
import { parseRecipients } from '../../parameters/drmRules';
import { IF_NOBODY_IS_LEFT, IF_WILDCARD_COVERS } from './choices';
import type { Decision } from './containerJobs';
import { createContainerJobs, fetchContainers } from './containerJobs';
import { hasEnded } from './ruleChanges';

interface Removal {
	email: string;
	ifNobodyIsLeft: 'revoke' | 'skip';
	ifWildcardCovers: 'report' | 'removeWildcard';
	nameContains: string;
	dryRun: boolean;
}

/** Ends a person's access to all containers of a user (docs/openapi.yaml, listContainers, getDrmRules, updateDrmRules). */
export const removeEverywhere: Operation<Removal> = {
	parse(item) {
		const options = item.getOptions();
		const dryRun = parseOption(options, 'dryRun', false, (value) => parseBoolean(value, 'Dry Run'));
		assertNoAgent(item, dryRun);
		return {
			email: parseEmail(item),
			ifNobodyIsLeft: parseChoice(
				item.getParameter('ifNobodyIsLeft'),
				'If Nobody Is Left',
				IF_NOBODY_IS_LEFT,
			),
			ifWildcardCovers: parseChoice(
				item.getParameter('ifWildcardCovers'),
				'If a Wildcard Covers the Address',
				IF_WILDCARD_COVERS,
			),
			nameContains: parseOption(options, 'nameContains', '', (value) =>
				parseShortText(value, 'Name Contains'),
			),
			dryRun,
		};
	},
	async *plan(parsed, run) {
		for (const { item, input, error } of parsed) {
			if (input === undefined) {
				yield [run.createJob({ item, error }, async () => await Promise.resolve([]))];
				continue;
			}
			const call = await run.connect(item);
			const containers = await fetchContainers(call, input.nameContains);
			const { dryRun } = input;
			if (dryRun) run.addHint('This was a dry run. No rules were changed.');
			const decide = (rules: DrmRules) => decideRemoval(rules, input);
			const task = { needs: ['recipients', 'time'], decide, dryRun };
			yield createContainerJobs(run, call, containers, task);
		}
	},
};

/** What to do with a container; undefined for one that the address can't open. */
function decideRemoval(rules: DrmRules, removal: Removal): Decision | undefined {
	const { email, ifNobodyIsLeft, ifWildcardCovers } = removal;
	const { recipients = [] } = rules;
	if (hasEnded(rules, getLastDayOverEverywhere(new Date()))) return undefined;
	const describe = (action: string, reason: string, left: string[]): IDataObject => ({
		action,
		reason,
		recipients: left,
	});
	if (recipients.length === 0) {
		const reason = 'It has no recipients: it is up to the service who can open it.';
		return { output: describe('skipped', reason, []) };
	}
	const isAddress = (entry: string) => toAddressKey(entry) === toAddressKey(email);
	const wildcards = recipients.filter((entry) => isWildcard(entry) && coversAddress(entry, email));
	if (!recipients.some(isAddress) && wildcards.length === 0) return undefined;
	if (wildcards.length > 0 && ifWildcardCovers === 'report') {
		const reason = `Nothing was changed: ${wildcards.join(', ')} covers ${email}.`;
		return { output: describe('skipped', reason, recipients) };
	}
	const left = recipients.filter((entry) => !isAddress(entry) && !wildcards.includes(entry));
	const removed = recipients.filter((entry) => !left.includes(entry)).join(', ');
	if (left.length > 0) {
		const reason = `${removed} ${removed.includes(', ') ? 'are' : 'is'} no recipient any more.`;
		return { output: describe('removed', reason, left), change: { recipients: left } };
	}
	return ifNobodyIsLeft === 'skip'
		? { output: describe('skipped', `Nobody would be left without ${removed}.`, recipients) }
		: {
				output: describe('revoked', `Nobody is left without ${removed}: access ended.`, recipients),
				change: 'end',
			};
}

function parseEmail(item: Item): string {
	const label = 'Email';
	const addresses = parseRecipients(item.getParameter('email'), label);
	const [email, ...others] = addresses;
	if (email !== undefined && others.length === 0 && !isWildcard(email)) return email;
	const problem = email === undefined ? 'is empty' : 'is not the address of one person';
	throw new UserError(`"${label}" ${problem}`, {
		description: `Enter one address, such as anna@example.com, in "${label}". For several people, use an input item for each.`,
	});
}

/** @throws UserError where a model decides who loses access to everything */
function assertNoAgent(item: Item, dryRun: boolean): void {
	if (dryRun || !item.host.context.getNode().type.endsWith('Tool')) return;
	throw new UserError('An agent can only list what it would change here', {
		description:
			'Nothing was changed. Turn on "Dry Run" in the options, and let a person decide about the rest.',
	});
}
