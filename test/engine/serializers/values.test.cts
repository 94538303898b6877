import type { IDataObject } from 'n8n-workflow';
import { runNode } from '../../support/engine.cts';
import { mockService } from '../../support/nock.cts';
import { encode, path as encodePath, withoutSettings } from '../support/encode.cts';
import { newKey, sequential, userId } from '../support/operations.cts';
import { path, rules, update } from '../support/rules.cts';
import { Polling } from '../support/polling.cts';
import { DATES, IDS, RECORDS } from './support/values.cts';

const service = mockService();

const respond = (url: string, text: string, method: 'get' | 'post' = 'get') =>
	service.scope()[method](url).reply(200, text, { 'content-type': 'application/json' });

/** Polls a container first with some rules, then with others as text. */
const pollRules = async (event: string, first: object, then: string) => {
	const containers = [{ uuid: 'c-1', name: 'One' }];
	const options = { maxRetries: 0 };
	const polling = new Polling(service, { event, withinDays: 36_000, options });
	await polling.poll({ containers, rules: { 'c-1': { status: 200, body: first } } });
	const raw = { status: 200, body: then, headers: { 'content-type': 'application/json' } };
	return await polling.poll({ containers, rules: { 'c-1': raw } });
};

describe('the end of access', () => {
	const withEnd = (end: string) => `{"dynamic":true,"time":{"end":${end}}}`;

	it.each(DATES)('of %s is extended: %s', async (_stack, _shape, json, means) => {
		respond(path, withEnd(json));
		if (means === 'day') service.scope().patch(path).reply(204);

		const { error } = await update(rules({ extendByDays: 1 }));

		if (means === 'unreadable') expect(error?.message).toMatch(/is not a date that can be read/);
		else expect(error?.message).toBeUndefined();
		const [, patch] = service.requests;
		expect(patch?.body).toEqual(
			means === 'day' ? { dynamic: true, time: { end: '2100-01-01' } } : undefined,
		);
	});

	it.each(DATES)('of %s is near: %s', async (_stack, shape, json, means) => {
		const { error, emitted } = await pollRules('accessEnding', {}, withEnd(json));

		if (means === 'unreadable') expect(error?.message).toMatch(/end of access is not a date/);
		else expect(error?.message).toBeUndefined();
		const isFar = shape === 'DateTime.MaxValue';
		expect(emitted.map(({ endsOn }) => endsOn)).toEqual(
			means === 'day' && !isFar ? ['2099-12-31'] : [],
		);
	});

	it.each(DATES.filter(([, , , means]) => means === 'day'))(
		'of %s is no change: %s',
		async (_stack, _shape, json) => {
			const documented = { dynamic: true, time: { end: '2099-12-31' } };

			const { error, items } = await pollRules('drmChanged', documented, withEnd(json));

			expect(error?.message).toBeUndefined();
			expect(items).toBeNull();
		},
	);
});

const listContacts = async () =>
	await runNode({
		parameters: { resource: 'contact', operation: 'getAll', options: sequential },
		credentials: newKey(),
	});

describe('an identifier', () => {
	it.each(IDS)('of the user, from %s, is exact: %s', async (_stack, _shape, json, id) => {
		respond('/me', `{"id":${json}}`);
		if (typeof id === 'string') respond(`/users/${id}/contacts`, '[]');

		const { error } = await listContacts();

		if (typeof id === 'string') expect(error?.message).toBeUndefined();
		else expect(`${error?.message} ${error?.description}`).toMatch(id);
	});

	it.each(IDS)('of a container, from %s, is exact: %s', async (_stack, _shape, json, id) => {
		const polling = new Polling(service, { event: 'containerCreated', options: { maxRetries: 0 } });
		await polling.poll({ containers: [] });
		respond(`/users/${userId}/containers`, `[{"uuid":${json},"revision":18446744073709551615}]`);

		const { error, emitted } = await polling.poll({});

		if (typeof id === 'string') {
			expect(emitted).toMatchObject([{ containerId: id, revision: '18446744073709551615' }]);
		} else expect(JSON.stringify({ ...error, text: error?.message })).toMatch(id);
	});
});

describe('a record', () => {
	const rows = RECORDS.map(([stack, shape, wrap, error]) => ({
		stack,
		shape,
		wrap,
		expected: error,
	}));

	it.each(rows)('of the user, from $stack: $shape', async ({ wrap, expected }) => {
		respond('/me', JSON.stringify(wrap({ id: 'x-1' })));
		if (expected === undefined) respond('/users/x-1/contacts', '[]');

		const { error } = await listContacts();

		if (expected === undefined) expect(error?.message).toBeUndefined();
		else expect(error?.message).toMatch(expected);
	});

	it.each(rows)('of a new container, from $stack: $shape', async ({ wrap, expected }) => {
		const container = { org_id: userId, container: { uuid: 'x-1', name: 'One' } };
		const body = wrap(container);
		respond(encodePath, JSON.stringify(body), 'post');

		const { error, items } = await encode();

		if (expected === undefined) expect(withoutSettings(items)).toEqual([body as IDataObject]);
		else {
			expect(error?.message).toMatch(expected);
			expect(error?.description).toMatch(/might have been created/);
		}
	});
});
