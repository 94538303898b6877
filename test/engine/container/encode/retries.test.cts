import { mockService } from '../../../support/nock.cts';
import { uploadsTo, encode, envelope, partsOf, path } from '../../support/encode.cts';

const service = mockService();
const { uploads } = uploadsTo(service);

describe('a retry', () => {
	it('follows after 429, and sends the complete body again', async () => {
		service.scope().post(path).reply(429, '', { 'retry-after': '0' });
		service.scope().post(path).reply(200, envelope);

		const { items, error } = await encode({}, { maxRetries: 1, includeFileDigests: true });

		expect(error).toBeUndefined();
		expect(uploads().map(({ body }) => partsOf(body)[1].content)).toEqual([
			'confidential',
			'confidential',
		]);
		expect(items[0].json.files).toHaveLength(1);
	});

	it.each([500, 502, 503, 504, 408])(
		'never follows after %i: the error says that the container might exist',
		async (status) => {
			service.scope().post(path).reply(status, '', { 'retry-after': '0' });

			const { error } = await encode({}, { maxRetries: 5 });

			expect(uploads()).toHaveLength(1);
			expect(error?.description).toMatch(/might have been created: look for "Invoice".*Get Many/);
		},
	);

	it('never follows after a broken connection', async () => {
		service
			.scope()
			.post(path)
			.replyWithError(Object.assign(new Error('reset'), { code: 'ECONNRESET' }));

		const { error } = await encode({}, { maxRetries: 5 });

		expect(error?.message).toMatch(/closed the connection during the upload \(\d+ kB in total\)/);
		expect(error?.description).toMatch(/might have been created/);
	});
});

describe('an execution that stops early', () => {
	it('lists what was created before', async () => {
		service.scope().post(path).reply(200, envelope);
		service.scope().post(path).reply(422, { message: 'Words of the service' });

		const { error } = await encode(
			{},
			{},
			{ items: [{ json: { id: 'One' } }, { json: { id: 'Two' } }, { json: { id: 'Three' } }] },
		);

		expect(error?.message).toMatch(/\[item 1\]$/);
		expect(error?.description).toMatch(
			/Created before the execution stopped: container "Invoice" \(c-1\)\..*On Error/,
		);
	});
});
