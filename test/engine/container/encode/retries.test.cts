import { mockService } from '../../../support/nock.cts';
import { uploadsTo, encode, envelope, partsOf, path } from '../../support/encode.cts';

const service = mockService();
const { uploads } = uploadsTo(service);

describe('trying again', () => {
	it.each([
		[429, { 'retry-after': '0' }],
		[503, { 'retry-after': '0' }],
	])('is done after %i, and the whole body is sent again', async (status, headers) => {
		service.scope().post(path).reply(status, '', headers);
		service.scope().post(path).reply(200, envelope);

		const { items, error } = await encode({}, { maxRetries: 1, includeFileDigests: true });

		expect(error).toBeUndefined();
		expect(uploads().map(({ body }) => partsOf(body)[1].content)).toEqual([
			'confidential',
			'confidential',
		]);
		expect(items[0].json.files).toHaveLength(1);
	});

	it.each([500, 502, 504, 408])(
		'is never done after %i: the container may exist, which the error says',
		async (status) => {
			service.scope().post(path).reply(status, '');

			const { error } = await encode({}, { maxRetries: 5 });

			expect(uploads()).toHaveLength(1);
			expect(error?.description).toMatch(/might have been created: look for "Invoice".*Get Many/);
		},
	);

	it('is never done after a connection that broke', async () => {
		service
			.scope()
			.post(path)
			.replyWithError(Object.assign(new Error('reset'), { code: 'ECONNRESET' }));

		const { error } = await encode({}, { maxRetries: 5 });

		expect(error?.message).toMatch(/closed the connection during the upload \(\d+ kB in total\)/);
		expect(error?.description).toMatch(/might have been created/);
	});
});

describe('a run that stops half-way', () => {
	it('names what was made before', async () => {
		service.scope().post(path).reply(200, envelope);
		service.scope().post(path).reply(422, { message: 'Words of the service' });

		const { error } = await encode(
			{},
			{},
			{ items: [{ json: { id: 'One' } }, { json: { id: 'Two' } }, { json: { id: 'Three' } }] },
		);

		expect(error?.message).toMatch(/\[item 1\]$/);
		expect(error?.description).toMatch(
			/Made before the run stopped: container "Invoice" \(c-1\)\..*On Error/,
		);
	});
});
