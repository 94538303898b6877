import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { defaultCredentials, storeBinary } from '../support/engine.cts';
import { mockService } from '../support/nock.cts';
import { runAgent, type AgentOptions } from './support/agent.cts';
import { byId, userId } from './support/operations.cts';

const service = mockService();

const fromModel = (name: string) => `={{ $fromAI('${name}', 'what it says', 'string') }}`;
const options = { userId, maxRetries: 0 };
const uploadPath = `/users/${userId}/containers/encode`;

const get = { resource: 'container', operation: 'get', ...byId(fromModel('id')), options };
const encode = {
	...{ resource: 'container', operation: 'encode', textContent: fromModel('content') },
	...{
		textFileName: 'report.md',
		name: fromModel('name'),
		recipients: 'anna@example.com',
		options,
	},
};
const report = { content: 'Revenue grew.', name: 'Report' };

/** What the tool answers to the calls for the first item. */
const answersOf = async (given: Omit<AgentOptions, 'calls'> & { calls?: IDataObject[] }) => {
	const { results, log } = await runAgent({ calls: [{}], ...given });
	expect([...results.flat(), ...log].join('\n')).not.toContain(defaultCredentials.apiKey);
	return results[0].map((result) => JSON.parse(result) as IDataObject[]);
};

describe.each(['itself', 'engine'] as const)(
	'as the tool of an agent that calls it (%s)',
	(way) => {
		it('does what the model requests', async () => {
			service.get('/containers/c%3F1').reply(200, { uuid: 'c?1' });
			service.get('/containers/c-1/drm').reply(200, { opens: 9 });
			service.patch('/containers/c-1/drm', { opens: 3 }).reply(200, { opens: 3 });
			const opens = "={{ $fromAI('opens', 'how often', 'number') }}";
			const update = { ...get, resource: 'drm', operation: 'update', rules: { opens } };
			service.post(uploadPath, /"name":"Report"[^]*Revenue grew\./).reply(201, {
				container: { uuid: 'c-2' },
			});

			const calls = [{ id: 'c?1' }];
			expect(await answersOf({ parameters: get, calls, way })).toEqual([
				[{ containerId: 'c?1', link: null, uuid: 'c?1' }],
			]);
			const change = { parameters: update, calls: [{ id: 'c-1', opens: 3 }], way };
			const output = { containerId: 'c-1', link: null, changed: true, opens: 3 };
			expect(await answersOf(change)).toEqual([[output]]);
			const settings = { name: 'Report', emailTo: 'anna@example.com' };
			expect(await answersOf({ parameters: encode, calls: [report], way })).toMatchObject([
				[{ containerId: 'c-2', settings }],
			]);
		});

		it.each<[string, INodeParameters]>([
			['sync', { email: 'a@x.example' }],
			['syncRecipients', { containerId: 'c-1', email: 'a@x.example' }],
			['removeEverywhere', { email: 'a@x.example' }],
			['check', { onViolation: 'revoke' }],
			['check', { onViolation: fromModel('action') }],
		])('%s changes nothing, because it can change many records', async (operation, more) => {
			const policy = { policy: 'fields', policyFields: { requireEnd: true } };
			const resource = operation === 'sync' ? 'contact' : 'drm';
			const parameters = { resource, operation, ...policy, ...more, options };

			const [[{ error }]] = await answersOf({ parameters, calls: [{ action: 'fix' }], way });

			expect(error).toMatch(/As a tool, this operation needs "Dry Run"/);
			expect(service.requests).toEqual([]);
		});

		it.each(['upsert', 'sync'])('%s sends none of what the agent received', async (operation) => {
			const contact = { resource: 'contact', operation, email: fromModel('email') };
			const parameters = { ...contact, dataToSend: 'autoMapInputData', dryRun: true, options };
			const items = [{ json: { chatInput: 'secret' } }];

			const calls = [{ email: 'a@x.example' }];
			const [[{ error }]] = await answersOf({ parameters, items, calls, way });

			expect(error).toMatch(/A tool can't use/);
			expect(service.requests).toEqual([]);
		});

		it('can send a file of a node before the agent by reference, and has no API key', async () => {
			const data = await storeBinary(Buffer.from('x'), {
				fileName: 'x.txt',
				mimeType: 'text/plain',
			});
			service.post(uploadPath, /filename="x.txt"/).reply(200, { container: { uuid: 'c-1' } });
			const file = {
				...{ fileSource: 'named', name: 'Report' },
				binaryPropertyName: "={{ $('Input').first().binary.data }}",
			};
			const items = [{ json: {}, binary: { data } }];

			expect(await answersOf({ parameters: { ...encode, ...file }, items, way })).toMatchObject([
				[{ containerId: 'c-1' }],
			]);
			const leak = { ...get, ...byId('={{ $credentials.apiKey }}') };
			expect(await answersOf({ parameters: leak, way })).toMatchObject([
				[{ error: expect.stringContaining('"Container" is empty') as string }],
			]);
		});
	},
);

describe('as the tool of an agent that calls it by itself', () => {
	const again = { retryOnFail: true, waitBetweenTries: 1 };

	it('it tells the model what went wrong, without the API key', async () => {
		const message = `No such container for ${defaultCredentials.apiKey}`;
		service.get('/containers/c-1').reply(404, { message });

		expect(await answersOf({ parameters: get, calls: [{ id: 'c-1' }] })).toMatchObject([
			[
				{
					...{ containerId: 'c-1', httpCode: '404' },
					error: expect.stringMatching(/The container "c-1" was not found/) as string,
				},
			],
		]);
	});

	it.each([
		['a refusal', 422, 3, /did not accept/],
		['an unknown outcome', 500, 1, /Retry On Fail did not send it again/],
	])('with Retry On Fail: repeats %s only where it can', async (_what, status, count, message) => {
		service.post(uploadPath).times(count).reply(status, { message: 'no' });

		const given = { parameters: encode, calls: [report], settings: again };
		const [[{ error, errorDescription }]] = await answersOf(given);

		const uploads = service.requests.filter(({ method }) => method === 'POST');
		expect(uploads).toHaveLength(count);
		expect(`${String(error)} ${String(errorDescription)}`).toMatch(message);
	});

	it('with Retry On Fail: each call has its own tries, and its own result', async () => {
		service.get('/containers/c-1').reply(422, { message: 'no' });
		service.get('/containers/c-1').twice().reply(200, { uuid: 'c-1' });

		const calls = [{ id: 'c-1' }, { id: 'c-1' }];
		const output = [{ containerId: 'c-1', link: null, uuid: 'c-1' }];
		expect(await answersOf({ parameters: get, calls, settings: again })).toEqual([output, output]);
	});
});
