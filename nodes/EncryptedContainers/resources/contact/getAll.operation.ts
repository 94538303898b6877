import { CONTACT_LIST } from '../../../shared/api/lists';
import { paginationFields, queryOption } from '../../descriptions/commonFields';
import { defineOperation } from '../../execution/defineOperation';
import { fetchRecords, getListOptions } from '../commonOperations';

export const getContacts = defineOperation({
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many contacts',
	description: 'List the contacts of a user',
	endpoint: { method: 'GET', path: '/users/{userId}/contacts' },
	fields: paginationFields,
	options: [queryOption],
	parse: getListOptions,
	send: async (item, options) =>
		(await fetchRecords(item, CONTACT_LIST, options)).map(({ record }) => record),
});
