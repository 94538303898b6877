import { UserError, type INodeProperties } from 'n8n-workflow';

import { CONTAINER_LIST, fetchEntries } from '../../../shared/api/lists';
import { narrowByName } from '../../../shared/api/nameQuery';
import { findsRecipients, toRecipientQuery } from '../../../shared/api/recipientFilter';
import { fold, matchesName } from '../../../shared/api/records';
import type { Client } from '../../../shared/client/client';
import { nameContainsOption } from '../../../shared/descriptions/options';
import { createMatcher } from '../../../shared/parameters/addresses';
import { readQuery, type QueryParameters } from '../../../shared/parameters/requests';
import { listSome } from '../../../shared/parameters/values';
import { choiceField, containerLocator } from '../../descriptions/commonFields';
import type { Item } from '../../execution/item';
import { describeContainer, type ContainerEntry } from './readModifyWrite';

/** Without `containerId`, all with a matching name. */
export interface Selection {
	containerId?: string;
	nameContains: string;
	/** Whether it is the whole name of one container, unless it has a `*`. */
	isWholeName?: boolean;
	/** Only those that this address can open. */
	recipient?: string;
	query: QueryParameters;
}

const containersField = choiceField(
	['Containers', 'containers', 'all'],
	{ all: ['All'], byName: ['By Name'], one: ['One'] },
	'Which containers to work on',
);

const byName = { displayOptions: { show: { containers: ['byName'] } } };

const namePartField = { ...nameContainsOption, required: true };

const wholeNameField = {
	...namePartField,
	displayName: 'Name',
	description:
		'The whole name of the container, in capitals or not. With *, which stands for any characters, all containers with such a name.',
	placeholder: 'e.g. Project A, or Project A *',
};

/** For an operation on all, some or one of the containers. */
export const selectionFields: INodeProperties[] = [
	containersField,
	{ ...containerLocator, displayOptions: { show: { containers: ['one'] } } },
	{ ...namePartField, ...byName },
];

/** For an operation that gives access: to one container, or to those that somebody names. */
export const wholeNameSelectionFields: INodeProperties[] = [
	{
		...containersField,
		options: containersField.options.filter(({ value }) => value !== 'all'),
		default: 'one',
	},
	{ ...containerLocator, displayOptions: { show: { containers: ['one'] } } },
	{ ...wholeNameField, ...byName },
];

export function parseSelection(item: Item, { isWholeName }: { isWholeName: boolean }): Selection {
	const choice = item.read(containersField);
	const all = { nameContains: '', isWholeName, query: readQuery(item) };
	if (choice === 'one') return { ...all, containerId: item.parsePathParam(containerLocator) };
	if (choice === 'all') return all;
	return { ...all, nameContains: item.read(isWholeName ? wholeNameField : namePartField) };
}

/** @throws UserError where several containers have a name that is meant for one */
export async function fetchContainers(item: Item, selection: Selection): Promise<ContainerEntry[]> {
	const { containerId, nameContains } = selection;
	if (containerId !== undefined) return [{ id: containerId }];
	const { client, execution } = item;
	const userId = await item.getUserId();
	const query = await narrowList(client, selection);
	const key = `containers of ${JSON.stringify([userId, query])}`;
	const fetchAll = async () => await fetchEntries(client, CONTAINER_LIST, userId, { query });
	const entries = await item.memoize(key, fetchAll);
	const found = entries.filter(({ name }) => isSelected(name, selection));
	if (found.length === 0 && nameContains !== '') {
		const noSuchName = `No container has the name "${nameContains}".`;
		const noSuchPart = `No container has a name that contains "${nameContains}".`;
		execution.addHint(selection.isWholeName ? noSuchName : noSuchPart);
	}
	const what = entries.length === 1 ? 'container' : 'containers';
	execution.addHint(`The service listed ${entries.length} ${what}.`);
	assertOneName(item, selection, found);
	return found;
}

/** Lets the service leave out what isn't selected, where it can. What it lists, the node still looks at. */
async function narrowList(client: Client, { recipient, nameContains, query }: Selection) {
	const named = await narrowByName(client, nameContains, query);
	if (recipient === undefined || !(await findsRecipients(client))) return named;
	return toRecipientQuery(named, recipient);
}

function isSelected(name = '', { nameContains, isWholeName }: Selection): boolean {
	if (!isWholeName) return matchesName(name, nameContains);
	const wanted = fold(nameContains.trim());
	const shown = fold(name.trim());
	return wanted.includes('*') ? createMatcher(wanted)(shown) : shown === wanted;
}

/** @throws UserError where several containers have a name that is meant for one */
function assertOneName(item: Item, selection: Selection, containers: ContainerEntry[]): void {
	const { nameContains, isWholeName } = selection;
	if (!isWholeName || containers.length < 2 || nameContains.includes('*')) return;
	const titles = containers.map((container) => describeContainer(item, container));
	const message = `${containers.length} containers have the name "${nameContains}"`;
	throw new UserError(message, {
		description: `Nothing was changed. They are: ${listSome(titles)}. Set "${containersField.displayName}" to One and choose the one that you mean; or, to change all of them, enter a name with * in "${wholeNameField.displayName}".`,
	});
}
