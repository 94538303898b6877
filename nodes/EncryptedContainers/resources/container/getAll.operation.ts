import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { OperationalError, UserError } from 'n8n-workflow';

import { findCreation } from '../../../shared/api/creation';
import { fetchRules } from '../../../shared/api/drmRules';
import { CONTAINER_LIST, type ListOptions } from '../../../shared/api/lists';
import { getContainerIdentity, withContainerId } from '../../../shared/api/records';
import { nameContainsOption } from '../../../shared/descriptions/options';
import { isNotFound } from '../../../shared/errors/nodeErrors';
import { addDays, parseDate } from '../../../shared/parameters/dates';
import { parseBoolean } from '../../../shared/parameters/scalars';
import { shorten } from '../../../shared/parameters/values';
import { matchesName } from '../../../shared/parameters/wildcards';
import { paginationFields, queryOption, simpleField } from '../../descriptions/commonFields';
import { defineOperation } from '../../execution/defineOperation';
import { logWarning } from '../../execution/host';
import type { Item } from '../../execution/item';
import type { Call } from '../../execution/operation';
import { fetchRecords, getListOptions, getNamePart } from '../commonOperations';

const CREATED_AFTER = 'Created After';
const CREATED_BEFORE = 'Created Before';

const day: Partial<INodeProperties> = { type: 'dateTime', typeOptions: { dateOnly: true } };

const includeRulesOption = simpleField(
	['Include Rules', 'includeRules', false],
	'Whether to add the access rules of each container, which takes a request for each',
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
			'Only containers that were created after this day, in the time zone of the workflow. Requires a service that shows when a container was created.',
			day,
		),
		simpleField(
			[CREATED_BEFORE, 'createdBefore', ''],
			'Only containers that were created before this day, in the time zone of the workflow. Requires a service that shows when a container was created.',
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
		const list: ListOptions = {
			...getListOptions(item),
			matches: part === '' && isWithin === undefined ? undefined : matches,
		};
		return { list, includeRules: item.parseOption(includeRulesOption, parseBoolean) };
	},
	async send(call, { list, includeRules }) {
		const entries = await fetchRecords(call, CONTAINER_LIST, list);
		const containers = entries.map(({ id, record }) => withContainerId(id, record));
		return includeRules ? await addRules(call, containers) : containers;
	},
});

/** Whether a record was created between the days of the options; an OperationalError where it doesn't show when. */
function getCreationFilter(item: Item): ((record: IDataObject) => boolean) | undefined {
	const { timeZone } = item;
	const options = item.getOptions();
	const parse = (name: string, label: string) =>
		Object.hasOwn(options, name) ? parseDate(options[name], label, timeZone) : undefined;
	const after = parse('createdAfter', CREATED_AFTER);
	const before = parse('createdBefore', CREATED_BEFORE);
	if (after === undefined && before === undefined) return undefined;
	if (after !== undefined && before !== undefined && addDays(after, 1) >= before) {
		throw new UserError(`No day is after "${CREATED_AFTER}" and before "${CREATED_BEFORE}"`, {
			description: `Nothing was sent. "${CREATED_AFTER}" is ${after} and "${CREATED_BEFORE}" is ${before}: neither day itself counts. Enter a later day in "${CREATED_BEFORE}".`,
		});
	}
	return (record) => {
		const day = findCreation(record, timeZone)?.day;
		if (day === undefined) {
			const { id, name = '' } = getContainerIdentity(record);
			throw new OperationalError('The service does not show when a container was created', {
				description: `Remove "${CREATED_AFTER}" and "${CREATED_BEFORE}" from the options: without a date, nobody can tell which containers are meant. One without a date is "${shorten(name)}" (${id}).`,
			});
		}
		return (after === undefined || day > after) && (before === undefined || day < before);
	};
}

/** Adds the rules of each container; those that were deleted meanwhile are left out. */
async function addRules(call: Call, records: IDataObject[]): Promise<IDataObject[]> {
	const { client, item } = call;
	const found: IDataObject[] = [];
	// One for all workers: an error in one of them ends it.
	const left = (function* () {
		yield* records.entries();
	})();
	const work = async () => {
		for (const [index, record] of left) {
			const id = String(record.containerId);
			const rules = await fetchRules(client, id).catch((error: unknown) => {
				if (!isNotFound(error)) throw error;
			});
			if (rules) found[index] = { ...record, rules };
		}
	};
	await Promise.all(Array.from({ length: item.settings.maxConcurrent }, work));
	const missing = records.filter((_record, index) => !(index in found));
	if (missing.length > 0) reportMissing(call, missing);
	return Object.values(found);
}

/** Names those that were deleted meanwhile above the output. */
function reportMissing({ client, run, item }: Call, missing: IDataObject[]): void {
	const names = missing.map(getContainerIdentity).map(({ id, name }) => `"${name}" (${id})`);
	const message = `Left out because they were deleted meanwhile: ${client.redactLine(names.join(', '))}`;
	run.addHint(message);
	logWarning(item.host, message);
}
