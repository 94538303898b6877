import type { IDataObject } from 'n8n-workflow';
import { getLastDayOverEverywhere } from '../../../nodes/shared/parameters/dates';
import { useService } from '../../support/service.cts';
import { containerId, outputOf, run as runAny } from '../support/operations.cts';

const [anna, bob] = ['anna@x.example', 'bob@x.example'];

describe('rules in the service', () => {
	const service = useService();
	const run = async (name: string, parameters: IDataObject) =>
		await outputOf(
			runAny(`drm: ${name}`, parameters, { userId: '' }, { credentials: service.credentials }),
		);
	const change = async (id: string, rules: IDataObject) =>
		await run('update', { containerId: containerId(id), specifyRules: 'fields', rules });
	const rules = () => ({
		...{ recipients: [anna, bob], downloadable: true, opens: 5, ip: { allow: ['192.0.2.1'] } },
		time: { start: '2026-01-01', end: '2099-12-31' },
	});

	it('change, lose limits, and end', async () => {
		const id = await service.addContainer({ rules: rules() });

		await change(id, { removeRecipients: bob, extendByDays: 1 });
		await change(id, { removeRules: ['opens', 'ip'], timeStart: '2099-01-01' });
		const time = { start: '2099-01-01', end: '2100-01-01' };
		expect(await service.getRules(id)).toEqual({
			...{ dynamic: true, recipients: [anna], downloadable: true, time },
		});

		const [{ changed }] = await run('revoke', { containerId: containerId(id) });
		expect(changed).toBe(true);
		expect(await service.getRules(id)).toMatchObject({ time: { end: getLastDayOverEverywhere() } });
	});

	it('stay as they are where they were fetched and are entered again', async () => {
		const id = await service.addContainer({ rules: rules() });
		const [rulesJson] = await run('get', { containerId: containerId(id) });
		const parameters = { containerId: containerId(id), specifyRules: 'json', rulesJson };

		expect(await run('update', parameters)).toMatchObject([{ changed: false }]);
	});

	it('lose no change that is made in the portal meanwhile', async () => {
		const id = await service.addContainer({ rules: rules() });
		service.on({ method: 'PATCH' }, async (_request, pass) => {
			await service.setRules(id, { recipients: [anna, bob, 'new@x.example'] });
			return await pass();
		});

		await change(id, { removeRecipients: bob });

		expect(await service.getRules(id)).toMatchObject({ recipients: [anna, 'new@x.example'] });
	});

	it('are extended once where the response is lost', async () => {
		const id = await service.addContainer({ rules: rules() });
		service.on({ method: 'PATCH' }, async (_request, pass) => {
			await pass();
			return 'cut';
		});
		const parameters = { containerId: containerId(id), rules: { extendByDays: 1 } };
		const options = { userId: '', maxRetries: 2 };

		await outputOf(
			runAny('drm: update', parameters, options, { credentials: service.credentials }),
		);

		expect(await service.getRules(id)).toMatchObject({ time: { end: '2100-01-01' } });
	});

	it('are checked and fixed, and people leave, without what changes nothing', async () => {
		const [open, closed] = await Promise.all([
			service.addContainer({ name: 'Open', rules: rules() }),
			service.addContainer({ name: 'Closed', rules: { ...rules(), time: { end: '2099-01-01' } } }),
		]);
		const policyFields = { forbidDownload: true, allowedRecipients: '*@x.example' };

		const checked = await run('check', { policyFields, onViolation: 'fix' });
		expect(checked).toMatchObject([{ action: 'fixed' }, { action: 'fixed' }]);
		const removed = await run('removeEverywhere', { email: bob });
		expect(removed).toMatchObject([{ action: 'removed' }, { action: 'removed' }]);

		for (const id of [open, closed]) {
			expect(await service.getRules(id)).toMatchObject({ recipients: [anna], downloadable: false });
		}
	});
});
