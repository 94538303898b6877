import { NodeApiError, type INodeParameters } from 'n8n-workflow';
import {
	defaultCredentials,
	inlineBinary,
	runNode,
	storeBinary,
	storedRecord,
	useBinaryMode,
} from '../support/engine.cts';
import { mockService } from '../support/nock.cts';

const service = mockService();

const getMe: INodeParameters = { resource: 'user', operation: 'getMe' };

const getContact: INodeParameters = {
	resource: 'contact',
	operation: 'get',
	contactEmail: { __rl: true, mode: 'email', value: '={{ $json.email }}' },
	options: { userId: 'user-1' },
};

const contactPath = (email: string) => `/users/user-1/contacts/${encodeURIComponent(email)}`;

const twoContacts = [{ json: { email: 'a@example.com' } }, { json: { email: 'b@example.com' } }];

describe('running the node', () => {
	it('evaluates expressions for each item, before and after the node', async () => {
		for (const { json } of twoContacts) {
			service.get(contactPath(json.email)).reply(200, { first_name: 'Ada' });
		}

		const result = await runNode({
			parameters: getContact,
			items: twoContacts,
			timezone: 'Asia/Tokyo',
			next: {
				email: "={{ $('Input').item.json.email }}",
				zone: '={{ $now.zoneName }}',
				unknown: "={{ $('Nowhere').item.json.email }}",
			},
		});

		expect(service.requests.map(({ path }) => path).sort()).toEqual([
			'/api/v1/users/user-1/contacts/a%40example.com',
			'/api/v1/users/user-1/contacts/b%40example.com',
		]);
		const failed = { $error: expect.stringContaining("doesn't exist") };
		expect(result.next).toEqual([
			{ email: 'a@example.com', zone: 'Asia/Tokyo', unknown: failed },
			{ email: 'b@example.com', zone: 'Asia/Tokyo', unknown: failed },
		]);
	});

	it('returns the error itself, its record and the log, without the API key', async () => {
		service.get('/me').reply(403, { message: 'Not for you' });

		const result = await runNode({ parameters: getMe });

		expect(result.status).toBe('error');
		expect(result.error).toBeInstanceOf(NodeApiError);
		expect(result.run.error?.message).toBe(result.error?.message);
		const written = [storedRecord(result.execution), ...result.log].join('\n');
		expect(written).toContain(result.error?.message);
		expect(written).not.toContain(defaultCredentials.apiKey);
	});
});

describe('files', () => {
	const content = Buffer.from('confidential');
	const details = { fileName: 'report.txt', mimeType: 'text/plain' };

	afterEach(async () => {
		await useBinaryMode('filesystem');
	});

	it('are stored in the file system, with an id and without content', async () => {
		const file = await storeBinary(content, details);

		expect(file).toMatchObject({ ...details, data: 'filesystem-v2', fileExtension: 'txt' });
		expect(file.id).toMatch(/^filesystem-v2:/);
	});

	it('stay in the item in memory mode, and inline, without an id', async () => {
		await useBinaryMode('default');
		const inMemory = { ...details, data: content.toString('base64') };

		expect(await storeBinary(content, details)).toMatchObject(inMemory);
		expect(inlineBinary(content, details)).toMatchObject(inMemory);
		expect(inlineBinary(content, details).id).toBeUndefined();
	});
});
