import type { IDataObject } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { storedRecord } from '../support/engine.cts';
import { refuse, type Handler } from '../support/proxy.cts';
import { useService } from '../support/service.cts';
import {
	byId,
	contactEmail,
	expectRefusal,
	findSchemaErrors,
	inputItemId,
	itemsWith,
	operation,
	tries,
} from './support/operations.cts';

const service = useService();

const EMAILS = ['anna@example.com', 'b+b@example.com', 'carl@example.com'];
const [email] = EMAILS;
const rules = {
	...{ opens: 5, downloadable: true, recipients: [email, 'bob@example.com'] },
	geo: { allow: [{ country: 'CH' }], block: [{ country: 'US' }] },
	ip: { allow: ['192.168.1.0/24'], block: ['10.0.0.0/8'] },
	time: { start: '2026-01-01', end: '2999-12-31' },
};
const contact = {
	...{ first_name: 'Anna', last_name: 'Ada', company: 'Example Ltd' },
	phone_number: '+41 44 000 00 00',
};

/** Adds three containers, contacts and requests for files. @returns their IDs */
async function fill() {
	const ids: string[] = [];
	const requestIds: string[] = [];
	for (const one of EMAILS) {
		await service.addContact(one, contact);
		ids.push(await service.addContainer({ name: one, rules }));
		requestIds.push(await service.addRequest(one, [one]));
	}
	return { containerId: ids, requestId: requestIds };
}

const ofContainer = byId('={{ $json.id }}');
const ofRequest = { requestId: { __rl: true, mode: 'id', value: '={{ $json.id }}' } };
const ofContact = { contactEmail: contactEmail('={{ $json.id }}') };
const ofEmail = { email: '={{ $json.id }}' };
const company = { fieldsUi: { fields: [{ name: 'company', value: 'New Ltd' }] } };
const encoding = {
	...{ fileSource: 'text', textContent: 'x', name: '={{ $json.id }} 2', recipients: email },
	...{ accessEnds: 'never', options: { includeFileDigests: true, ifExists: 'reuse' } },
};

const asking = { name: '={{ $json.id }} 2', senders: email, message: 'Please.' };

const runOf = (path: string, parameters: IDataObject) => {
	const [resource, value] = path.split('/');
	const { userId, credentials } = service;
	const run = operation(`${resource}: ${value}`, parameters);
	return async (options: IDataObject, more: Parameters<typeof run>[2]) =>
		await run({}, { userId, ...options }, { credentials, ...more });
};
/** What identifies an output, and its item: a container, a contact, a new name or nothing. */
type Identity = 'containerId' | 'requestId' | 'email' | 'name' | undefined;

/** Operations on each item: the request that is refused for one of three, and what identifies an item that failed. */
const ofEach: Array<[path: string, IDataObject, method: string, target: RegExp, Identity]> = [
	['container/encode', encoding, 'POST', /encode$/, 'name'],
	['container/get', ofContainer, 'GET', /containers/, 'containerId'],
	['container/getEnvelope', ofContainer, 'GET', /containers/, 'containerId'],
	['container/getAll', {}, 'GET', /containers/, undefined],
	['container/getActivity', { actions: ['created'] }, 'GET', /events/, undefined],
	['container/decode', ofContainer, 'POST', /decode$/, 'containerId'],
	['container/delete', ofContainer, 'DELETE', /containers/, 'containerId'],
	['drm/get', ofContainer, 'GET', /drm$/, 'containerId'],
	['drm/update', { ...ofContainer, rules: { opens: 6 } }, 'PATCH', /drm$/, 'containerId'],
	['drm/revoke', ofContainer, 'PATCH', /drm$/, 'containerId'],
	['request/create', asking, 'POST', /requests$/, 'name'],
	['request/get', ofRequest, 'GET', /requests/, 'requestId'],
	['request/getAll', {}, 'GET', /requests/, undefined],
	['request/delete', ofRequest, 'DELETE', /requests/, 'requestId'],
	['contact/get', ofContact, 'GET', /contacts/, 'email'],
	['contact/getAll', {}, 'GET', /contacts/, undefined],
	['contact/upsert', { ...ofEmail, ...company }, 'PATCH', /contacts/, 'email'],
	['contact/delete', ofContact, 'DELETE', /contacts/, 'email'],
	['user/getMe', {}, 'GET', /me$/, undefined],
];

it.each(ofEach)(
	'%s has outputs of its schema, linked to their items as its errors are, and shows no key',
	async (path, parameters, method, target, identity) => {
		const filled = await fill();
		const isRecord = identity === 'containerId' || identity === 'requestId';
		const ids = isRecord ? filled[identity] : EMAILS;
		const pass: Handler = async (_request, send) => await send();
		service.on({ method, path: target }, pass);
		service.on({ method, path: target }, refuse(422, 'Words of the service'));

		const more = { items: itemsWith(...ids), next: inputItemId, onError: 'continueErrorOutput' };
		const result = await runOf(path, parameters)({}, more as object);

		const { items, errorItems, next, nextOfErrors, error } = result;
		expect(error).toBeUndefined();
		const outputs = items.map(({ json }) => json);
		expect(findSchemaErrors(outputs, 'EncryptedContainers', path)).toEqual([]);
		const inputs = items.map(({ pairedItem }) => (pairedItem as { item: number }).item);
		expect([...new Set(inputs)]).toEqual([0, 2]);
		expect(next.map(({ id }) => id)).toEqual(inputs.map((item) => ids[item]));
		if (isRecord || identity === 'email') {
			expect(outputs.map((output) => output[identity])).toEqual([ids[0], ids[2]]);
		}

		const name = identity === 'email' ? 'contactEmail' : String(identity);
		const shown = identity === 'name' ? `${ids[1]} 2` : ids[1];
		expect(errorItems).toEqual([
			expect.objectContaining({
				json: {
					// n8n adds the fields of the input item.
					...{ id: ids[1], ...(identity ? { [name]: shown } : {}), httpCode: '422' },
					error: expect.stringContaining('Words of the service') as string,
					errorDescription: expect.any(String) as string,
				},
				pairedItem: { item: 1 },
			}),
		]);
		expect(nextOfErrors).toEqual([{ id: ids[1] }]);

		for (const { headers, path: url, body } of service.requests) {
			const { authorization, ...others } = headers;
			expect(authorization).toBe(`Bearer ${service.apiKey}`);
			expect(JSON.stringify([url, String(body), others])).not.toContain(service.apiKey);
		}
	},
);

const policyFields = { forbidDownload: true, maxAccessDays: 1, allowedRecipients: email };

/** Without a User ID: it is that of the API key. */
it.each<[path: string, parameters: IDataObject]>([
	['drm/check', { policy: 'fields', policyFields }],
	['drm/removeEverywhere', { email }],
	['drm/syncRecipients', { containers: 'byName', nameContains: '*@example.com', email }],
	['contact/sync', { email, ...company, dataToSend: 'defineBelow' }],
])('%s has outputs of its schema', async (path, parameters) => {
	await fill();

	const run = runOf(path, { ...parameters, dryRun: true });
	const { items, error } = await run({ userId: '' }, {});

	expect(error?.message).toBeUndefined();
	expect(items.length).toBeGreaterThan(0);
	const outputs = items.map(({ json }) => json);
	expect(findSchemaErrors(outputs, 'EncryptedContainers', path)).toEqual([]);
});

describe.each([
	['container/get', ofContainer, 'GET'],
	['contact/upsert', { ...ofEmail, ...company }, 'PATCH'],
] as const)('the runner, shown by %s,', (path, parameters, method) => {
	const setUp = async () => {
		const { containerId: containers } = await fill();
		const ids = method === 'GET' ? containers : EMAILS;
		return { ids, run: runOf(path, parameters), items: itemsWith(...ids) };
	};
	const fail = (id: string, status: number, message: string) =>
		service.on({ method, path: new RegExp(`${encodeURIComponent(id)}$`) }, refuse(status, message));

	it.each([
		[401, /did not accept the API key/],
		[403, /API key has no permission to \w/],
		[422, /did not accept/],
		[500, /could not \w.* \(status 500/],
	])('ends at %i, names the item, and shows the API key nowhere', async (status, message) => {
		const { ids, run, items: given } = await setUp();
		fail(ids[0], status, `Refused Bearer ${service.apiKey}`);

		const { error, items, execution, log } = await run({}, { items: given });

		expect(error).toBeInstanceOf(NodeApiError);
		expect(error).toMatchObject({ httpCode: String(status), context: { itemIndex: 0 } });
		expect(error?.message).toMatch(message);
		expect(error?.message).toMatch(/\[item 0\]$/);
		expect(items).toEqual([]);
		const isOutcomeUnknown = status === 500 && method !== 'GET';
		expect(/might have/.test(error?.description ?? '')).toBe(isOutcomeUnknown);
		expect(service.requests).toHaveLength(1);
		expect([storedRecord(execution), ...log].join('\n')).not.toContain(service.apiKey);
	});

	it.each([
		['stopWorkflow', 2],
		// Where the node continues, n8n only tries again if the first item failed.
		['continueRegularOutput', 0],
		['continueErrorOutput', 0],
	] as const)(
		'sends only what failed in a later try of Retry On Fail: %s',
		async (onError, index) => {
			const { ids, run, items: given } = await setUp();
			fail(ids[index], 422, 'No');

			const more = { items: given, ...tries, onError, next: inputItemId };
			const { items, error, next } = await run({}, more);

			expect(error).toBeUndefined();
			expect(service.requests).toHaveLength(4);
			expect(items.map(({ pairedItem }) => pairedItem)).toEqual(
				[0, 1, 2].map((item) => ({ item })),
			);
			expect(next).toEqual(ids.map((id) => ({ id })));
		},
	);

	it('sends all items again in a second run, as in a loop', async () => {
		const { run, items } = await setUp();

		const { execution } = await run({}, { items, ...tries, runs: 2 });

		expect(execution.status).toBe('success');
		expect(service.requests).toHaveLength(6);
	});
});

/** The unit tests of each kind of field know more. */
it.each<[RegExp, unknown, path: string, IDataObject]>([
	[/"Container" is empty/, '  ', 'container/get', ofContainer],
	[/"Container" is not an ID or/, '..', 'container/get', ofContainer],
	[
		/"anna" in "Email" is not an email address/,
		'anna',
		'contact/upsert',
		{ ...ofEmail, ...company },
	],
	[/"User ID" is not an ID/, '..', 'contact/getAll', { options: { userId: '={{ $json.id }}' } }],
	[/"User ID" is empty/, null, 'container/getAll', { options: { userId: '={{ $json.id }}' } }],
])('nothing is sent where an item is wrong: %s, %j', async (message, id, path, parameters) => {
	const items = ['a@x.example', id, 'c@x.example'].map((one) => ({
		json: { id: one } as IDataObject,
	}));
	const { credentials } = service;
	const [resource, value] = path.split('/');
	const run = operation(`${resource}: ${value}`, parameters);

	expect((await run({}, {}, { items, credentials })).error).toBeInstanceOf(NodeOperationError);
	await expectRefusal(service, run({}, {}, { items, credentials }), message, { item: 1 });
});
