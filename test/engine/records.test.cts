import type { IDataObject } from 'n8n-workflow';
import { runListSearch } from '../support/engine.cts';
import { mockService, type MockedService } from '../support/nock.cts';
import { encode } from './support/encode.cts';
import {
	contactEmail,
	contactPath,
	containerId,
	containersPath,
	itemsWith,
	operation,
	outputOf,
	run,
	userId,
	type Run,
} from './support/operations.cts';
import { pollingsOf } from './support/polling.cts';
import { path as rulesPath, update } from './support/rules.cts';

const service = mockService();
const path = '/containers/c-1';
const byContainer = { containerId: containerId('={{ $json.id }}') };
const byContact = { contactEmail: contactEmail('={{ $json.id }}') };
const anna = 'anna@example.com';

const get = operation('container: get', byContainer, itemsWith('c-1'));
const getRules = operation('drm: get', byContainer, itemsWith('c-1'));
const getContact = operation('contact: get', byContact, itemsWith(anna));

describe('getting a record', () => {
	it('returns rules unchanged beside the container ID, in each form', async () => {
		const shown = { dynamic: true, opens: 3, recipients: ['a@example.com'] };
		for (const form of [shown, { data: { drm: shown } }, {}]) {
			service.get(rulesPath).reply(200, form);
			expect(await outputOf(getRules())).toEqual([{ containerId: 'c-1', ...form }]);
		}
	});

	it.each<[Run, string, object, string]>([
		[get, path, {}, 'an empty JSON object instead of the container "c-1"'],
		[get, path, { uuid: 'c-2' }, 'the container "c-2" instead of the container "c-1"'],
		[getContact, contactPath(anna), { email: 'b@x.org' }, 'the contact "b@x.org" instead of the'],
		[getContact, contactPath(anna), { message: 'Not found' }, `instead of the contact "${anna}"`],
	])('fails for another record, or none: %#', async (get, url, form, message) => {
		service.get(url).reply(200, form);

		expect((await get()).error?.message).toContain(message);
	});

	it.each<[Run, string, IDataObject]>([
		[get, path, { uuid: 'C-1' }],
		[get, path, { id: 'c-1', uuid: 'u-1' }],
		[get, path, { data: { container: { uuid: 'c-1' } }, id: 'request-7' }],
		[getContact, contactPath(anna), { contact: { email: 'ANNA@example.com' } }],
		[getContact, contactPath(anna), { data: { email: anna, title: 'Dr', status: 'locked' } }],
	])('returns it as it came, a container with its ID at the top: %#', async (get, url, form) => {
		service.get(url).reply(200, form);

		const top = get === getContact ? {} : { containerId: 'c-1' };
		expect(await outputOf(get())).toEqual([{ ...top, ...form }]);
	});

	it('redacts the API key in the response', async () => {
		service.get(path).reply(function () {
			const echoed = String(this.req.headers.authorization);
			return [200, { uuid: 'c-1', echoed }];
		});

		expect(await outputOf(get())).toEqual([
			{ containerId: 'c-1', uuid: 'c-1', echoed: 'Bearer [hidden]' },
		]);
	});
});

describe.each([
	['container', operation('container: delete', byContainer), 'c-1', path],
	['contact', operation('contact: delete', byContact), anna, contactPath(anna)],
])('deleting a %s', (resource, run, id, url) => {
	const remove = async () => await run({}, {}, { items: itemsWith(id) });
	const deleted = { deleted: true, [resource === 'container' ? 'containerId' : 'email']: id };

	it('is done when the answer is empty', async () => {
		service.delete(url).reply(204);

		expect(await outputOf(remove())).toEqual([deleted]);
		expect(service.requests).toMatchObject([{ method: 'DELETE', body: '' }]);
	});

	it.each([
		[200, 'Deleted', '"Deleted"'],
		[202, { uuid: 'c-1', message: 'queued' }, '"queued"'],
		[200, { success: true }, /./],
	])('is done after %i %j when it is gone, and is an error while it is there', async (...row) => {
		const [code, body, said] = row;
		for (const status of [404, 410, 200]) {
			service.delete(url).reply(code, body);
			service.get(url).reply(status, { name: 'N' });
		}

		expect(await outputOf(remove())).toEqual([deleted]);
		expect(await outputOf(remove())).toEqual([deleted]);
		const { error, items } = await remove();
		expect(error?.message).toMatch(
			new RegExp(`^The ${resource} is still there\\. The service answered the deletion with `),
		);
		expect(error?.message).toMatch(said);
		expect(error?.description).toMatch('look for it with Get in a few minutes');
		expect(items).toEqual([]);
	});

	it('says that it was sent where nobody can tell what became of it', async () => {
		service.delete(url).reply(200, 'queued');
		service.get(url).reply(403, '');

		expect((await remove()).error?.description).toContain('The change was sent before this');
	});

	it('is done when its response is lost, and it is gone when it is sent again', async () => {
		service.delete(url).reply(502).delete(url).reply(404);

		expect(await outputOf(run({}, { maxRetries: 1 }, { items: itemsWith(id) }))).toEqual([deleted]);
	});

	it('is sent once for two items, and is an error when it was not there', async () => {
		service.delete(url).reply(204);
		const twice = { items: itemsWith(id, id) };
		expect(await outputOf(run({}, {}, twice))).toEqual([deleted, deleted]);

		service.delete(url).reply(404);
		expect((await remove()).error?.message).toMatch(/was not found/);
	});
});

describe('an error names what was not found:', () => {
	const NOT_FOUND = { message: 'No such thing' };
	it.each<[string, Run, 'get' | 'patch', string, RegExp, RegExp]>([
		['container: get', get, 'get', path, /The container "c-1" was/, /get the container/],
		['contact: get', getContact, 'get', contactPath(anna), /"anna@.*" was/, /get the contact/],
		['drm: update', update, 'get', rulesPath, /The container "c-1" was/, /get the rules/],
	])('%s, and what was not accepted', async (_name, run, method, url, notFound, notAccepted) => {
		const expected = (service as MockedService)[method];
		expected(url).reply(404, NOT_FOUND);
		expect((await run()).error?.message).toMatch(notFound);
		expected(url).reply(422, '');
		expect((await run()).error?.message).toMatch(notAccepted);
	});

	it('the user whose list is fetched, also by the trigger', async () => {
		service.get('/users/u-42/containers').times(2).reply(404, NOT_FOUND);
		const options = { userId: 'u-42', maxRetries: 0 };

		const errors = [
			(await run('container: getAll', {}, options)).error,
			(await pollingsOf(service)('containerCreated', { options }).poll({})).error,
		];

		expect(errors.map((error) => error?.message)).toEqual([
			'User "u-42" was not found [item 0]',
			'User "u-42" was not found',
		]);
	});

	it('the Base URL where nobody chose a user', async () => {
		service.get('/me').reply(404, NOT_FOUND);

		const { error } = await run('container: getAll', {}, { userId: '' });

		expect(error?.message).toMatch(/^The service found nothing for the request/);
		expect(error?.description).toMatch(/The Base URL must end with the version/);
		expect(error?.description).not.toContain('User ID');
	});
});

/** One line without anything that n8n could show as HTML or that can't be seen. */
const isPlain = expect.not.stringMatching(/[<\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
const hostile = `<a href="https://evil.example">Sign in</a>\r\n\u001b[2J\u202etxt.exe\u200b\u2028${'long '.repeat(2000)}`;

describe('text of the service is one plain line', () => {
	it('in an error, of at most 500 characters for each part', async () => {
		service.get(path).reply(400, { errors: { [hostile]: [hostile], b: [hostile] } });

		const { error } = await get();

		for (const text of [error?.message, error?.description]) {
			expect(text).toEqual(isPlain);
			expect(text?.length).toBeLessThan(1300);
		}
		expect(JSON.stringify(error).split('long '.repeat(90)).length - 1).toBeLessThanOrEqual(4);
		expect(JSON.stringify(error)).not.toContain('long '.repeat(101));
	});

	it('in a picker', async () => {
		service.get(containersPath).reply(200, [{ uuid: 'c-1', name: hostile }]);
		const parameters = { options: { userId } };

		const { results } = await runListSearch({ method: 'searchContainers', parameters });

		expect(results).toEqual([{ name: isPlain, value: 'c-1' }]);
		expect(results[0].name.length).toBe(501);
	});

	it('as are names from the input in an error', async () => {
		const binary = { ['<img src=x>\u202e']: { mimeType: '', data: '' } };
		const { error } = await encode(
			{ fileSource: 'named', binaryPropertyName: 'data', name: 'Invoice' },
			{},
			{ items: [{ json: {}, binary }] },
		);

		expect(error?.description).toContain('‹img src=x>');
		expect(error?.description).toEqual(isPlain);
	});
});
