import { OperationalError, type IDataObject } from 'n8n-workflow';

import { fetchRules } from '../../../shared/api/drmRules';
import { CONTAINER_LIST } from '../../../shared/api/lists';
import {
	findCreation,
	getContainerIdentity,
	matchesName,
	withContainerId,
} from '../../../shared/api/records';
import { nameContainsOption } from '../../../shared/descriptions/options';
import { isNotFound } from '../../../shared/errors/errors';
import { parseDate } from '../../../shared/parameters/dates';
import { parseBoolean, shorten } from '../../../shared/parameters/values';
import { paginationFields, queryOption, simpleField } from '../../descriptions/commonFields';
import { defineOperation } from '../../execution/defineOperation';
import type { Item } from '../../execution/item';
import { fetchRecords, getListOptions, getNamePart } from '../commonOperations';

const CREATED_AFTER = 'Created After';
const CREATED_BEFORE = 'Created Before';

const day = { type: 'dateTime', typeOptions: { dateOnly: true } } as const;

const includeRulesOption = simpleField(
	['Include Rules', 'includeRules', false],
	'Whether to add the access rules of each container, with a request for each',
);

/** Lists containers (docs/openapi.yaml, listContainers), with their rules where that is on (getDrmRules). */
export const getContainers = defineOperation({
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many containers',
	description: 'List the containers of a user',
	endpoint: { method: 'GET', path: '/users/{userId}/containers' },
	fields: paginationFields,
	options: [
		simpleField(
			[CREATED_AFTER, 'createdAfter', ''],
			'Only containers that were created after this day, in the time zone of the workflow',
			day,
		),
		simpleField(
			[CREATED_BEFORE, 'createdBefore', ''],
			'Only containers that were created before this day, in the time zone of the workflow',
			{ ...day, placeholder: 'e.g. {{ $now.minus({ days: 90 }) }}' },
		),
		includeRulesOption,
		nameContainsOption,
		queryOption,
	],
	parse(item) {
		const part = getNamePart(item);
		const isWithin = getCreationFilter(item);
		const matches = (record: IDataObject) =>
			matchesName(getContainerIdentity(record).name, part) && isWithin?.(record) !== false;
		const isFiltered = part !== '' || isWithin !== undefined;
		const list = { ...getListOptions(item), matches: isFiltered ? matches : undefined };
		return { list, includeRules: item.parseOption(includeRulesOption, parseBoolean) };
	},
	async send(item, { list, includeRules }) {
		const entries = await fetchRecords(item, CONTAINER_LIST, list);
		const containers = entries.map(({ id, record }) => withContainerId(id, record));
		return includeRules ? await addRules(item, containers) : containers;
	},
});

/** Whether a record was created between the days of the options; an OperationalError where it doesn't show when. */
function getCreationFilter(item: Item): ((record: IDataObject) => boolean) | undefined {
	const { timeZone } = item;
	const { createdAfter, createdBefore } = item.getOptions();
	if (createdAfter === undefined && createdBefore === undefined) return undefined;
	const parse = (date: unknown, label: string) =>
		date === undefined ? undefined : parseDate(date, label, timeZone);
	const after = parse(createdAfter, CREATED_AFTER) ?? '';
	const before = parse(createdBefore, CREATED_BEFORE) ?? '9999-12-31';
	return (record) => {
		const created = findCreation(record, timeZone)?.day;
		if (created !== undefined) return created > after && created < before;
		const { id, name = '' } = getContainerIdentity(record);
		throw new OperationalError('The service does not show when a container was created', {
			description: `Remove "${CREATED_AFTER}" and "${CREATED_BEFORE}" from the options: without a date, nobody can tell which containers are meant. One without a date is "${shorten(name)}" (${id}).`,
		});
	};
}

/** Adds the rules of each container; those that were deleted meanwhile are left out. */
async function addRules({ client, run }: Item, records: IDataObject[]): Promise<IDataObject[]> {
	const fetched = records.map(async (record) => {
		const rules = await fetchRules(client, String(record.containerId)).catch((error: unknown) => {
			if (!isNotFound(error)) throw error;
		});
		return rules === undefined ? [] : [{ ...record, rules }];
	});
	const found = (await Promise.all(fetched)).flat();
	const missing = records.length - found.length;
	if (missing > 0)
		run.addHint(`Containers left out because they were deleted meanwhile: ${missing}.`);
	return found;
}
