import { UserError } from 'n8n-workflow';

import type { DrmRules } from '../../../shared/api/drmRules';
import {
	coversAddress,
	isForEverybody,
	isWildcard,
	toAddressKey,
} from '../../../shared/parameters/addresses';
import { getLastDayOverEverywhere } from '../../../shared/parameters/dates';
import { isAgent } from '../../execution/allItems';
import type { Operation } from '../../execution/operation';
import { parseRecipients } from '../../parameters/drmRules';
import { ifNobodyIsLeft, ifWildcardCovers, parseChoiceField } from './choices';
import type { Decision } from './containerJobs';
import { planContainers } from './containerJobs';
import { hasEnded } from './ruleChanges';
import type { Selection } from './selectContainers';
import { parseDryRun, parseNameOption } from './selectContainers';

interface Removal {
	email: string;
	ifNobodyIsLeft: 'revoke' | 'skip';
	ifWildcardCovers: 'report' | 'removeWildcard';
	selection: Selection;
	dryRun: boolean;
}

/** Ends a person's access to all containers of a user (docs/openapi.yaml, listContainers, getDrmRules, updateDrmRules). */
export const removeEverywhere: Operation<Removal> = {
	parse(item) {
		const dryRun = parseDryRun(item);
		if (isAgent(item) && !dryRun) {
			throw new UserError('An agent can only list what it would change here', {
				description:
					'Nothing was changed. Turn on "Dry Run" in the options, and let a person decide about the rest.',
			});
		}
		return {
			email: parseEmail(item.getParameter('email')),
			ifNobodyIsLeft: parseChoiceField(item, ifNobodyIsLeft),
			ifWildcardCovers: parseChoiceField(item, ifWildcardCovers),
			selection: parseNameOption(item),
			dryRun,
		};
	},
	plan: (parsed, run) =>
		planContainers(parsed, run, (removal) => ({
			needs: ['recipients', 'time'],
			decide: (rules) => decideRemoval(rules, removal),
			dryRun: removal.dryRun,
		})),
};

/** What to do with a container; undefined for one that the address can't open. */
function decideRemoval(
	rules: DrmRules,
	{ email, ifNobodyIsLeft, ifWildcardCovers }: Omit<Removal, 'selection' | 'dryRun'>,
): Decision | undefined {
	const { recipients = [] } = rules;
	if (hasEnded(rules, getLastDayOverEverywhere(new Date()))) return undefined;
	const skip = (reason: string) => ({ output: { action: 'skipped', reason, recipients } });
	if (recipients.length === 0) {
		return skip('It has no recipients: it is up to the service who can open it.');
	}
	const unclear = recipients.find((entry) => !isClear(entry));
	if (unclear !== undefined) {
		throw new UserError(`Nobody can tell who "${unclear.slice(0, 100)}" in the recipients is`, {
			description:
				'Nothing was changed. It is no address, and no wildcard such as *@example.com. Check the recipients with the operation DRM > Get.',
		});
	}
	const isEmail = (entry: string) => toAddressKey(entry) === toAddressKey(email);
	const wildcards = recipients.filter((entry) => isWildcard(entry) && coversAddress(entry, email));
	const removed = recipients.filter((entry) => isEmail(entry) || wildcards.includes(entry));
	if (removed.length === 0) return undefined;
	if (wildcards.length > 0 && ifWildcardCovers === 'report') {
		return skip(`Nothing was changed: ${wildcards.join(', ')} covers ${email}.`);
	}
	const names = removed.join(', ');
	const left = recipients.filter((entry) => !removed.includes(entry));
	if (left.length > 0) {
		const reason = `No recipient any more: ${names}.`;
		return {
			output: { action: 'removed', reason, recipients: left },
			change: { recipients: left },
		};
	}
	if (ifNobodyIsLeft === 'skip') return skip(`Nobody would be left without ${names}.`);
	const reason = `Nobody is left without ${names}: access ended.`;
	return { output: { action: 'revoked', reason, recipients }, change: 'end' };
}

/** Whether a recipient is an address or a wildcard: not a domain alone, a pattern of another kind or a name of a group. */
function isClear(entry: string): boolean {
	const key = toAddressKey(entry);
	return (
		isForEverybody(key) ||
		/^[\p{L}\p{M}\p{N}_+'&=~#*-][\p{L}\p{M}\p{N}_+'&=~#*.-]*@[\p{L}\p{M}\p{N}_*-]+(\.[\p{L}\p{M}\p{N}_*-]+)*$/u.test(
			key,
		)
	);
}

function parseEmail(value: unknown): string {
	const [email, ...others] = parseRecipients(value, 'Email');
	if (email !== undefined && others.length === 0 && !isWildcard(email)) return email;
	const problem = email === undefined ? 'is empty' : 'is not the address of one person';
	throw new UserError(`"Email" ${problem}`, {
		description:
			'Enter one address, such as anna@example.com, in "Email". For several people, use an input item for each.',
	});
}
