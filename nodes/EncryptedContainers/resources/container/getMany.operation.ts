import { OperationalError, type IDataObject, type INodeProperties } from 'n8n-workflow';

import { fetchRules } from '../../../shared/api/shownRules';
import { CONTAINER_LIST, fetchEntries, type ListEntry } from '../../../shared/api/lists';
import { SET_FOR_RECIPIENT } from '../../../shared/api/recipientFilter';
import { withLink } from '../../../shared/api/links';
import { narrowByName } from '../../../shared/api/nameQuery';
import { findCreation, matchesName } from '../../../shared/api/records';
import { endpoints } from '../../../shared/client/endpoints';
import {
	nameContainsOption,
	queryOption,
	recipientOption,
	simpleField,
} from '../../../shared/descriptions/options';
import { isNotFound } from '../../../shared/errors/errors';
import { parseDate, toCalendarDay } from '../../../shared/parameters/dates';
import { readQuery } from '../../../shared/parameters/requests';
import { shorten } from '../../../shared/parameters/values';
import { paginationFields } from '../../descriptions/commonFields';
import { defineOperation } from '../../execution/defineOperation';
import type { Item } from '../../execution/item';
import { parseListOptions } from '../commonOperations';
import { fetchByRecipient, parseRecipient } from './byRecipient';

const dayField = { type: 'dateTime', typeOptions: { dateOnly: true } } as const;

const createdAfterOption = simpleField(
	['Created After', 'createdAfter', ''],
	'Only containers that were created after this day, in the time zone of the workflow',
	dayField,
);
const createdBeforeOption = simpleField(
	['Created Before', 'createdBefore', ''],
	'Only containers that were created before this day, in the time zone of the workflow',
	{ ...dayField, placeholder: 'e.g. {{ $now.minus({ days: 90 }) }}' },
);
const includeRulesOption = simpleField(
	['Include Rules', 'includeRules', false],
	'Whether to add the access rules of each container, with a request for each',
);

/** Lists containers (docs/openapi.yaml, listContainers), by recipient where one is set, with their rules where that is on (getDrmRules). */
export const getContainers = defineOperation({
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many containers',
	description: 'List the containers of a user',
	routing: { request: endpoints.listContainers },
	alsoSends: [endpoints.getDrmRules, endpoints.getContainer],
	fields: paginationFields,
	options: [
		createdAfterOption,
		createdBeforeOption,
		includeRulesOption,
		nameContainsOption,
		queryOption,
		recipientOption,
	],
	parse(item) {
		const part = item.read(nameContainsOption);
		const isWithin = getCreationFilter(item);
		const matches = (entry: ListEntry) =>
			matchesName(entry.name, part) && isWithin?.(entry) !== false;
		const isFiltered = part !== '' || isWithin !== undefined;
		const list = parseListOptions(item, isFiltered ? matches : undefined);
		const recipient = parseRecipient(item);
		// Another one in the query would contradict it.
		if (recipient !== undefined) readQuery(item, SET_FOR_RECIPIENT);
		return { part, list, recipient, includeRules: item.read(includeRulesOption) };
	},
	async send(item, { part, list, recipient, includeRules }) {
		const query = await narrowByName(item.client, part, list.query ?? []);
		const narrowed = { ...list, query };
		const entries =
			recipient === undefined
				? await fetchEntries(item.client, CONTAINER_LIST, await item.getUserId(), narrowed)
				: await fetchByRecipient(item, recipient, narrowed);
		const linked = entries.map(async ({ id, record }) => await withLink(item.client, id, record));
		const containers = await Promise.all(linked);
		return includeRules ? await addRules(item, containers) : containers;
	},
});

/** Whether a record was created between the days of the options; an OperationalError where it doesn't show when. */
function getCreationFilter(item: Item): ((entry: ListEntry) => boolean) | undefined {
	const { timeZone } = item;
	if (!item.has(createdAfterOption) && !item.has(createdBeforeOption)) return undefined;
	const parse = (option: INodeProperties, open: string) =>
		item.has(option) ? parseDate(item.evaluate(option), option.displayName, timeZone) : open;
	const after = parse(createdAfterOption, '');
	const before = parse(createdBeforeOption, '9999-12-31');
	return ({ id, name = '', record }) => {
		const created = findCreation(record);
		const day = created && toCalendarDay(created, timeZone);
		if (day !== undefined) return day > after && day < before;
		throw new OperationalError('The service does not show when a container was created', {
			description: `Remove "Created After" and "Created Before" from the options: without a date, nobody can tell which containers are meant. One without a date is "${shorten(name)}" (${id}).`,
		});
	};
}

/** Adds the rules of each container; those that were deleted meanwhile are left out. */
async function addRules(
	{ client, execution }: Item,
	records: IDataObject[],
): Promise<IDataObject[]> {
	const fetched = records.map(async (record) => {
		const rules = await fetchRules(client, String(record.containerId)).catch((error: unknown) => {
			if (!isNotFound(error)) throw error;
		});
		return rules === undefined ? [] : [{ ...record, rules }];
	});
	const found = (await Promise.all(fetched)).flat();
	const missing = records.length - found.length;
	if (missing > 0) {
		execution.addHint(`Containers left out because they were deleted meanwhile: ${missing}.`);
	}
	return found;
}
