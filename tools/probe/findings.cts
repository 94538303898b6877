import { IP_ENTRIES, type Owned } from './walk.cts';
import { describeShape, findField, quote, type Seen } from './seen.cts';

/** What this service does at an open point, and what the node makes of it where that was seen. */
interface Finding {
	service: string;
	node?: string;
}

type Find = (seen: Seen, owned: Owned) => Finding;

const notTried =
	(reason: string): Find =>
	() => ({ service: `Not tried: ${reason}` });

const both =
	(...ids: string[]): Find =>
	(seen) => ({ service: seen.response(...ids), node: seen.outcome(...ids) });

/** Which fields a record has beyond those that the contract lists. */
const fields =
	(id: string, key?: string): Find =>
	(seen) => {
		const body = seen.body(id);
		const record = key === undefined ? body : (findField(body, key) ?? body);
		return { service: describeShape(record), node: seen.outcome(id) };
	};

/** The value of a rule in the responses of some steps. */
const rule =
	(name: string, ...ids: string[]): Find =>
	(seen) => ({
		service: ids
			.map((id) => {
				const status = seen.answer(id)?.status ?? 'not seen';
				return `${id}: ${status}, ${name} is ${quote(findField(seen.body(id), name))}`;
			})
			.join('; '),
		node: seen.outcome(...ids),
	});

const listForm =
	(id: string, own: (owned: Owned) => string | undefined): Find =>
	(seen, owned) => {
		const entry = findEntry(seen.body(id), own(owned));
		const form = entry === undefined ? 'the record of this run is not on the last page' : entry;
		return { service: `${seen.response(id)}; an entry: ${form}`, node: seen.outcome(id) };
	};

const pages =
	(id: string): Find =>
	(seen) => {
		const { exchanges = [] } = seen.all.find((step) => step.id === id) ?? {};
		const links = exchanges.filter(({ headers }) => headers.link !== undefined).length;
		const names = exchanges.at(-1)?.text.match(/"(next|cursor|page|total|has_?more)\w*"/gi) ?? [];
		const found = [...new Set(names)].join(', ') || 'no field for pages';
		return {
			service: `${exchanges.length} requests for up to 50 entries; Link header: ${links} times; ${found}`,
			node: seen.outcome(id),
		};
	};

/** Whether what a change left out is still there. */
const kept =
	(names: string[], before: string, after: string): Find =>
	(seen) => ({
		service: names
			.map((name) => {
				const values = [before, after].map((id) => quote(findField(seen.body(id), name)));
				return `${name}: ${values.join(', then ')}`;
			})
			.join('; '),
		node: seen.outcome(after),
	});

const statuses: Find = (seen) => ({
	service: REQUESTS.map((id) => `${id} ${seen.answer(id)?.status ?? 'not seen'}`).join(', '),
	node: REQUESTS.every((id) => seen.succeeded(id))
		? 'Accepted all'
		: seen.outcome(...REQUESTS.filter((id) => !seen.succeeded(id))),
});

const REQUESTS = [
	...['user', 'encode', 'containers', 'envelope', 'container', 'rules', 'update'],
	...['contacts', 'contact', 'contactRecord', 'revoke', 'deleteContainer', 'deleteContact'],
];

const limits: Find = (seen) => {
	const exchanges = seen.all.flatMap((step) => step.exchanges);
	const refused = exchanges.filter(({ status }) => status === 429);
	const names = exchanges.flatMap(({ headers }) => Object.keys(headers));
	const found = [...new Set(names)].filter((name) => /rate-?limit|retry-after/.test(name));
	return {
		service: `${exchanges.length} requests, ${refused.length} of them refused with 429; headers: ${found.join(', ') || 'none'}`,
	};
};

const numbers: Find = (seen) => {
	const digits = seen.all.flatMap(({ exchanges }) =>
		exchanges.flatMap(({ text }) => text.match(/(?<=[:[,]\s*)\d+/g) ?? []),
	);
	const longest = Math.max(0, ...digits.map(({ length }) => length));
	return { service: `The largest number in a response has ${longest} digits` };
};

const versions: Find = (seen) => {
	const names = seen.all.flatMap(({ exchanges }) =>
		exchanges.flatMap(({ headers }) => Object.keys(headers)),
	);
	const found = [...new Set(names)].filter((name) => /deprecation|sunset|version/.test(name));
	return { service: `Headers: ${found.join(', ') || 'none about it'}` };
};

const states: Find = (seen) => {
	const ids = ['encode', 'container', 'deletedContainer'];
	const shown = ids.map((id) => {
		const state = ['state', 'status'].map((name) => findField(seen.body(id), name));
		return `${id}: ${seen.answer(id)?.status ?? 'not seen'}, ${quote(state.find((one) => one !== undefined))}`;
	});
	return {
		service: `State or status: ${shown.join('; ')}`,
		node: seen.outcome('deletedContainer'),
	};
};

const REFUSALS = ['wrongKey', 'unknownContainer', 'unknownUser', 'invalidRules', 'deletedContact'];

/** By the ID of the open point in docs/openapi.yaml. */
export const FINDINGS: Record<string, Find> = {
	'service: Operations that configure storage': notTried('only the twelve operations are.'),
	'service: States of a container and the transitions between them': states,
	'service: Events and webhooks': notTried('only the twelve operations are.'),
	'service: The success status of each operation': statuses,
	'service: Rate limits, and limits on the size and number of files': limits,
	'service: How long v1 is supported and how it is deprecated': versions,
	'service: The size of numbers': numbers,
	'encodeFiles: How many files a container can hold, and how large they can be': (seen) => ({
		service: `One file of 42 bytes: ${seen.response('encode')}. More or larger ones are not tried.`,
		node: seen.outcome('encode'),
	}),
	'encodeFiles: Whether the service also supports the part names of older clients': notTried(
		'it would create another container.',
	),
	'listContainers: Pagination': pages('containers'),
	'listContainers: The order of the list': notTried('it would need records of others.'),
	'getContainer: Which details there are, and whether they come in an envelope': both('container'),
	'updateDrmRules: Whether rules that the request leaves out stay as they are': kept(
		['opens', 'recipients', 'time', 'geo'],
		'allRules',
		'afterPartOfRules',
	),
	'updateDrmRules: The response to a change of rules': both('update'),
	'listContacts: Pagination and order': pages('contacts'),
	'getContact: The form of the response': both('contactRecord'),
	'upsertContact: Which fields a contact can have': (seen) => ({
		service: `Another field: ${seen.response('otherField')}, then ${quote(findField(seen.body('afterOtherField'), 'probe_field'))}`,
		node: seen.outcome('otherField'),
	}),
	'upsertContact: Whether fields that the request leaves out stay as they are': kept(
		['company', 'first_name'],
		'contactRecord',
		'afterPartOfContact',
	),
	'upsertContact: The response, and whether a new contact has another status': both(
		'contact',
		'partOfContact',
	),
	'apiKey: Which users can reach the containers and contacts of other users': both('unknownUser'),
	'apiKey: When a key expires, and how it is revoked': both('wrongKey'),
	'Link: Whether the service sends it': pages('contacts'),
	'Deleted: The response to a deletion': both('deleteContainer', 'deleteContact'),
	'Error: Which status and which code stand for which failure': (seen) => ({
		service: REFUSALS.map((id) => {
			const answer = seen.answer(id);
			return `${id}: ${answer?.status ?? 'not seen'} ${quoteCode(answer?.text)}`.trim();
		}).join('; '),
		node: seen.outcome(...REFUSALS.filter((id) => id !== 'invalidRules')),
	}),
	'Error: The form of an error body': (seen) => ({
		service: seen.response(...REFUSALS),
		node: seen.outcome('unknownContainer'),
	}),
	'User: The possible roles': (seen) => ({
		service: `This user: ${quote(findField(seen.body('user'), 'role'))}`,
		node: seen.outcome('user'),
	}),
	'User: The other fields of a user': fields('user'),
	'Container: The other fields of a container': fields('container', 'container'),
	'ContainerList: The form of the list': both('containers'),
	'ContainerList: The form of an entry': listForm('containers', ({ containerId }) => containerId),
	'Manifest: Whether the service supports this field, and what it can hold': notTried(
		'it would create another container.',
	),
	'ManifestContainer: What a password must look like': notTried(
		'the container of the probe has none, so that no password is in its files.',
	),
	'ManifestContainer: Which fields are required': (seen) => ({
		service: `Sent: name, recipients, downloadable, drm { dynamic, time.end }: ${seen.response('encode')}`,
		node: seen.outcome('encode'),
	}),
	'Query: Which parameters there are': both(
		'containers',
		'containersByName',
		'contacts',
		'contactsByEmail',
	),
	'Recipients: What an empty list means': (seen) => ({
		service: `${seen.response('noRecipients')}, then recipients is ${quote(findField(seen.body('afterNoRecipients'), 'recipients'))}. Only a viewer can see what it means.`,
	}),
	'DrmRules: The default': notTried('it would create another container.'),
	'DrmRules: Whether opens are counted for each viewer or together': notTried(
		'only viewers can see it.',
	),
	'DrmRulesResponse: The form of the response': both('rules'),
	'DrmRulesResponse: Fields besides the rules': fields('rules'),
	'GeoRules: Whether the service supports blocked places': rule('block', 'geoBlock', 'allRules'),
	'GeoRules: Everything but the list of allowed countries': rule('geo', 'geoBlock', 'allRules'),
	'GeoRule: Which country codes the service uses': rule('country', 'geoAllow', 'allRules'),
	'GeoRule: The finer fields': rule('geo', 'geoFiner', 'allRules'),
	'IpRules: The form of the object and of its entries': (seen, owned) => {
		const { service, node } = rule('ip', 'ip', 'ipBlock', 'allRules')(seen, owned);
		return { service: `Sent: ${IP_ENTRIES.join(' ')}. ${service}`, node };
	},
	'AccessWindow: Whether responses can also show timestamps': rule('time', 'start', 'allRules'),
	'Contact: All fields of a contact': fields('contactRecord'),
	'ContactList: The form of the list and of its entries': listForm(
		'contacts',
		({ email }) => email,
	),
};

/** The entry of a list that holds an ID or an address. */
function findEntry(value: unknown, own: string | undefined): string | undefined {
	if (typeof value !== 'object' || value === null || own === undefined) return undefined;
	if (Array.isArray(value)) {
		const entry: unknown = value.find((one) => JSON.stringify(one).includes(own));
		if (entry !== undefined) return describeShape(entry);
	}
	const found = Object.values(value).map((child) => findEntry(child, own));
	return found.find((entry) => entry !== undefined);
}

/** A code or type in the body of an error. */
function quoteCode(text = ''): string {
	const code = /"(?:code|error|type)"\s*:\s*"([\w.-]{1,40})"/.exec(text)?.[1];
	return code ?? '';
}
