import type { INodeProperties } from 'n8n-workflow';
import { OperationalError, UserError } from 'n8n-workflow';

import type { ListEntry } from '../../../shared/api/lists';
import { CONTAINER_LIST, fetchList, groupById } from '../../../shared/api/lists';
import { getContainerIdentity } from '../../../shared/api/records';
import { nameContainsOption } from '../../../shared/descriptions/options';
import { parseShortText } from '../../../shared/parameters/scalars';
import { matchesName } from '../../../shared/parameters/wildcards';
import { containerLocator } from '../../descriptions/locators';
import type { Item } from '../../execution/item';
import type { Call } from '../../execution/operation';
import { containerParam, parsePathParam } from '../../execution/pathParams';
import type { ChoiceField } from './choices';
import { parseChoiceField } from './choices';

/** Which containers an item is about. */
export interface Selection {
	/** Undefined for all with a matching name. */
	containerId?: string;
	nameContains: string;
}

export type ContainerEntry = Pick<ListEntry, 'id' | 'name'>;

export const { displayName: NAME_LABEL } = nameContainsOption;

const containersField: ChoiceField<'all' | 'byName' | 'one'> = {
	displayName: 'Containers',
	name: 'containers',
	type: 'options',
	options: [
		{ name: 'All', value: 'all' },
		{ name: 'By Name', value: 'byName' },
		{ name: 'One', value: 'one' },
	],
	default: 'all',
	description: 'Which containers to work on',
};

/** The fields of a selection. */
export function selectionFields(preset: 'all' | 'one'): INodeProperties[] {
	return [
		{
			...containersField,
			options: containersField.options.filter(({ value }) => preset === 'all' || value !== 'all'),
			default: preset,
		},
		{ ...containerLocator, displayOptions: { show: { containers: ['one'] } } },
		{
			...nameContainsOption,
			required: true,
			displayOptions: { show: { containers: ['byName'] } },
		},
	];
}

/** @throws UserError for a selection that can't be used */
export function parseSelection(item: Item): Selection {
	const choice = parseChoiceField(item, containersField);
	if (choice === 'one') {
		return { containerId: parsePathParam(item, containerParam), nameContains: '' };
	}
	if (choice === 'all') return { nameContains: '' };
	const nameContains = parseShortText(item.getParameter('nameContains'), NAME_LABEL).trim();
	if (nameContains !== '') return { nameContains };
	throw new UserError(`"${NAME_LABEL}" is empty`, {
		description: `All containers would be meant. Enter a part of their names in "${NAME_LABEL}".`,
	});
}

/** The containers of a selection: one without a request, or those of the whole list of a user. */
export async function fetchContainers(
	call: Call,
	{ containerId, nameContains }: Selection,
): Promise<ContainerEntry[]> {
	if (containerId !== undefined) return [{ id: containerId }];
	const userId = await call.getUserId();
	const key = call.getSharedKey(`containers of ${userId}`);
	const entries = await call.run.memory.memoize(key, async () => await fetchAll(call, userId));
	if (nameContains !== '') assertAllHave('name', entries);
	return entries.filter(({ name }) => matchesName(name, nameContains));
}

async function fetchAll({ client }: Call, userId: string): Promise<ContainerEntry[]> {
	const options = { isEmptyAllowed: false, needs: 'id' as const };
	const records = await fetchList(client, CONTAINER_LIST, userId, options);
	await client.redact(records);
	assertAllHave('id', records.map(getContainerIdentity));
	const entries = groupById(records, CONTAINER_LIST).map(({ id, name }) => ({ id, name }));
	client.memory.keep();
	return entries;
}

function assertAllHave(part: 'id' | 'name', containers: Array<Partial<ContainerEntry>>): void {
	if (containers.every((container) => container[part] !== undefined)) return;
	throw new OperationalError(`The service returned a list with a container without ${part}`, {
		description:
			'Nothing was changed, because nobody can tell which containers are meant. Ask the operator of the service to check the list of containers.',
	});
}
