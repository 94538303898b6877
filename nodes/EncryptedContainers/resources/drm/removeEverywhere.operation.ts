import { SET_FOR_RECIPIENT } from '../../../shared/api/recipientFilter';
import type { ShownRules } from '../../../shared/api/shownRules';
import { endpoints } from '../../../shared/client/endpoints';
import { nameContainsOption, queryOption } from '../../../shared/descriptions/options';
import { covers, isWildcard } from '../../../shared/parameters/addresses';
import { readQuery } from '../../../shared/parameters/requests';
import { listSome } from '../../../shared/parameters/values';
import {
	choiceField,
	contactEmailField,
	createDryRunFields,
} from '../../descriptions/commonFields';
import { parseDryRun } from '../../execution/brakes';
import { defineOperation } from '../../execution/defineOperation';
import type { Item } from '../../execution/item';
import type { RulesTask } from './readModifyWrite';
import { planContainers } from './manyContainers';
import { endAccess, hasEnded, type RulesChange, type RulesPatch } from './ruleChanges';

const ifNobodyIsLeft = choiceField(
	['If Nobody Is Left', 'ifNobodyIsLeft', 'revoke'],
	{
		revoke: ['Revoke Access', 'End access to the container'],
		skip: ['Skip', 'Change nothing, and say so in the output'],
	},
	'What to do if the person is the only recipient of a container',
);

const ifWildcardCovers = choiceField(
	['If a Wildcard Covers the Address', 'ifWildcardCovers', 'report'],
	{
		removeWildcard: [
			'Remove the Wildcard',
			'Everyone who has access only through the wildcard loses it, too',
		],
		report: ['Report', 'Change nothing, and say so in the output'],
	},
	'What to do if a recipient such as *@example.com also gives the person access',
);

/** Ends a person's access to all containers of a user (docs/openapi.yaml, listContainers, getDrmRules, updateDrmRules). */
export const removeEverywhere = defineOperation({
	name: 'Remove Recipient Everywhere',
	value: 'removeEverywhere',
	action: 'Remove a recipient from all containers',
	description: 'End the access of a person to all containers of a user (offboarding)',
	routing: { request: endpoints.updateDrmRules },
	alsoSends: [endpoints.listContainers, endpoints.getDrmRules],
	fields: [
		{ ...contactEmailField, description: 'Email address of the person who loses access' },
		ifNobodyIsLeft,
		ifWildcardCovers,
		...createDryRunFields('If off, access to all these containers ends at once'),
	],
	options: [nameContainsOption, queryOption],
	parse(item) {
		const isDryRun = parseDryRun(item);
		const recipient = item.parsePathParam(contactEmailField);
		const decide = createRemoval(item, recipient);
		const task: RulesTask = { needs: ['recipients'], decide, isDryRun };
		const query = readQuery(item, SET_FOR_RECIPIENT);
		const selection = { nameContains: item.read(nameContainsOption), recipient, query };
		return { selection, task };
	},
	plan: planContainers,
});

/** What to do with each container; undefined for one that the address can't open. */
function createRemoval(item: Item, email: string) {
	const isLastKept = item.read(ifNobodyIsLeft) === 'skip';
	const isWildcardKept = item.read(ifWildcardCovers) === 'report';
	return (shown: ShownRules): RulesChange | undefined => {
		const { recipients = [], dynamic } = shown.rules;
		const report = (action: string, reason: string, patch?: RulesPatch) => ({
			patch,
			output: { action, reason, recipients: patch?.recipients ?? recipients },
		});
		// A service might not show them.
		if (recipients.length === 0) return report('skipped', 'Changed nothing: it has no recipients.');
		const removed = recipients.filter((entry) => covers([entry])(email));
		const left = recipients.filter((entry) => !removed.includes(entry));
		const isOver = hasEnded(shown);
		// Where access is over and the rules can't change, nobody can restore it.
		if (removed.length === 0 || (isOver && dynamic === false)) return undefined;
		const wildcards = listSome(removed.filter(isWildcard));
		if (wildcards !== '' && isWildcardKept) {
			return report('skipped', `Changed nothing: ${wildcards} covers ${email}.`);
		}
		const names = listSome(removed);
		if (left.length > 0) return report('removed', `Removed ${names}.`, { recipients: left });
		const why = `nobody would be left without ${names}.`;
		// Nobody can open it, and a container can't be without recipients.
		if (isOver) return undefined;
		if (isLastKept) return report('skipped', `Changed nothing: ${why}`);
		return report('revoked', `Ended access: ${why}`, endAccess(shown));
	};
}
