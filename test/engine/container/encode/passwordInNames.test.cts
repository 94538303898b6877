import { mockService } from '../../../support/nock.cts';
import { encode, envelope, path } from '../../support/encode.cts';
import { containersPath as listPath } from '../../support/operations.cts';

const service = mockService();
const password = 'Statement';
const existing = { org_id: 'user-1', container: { uuid: 'c-7', name: 'Statement 2026' } };

describe('a password that occurs in names', () => {
	it('does not keep Reuse Existing from finding the container, nor change its name', async () => {
		service.get(listPath).reply(200, [existing]);
		service.get('/containers/c-7/drm').reply(200, { dynamic: true });

		const { items, error } = await encode(
			{ name: 'Statement 2026', drmRules: { password } },
			{ ifExists: 'reuse' },
		);

		expect(error).toBeUndefined();
		expect(items[0].json).toMatchObject(existing);
	});

	it('leaves names, identifiers and addresses as they are, and nothing else', async () => {
		service.post(path).reply(200, {
			...envelope,
			container: {
				uuid: 'Statement-1',
				name: 'Statement 2026',
				recipients: ['Statement@example.com'],
			},
			note: 'It is Statement.',
		});

		const { items } = await encode({ drmRules: { password } });

		expect(items[0].json).toMatchObject({
			container: {
				uuid: 'Statement-1',
				name: 'Statement 2026',
				recipients: ['Statement@example.com'],
			},
			note: 'It is [hidden].',
		});
	});
});
