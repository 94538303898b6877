import { UserError } from 'n8n-workflow';

import type { DrmRules } from '../../../shared/api/drmRules';
import { nameContainsOption } from '../../../shared/descriptions/options';
import { covers, isForEverybody, isWildcard } from '../../../shared/parameters/addresses';
import { parseChoiceField } from '../../../shared/parameters/scalars';
import { listSome, shorten } from '../../../shared/parameters/values';
import { choiceField, dryRunFields } from '../../descriptions/commonFields';
import { contactEmailField } from '../../descriptions/locators';
import { parseDryRun } from '../../execution/allItems';
import { defineOperation } from '../../execution/defineOperation';
import type { Item } from '../../execution/item';
import { newContactParam } from '../../execution/pathParams';
import { isPlain } from '../../parameters/allowedRecipients';
import { getNamePart } from '../commonOperations';
import { planContainers } from './manyContainers';
import { changeTo, endAccess, hasEnded, type RulesChange } from './ruleChanges';

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
			'Everybody whom only the wildcard lets in loses access too',
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
	description:
		'End the access of a person to all containers of a user, for example when somebody leaves (offboarding)',
	endpoint: { method: 'GET', path: '/users/{userId}/containers' },
	fields: [
		{ ...contactEmailField, description: 'Email address of the person who loses access' },
		ifNobodyIsLeft,
		ifWildcardCovers,
		...dryRunFields,
	],
	options: [nameContainsOption],
	parse(item) {
		const task = { needs: ['recipients', 'time'], decide: createRemoval(item) };
		const nameContains = getNamePart(item);
		return { nameContains, dryRun: parseDryRun(item), createTask: () => task };
	},
	plan: planContainers,
});

/** What to do with each container; undefined for one that the address can't open. */
function createRemoval(item: Item) {
	const email = item.parsePathParam(newContactParam) ?? '';
	const isLastKept = parseChoiceField(item, ifNobodyIsLeft) === 'skip';
	const isWildcardKept = parseChoiceField(item, ifWildcardCovers) === 'report';
	return (rules: DrmRules): RulesChange | undefined => {
		const { recipients = [] } = rules;
		if (hasEnded(rules)) return undefined;
		const skip = (reason: string) => ({ output: { action: 'skipped', reason, recipients } });
		if (recipients.length === 0) {
			return skip('It has no recipients: it is up to the service who can open it.');
		}
		const unclear = recipients.find((entry) => !isForEverybody(entry) && !isPlain(entry));
		if (unclear !== undefined) {
			throw new UserError(`Nobody can tell who "${shorten(unclear)}" in the recipients is`, {
				description:
					'Nothing was changed. It is no address, and no wildcard such as *@example.com. Check the recipients with the operation DRM > Get.',
			});
		}
		const removed = recipients.filter((entry) => covers([entry])(email));
		const wildcards = removed.filter(isWildcard);
		if (removed.length === 0) return undefined;
		if (wildcards.length > 0 && isWildcardKept) {
			return skip(`Nothing was changed: ${listSome(wildcards)} covers ${email}.`);
		}
		const names = listSome(removed);
		const left = recipients.filter((entry) => !removed.includes(entry));
		if (left.length > 0) {
			const reason = `No recipient any more: ${names}.`;
			const output = { action: 'removed', reason, recipients: left };
			return { output, ...changeTo(rules, { recipients: left }) };
		}
		if (isLastKept) return skip(`Nobody would be left without ${names}.`);
		const reason = `Nobody is left without ${names}: access ended.`;
		return { output: { action: 'revoked', reason, recipients }, ...endAccess(rules) };
	};
}
