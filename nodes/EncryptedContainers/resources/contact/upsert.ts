import type { IDataObject, IExecutePaginationFunctions } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import { getContactEmail, unwrapContact, isRecord } from '../../../shared/api/records';
import { sameJson } from './sameJson';
import { parseJsonObject } from '../../parameters/json';
import { parseList } from '../../../shared/parameters/lists';
import type { Target } from '../../execution/pathParams';
import { pathOf, readTarget } from '../../execution/pathParams';
import { parseBoolean } from '../../parameters/drmRules';
import type { Call, Operation } from '../../execution/defineOperation';
import { fetchAllPages as readWholeList } from '../../../shared/client/paginate';

interface ContactChange {
	target: Target;
	values: IDataObject;
	skipUnchanged: boolean;
}

/** Where the contacts of a user are listed (service-api.md, end point 9). */
const LIST_URL = '/users/{userId}/contacts';

/** Creates or updates a contact (service-api.md, end point 11), without a request where nothing would change. */
export const upsertContact: Operation<ContactChange> = {
	prepare(context, route) {
		const target = readTarget(context, route);
		const { skipUnchanged = false } = context.getNodeParameter('options', {}) as IDataObject;
		return {
			target,
			values: getContactFields(context, target.contactEmail ?? ''),
			skipUnchanged: parseBoolean(skipUnchanged, 'Skip Unchanged'),
		};
	},
	async send(call, change) {
		// Two items may be about the same contact: the later one has the last word.
		const key = `contact ${change.target.userId ?? ''} ${change.target.contactEmail?.toLowerCase()}`;
		return await call.run.inOrder(key, async () => [await sendUpsert(call, change)]);
	},
};

async function sendUpsert(call: Call, change: ContactChange): Promise<IDataObject> {
	const { target, values } = change;
	const email = target.contactEmail ?? '';
	const known = change.skipUnchanged ? await fetchKnownContacts(call, target) : undefined;
	const present = known?.get(email.toLowerCase());
	if (present !== undefined && hasAll(unwrapContact(present), values)) return present;
	// What the list says about this contact is out of date from here on, also if the answer is lost.
	known?.delete(email.toLowerCase());
	const answer = await call.client.optionalRecord({
		method: 'PATCH',
		path: await pathOf(call, target),
		action: 'create or update the contact',
		json: values,
		subject: target,
	});
	return answer ?? { success: true, email };
}

async function fetchKnownContacts(call: Call, target: Target): Promise<Map<string, IDataObject>> {
	return await call.run.once(`contacts of ${target.userId ?? ''}`, async () => {
		const entries = await readWholeList(
			call.client,
			{
				method: 'GET',
				path: await pathOf(call, target, LIST_URL),
				action: 'list the contacts',
			},
			Number.POSITIVE_INFINITY,
		);
		const known = new Map<string, IDataObject>();
		for (const entry of entries) {
			const address = isRecord(entry) ? getContactEmail(entry) : undefined;
			if (address !== undefined) known.set(address.toLowerCase(), entry as IDataObject);
		}
		return known;
	});
}

function hasAll(present: IDataObject, values: IDataObject): boolean {
	return Object.entries(values).every(
		([name, value]) => name in present && sameJson(present[name], value),
	);
}

function getContactFields(context: IExecutePaginationFunctions, email: string): IDataObject {
	switch (context.getNodeParameter('dataToSend', 'defineBelow')) {
		case 'autoMapInputData':
			return mapInputFields(context, email);
		case 'json':
			return parseJsonObject(context.getNodeParameter('bodyJson', ''), 'Fields (JSON)');
		default:
			return parseFieldRows(context.getNodeParameter('fieldsUi', {}) as IDataObject);
	}
}

/** The item's own fields, but for those to ignore and the one that the address came from. */
function mapInputFields(context: IExecutePaginationFunctions, email: string): IDataObject {
	const ignored = new Set(
		parseList(context.getNodeParameter('inputsToIgnore', ''), 'Inputs to Ignore'),
	);
	const isAddress = (name: string, value: unknown) =>
		/^e-?mail$/i.test(name) ||
		(typeof value === 'string' && value.trim().toLowerCase() === email.toLowerCase());
	return Object.fromEntries(
		Object.entries(context.getInputData().json).filter(
			([name, value]) => value !== undefined && !ignored.has(name) && !isAddress(name, value),
		),
	);
}

function parseFieldRows(collection: IDataObject): IDataObject {
	const rows = (collection.fields ?? []) as Array<{ name?: unknown; value?: unknown }>;
	const values: IDataObject = {};
	for (const { name, value } of rows) {
		const field = typeof name === 'string' ? name.trim() : '';
		if (field === '') {
			throw new UserError('A field of the contact has no name', {
				description: 'Enter a name such as first_name in each row of "Fields", or remove the row.',
			});
		}
		if (field === '__proto__') {
			throw new UserError('A field of the contact cannot be named "__proto__"', {
				description: 'Enter the name of a contact field in "Fields", for example first_name.',
			});
		}
		values[field] = value as IDataObject[string];
	}
	return values;
}
