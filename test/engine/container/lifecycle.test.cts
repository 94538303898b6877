import { randomBytes } from 'node:crypto';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { containerId } from '../support/operations.cts';
import { uploadEnvironment, storedFile } from '../support/uploads.cts';

const environment = uploadEnvironment();
const { run, encode } = environment;

describe('the life cycle of a container', () => {
	const container = (operation: string, resource = 'container', more: INodeParameters = {}) =>
		({
			resource,
			operation,
			containerId: containerId('={{ $json.id }}'),
			...more,
		}) as INodeParameters;

	it('meets the contract of a strict service: create, get, update rules, revoke, delete', async () => {
		const content = randomBytes(1_000);
		const { items } = await encode(
			{ data: await storedFile(content, 'invoice.pdf') },
			{
				recipients: 'anna@example.com, *@example.org',
				downloadable: true,
				accessEnds: 'onDate',
				timeEnd: '2099-12-31',
				drmRules: {
					password: 'correct horse',
					geoAllow: ['CH'],
					geoBlock: ['KP'],
					ipAllow: '192.0.2.0/24',
					ipBlock: '198.51.100.7',
					opens: 3,
					timeStart: '2026-01-01',
				},
			},
		);
		const [created] = environment.sandbox.state.containers.values();
		expect(created.manifest).toEqual({
			container: {
				name: 'Invoice',
				recipients: ['anna@example.com', '*@example.org'],
				downloadable: true,
				password: 'correct horse',
				drm: {
					dynamic: true,
					geo: { allow: [{ country: 'CH' }], block: [{ country: 'KP' }] },
					ip: { allow: ['192.0.2.0/24'], block: ['198.51.100.7'] },
					opens: 3,
					time: { start: '2026-01-01', end: '2099-12-31' },
				},
			},
		});
		expect((items[0].json.container as IDataObject).uuid).toBe(created.uuid);
		const one = { items: [{ json: { id: created.uuid } }] };

		const read = await run(container('get'), one);
		expect(read.items[0].json).toMatchObject({ container: { uuid: created.uuid } });
		const enveloped = await run(container('getEnvelope'), one);
		expect(enveloped.items[0].json).toMatchObject({ org_id: environment.sandbox.user.id });
		const listed = await run({ resource: 'container', operation: 'getAll' });
		expect(listed.items).toHaveLength(1);

		const changed = await run(
			container('update', 'drm', {
				rules: {
					opens: 1,
					addRecipients: 'carl@example.com',
					removeRecipients: 'anna@example.com',
				},
			}),
			one,
		);
		expect(changed.items[0].json).toMatchObject({
			...(created.rules as IDataObject),
			opens: 1,
			recipients: ['*@example.org', 'carl@example.com'],
		});

		const revoked = await run(container('revoke', 'drm'), one);
		expect(revoked.error).toBeUndefined();
		const { time, ...others } = created.rules as { time: { end: string } };
		expect(time.end < new Date().toISOString().slice(0, 10)).toBe(true);
		expect(others).toMatchObject({ opens: 1, recipients: ['*@example.org', 'carl@example.com'] });
		expect((await run(container('get', 'drm'), one)).items[0].json).toMatchObject(
			created.rules as object,
		);

		const removed = await run(container('delete'), one);
		expect(removed.items[0].json).toMatchObject({ deleted: true });
		expect(environment.sandbox.state.containers.size).toBe(0);
	}, 30_000);

	it('can have fixed rules, which the service and the node report', async () => {
		await encode({ data: await storedFile(Buffer.from('x'), 'a.pdf') }, { dynamic: false });
		const [created] = environment.sandbox.state.containers.values();
		const one = { items: [{ json: { id: created.uuid } }] };

		for (const [operation, more] of [
			['update', { rules: { opens: 1 } }],
			['update', { rules: { opens: 1 }, options: { keepOtherRules: false } }],
			['revoke', {}],
		] as Array<[string, INodeParameters]>) {
			const { error } = await run(container(operation, 'drm', more), one);
			expect(`${error?.message} ${error?.description}`).toMatch(/can't (be )?change/);
		}
		expect(created.rules).toMatchObject({ dynamic: false, downloadable: false });
	});
});
