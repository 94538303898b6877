import { assertFeature } from '../../../shared/api/features';
import { withRequestLink } from '../../../shared/api/links';
import { fetchEntries, REQUEST_LIST, type ListEntry } from '../../../shared/api/lists';
import { narrowByName } from '../../../shared/api/nameQuery';
import { matchesName } from '../../../shared/api/records';
import { endpoints } from '../../../shared/client/endpoints';
import { nameContainsOption } from '../../../shared/descriptions/options';
import { paginationFields, requestLocator } from '../../descriptions/commonFields';
import { defineOperation } from '../../execution/defineOperation';
import type { Item } from '../../execution/item';
import type { Operation } from '../../execution/operation';
import { deleteOne, getOne, parseListOptions } from '../commonOperations';
import type { Resource } from '../defineResource';
import { createRequest } from './create.operation';

const getRequest = defineOperation({
	name: 'Get',
	value: 'get',
	action: 'Get a file request',
	description: 'Get a file request, and how many deliveries came',
	routing: { request: endpoints.getRequest },
	...onlyWhereKnown(getOne({ action: 'get the file request', pathField: requestLocator })),
});

const closeRequest = defineOperation({
	name: 'Close',
	value: 'delete',
	action: 'Close a file request',
	description: 'End a file request: nobody can send more. What came stays.',
	routing: { request: endpoints.deleteRequest },
	alsoSends: [endpoints.getRequest],
	...onlyWhereKnown(deleteOne('close the file request', requestLocator)),
});

const namedOption = {
	...nameContainsOption,
	description:
		'Only requests with this text in their name. * stands for any characters, ? for one.',
};

const getRequests = defineOperation({
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many file requests',
	description: 'List the file requests of a user',
	routing: { request: endpoints.listRequests },
	fields: paginationFields,
	options: [namedOption],
	...onlyWhereKnown({
		parse(item) {
			const part = item.read(namedOption);
			const matches = ({ name }: ListEntry) => matchesName(name, part);
			return { part, list: parseListOptions(item, part === '' ? undefined : matches) };
		},
		async send(item, { part, list }) {
			const userId = await item.getUserId();
			const query = await narrowByName(item.client, part, list.query ?? []);
			const entries = await fetchEntries(item.client, REQUEST_LIST, userId, { ...list, query });
			const linked = entries.map(({ id, record }) => withRequestLink(item.client, id, record));
			return await Promise.all(linked);
		},
	}),
});

/** Without the feature, a service answers 404, as for a request that isn't there. */
function onlyWhereKnown<Input>(operation: Operation<Input>): Operation<Input> {
	const send = async (item: Item, input: Input) => {
		await assertFeature(item.client, 'requests');
		return (await operation.send?.(item, input)) ?? [];
	};
	return { ...operation, send };
}

export const request: Resource = {
	name: 'File Request',
	value: 'request',
	operations: [closeRequest, createRequest, getRequest, getRequests],
	defaultOperation: createRequest,
};
