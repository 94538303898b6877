import { runListSearch, runNode } from '../support/engine.cts';
import { mockService } from '../support/nock.cts';
import { encode } from './support/encode.cts';
import { containerId, containersPath as listPath, userId } from './support/operations.cts';
import { path as rulesPath, update } from './support/rules.cts';

const service = mockService();
const path = '/containers/c-1';

const get = async () =>
	await runNode({
		parameters: { resource: 'container', operation: 'get', containerId: containerId('c-1') },
	});

/** One line without anything that n8n could show as HTML or that can't be seen. */
const isPlain = expect.not.stringMatching(/[<\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
const hostile = `<a href="https://evil.example">Sign in</a>\r\n\u001b[2J\u202etxt.exe\u200b\u2028${'long '.repeat(2000)}`;
const longKey = 'k'.repeat(2_000_000);

describe('text of the service in an error', () => {
	it.each([
		['a message', 422, { message: hostile }],
		['errors by field', 400, { errors: { [hostile]: [hostile], b: [hostile] } }],
		['plain text', 500, hostile],
		['a failure', 200, { success: false, message: hostile }],
		['an HTML page', 200, `<html><title>\u202e${'x'.repeat(300)}</title>${hostile}</html>`],
		['another list of fields', 200, [hostile]],
	])('is one plain line of at most 500 characters: %s', async (_what, status, body) => {
		service.get(path).reply(status, body);

		const { error } = await get();

		for (const text of [error?.message, error?.description]) {
			expect(text).toEqual(isPlain);
			expect(text?.length).toBeLessThan(1300);
		}
		expect(JSON.stringify(error).split('long '.repeat(90)).length - 1).toBeLessThanOrEqual(4);
		expect(JSON.stringify(error)).not.toContain('long '.repeat(101));
	});

	it('is plain in an address to which the service redirects', async () => {
		service.get(path).reply(302, '', { location: `https://evil.example/<b>${'x'.repeat(5000)}` });

		const { error } = await get();

		expect(error?.description).toEqual(isPlain);
		expect(error?.description?.length).toBeLessThan(1000);
	});

	it('is plain in the ID of a container that exists', async () => {
		const id = `<a href="evil.example">${'long'.repeat(50)}`;
		service.get(listPath).reply(200, [{ uuid: id, name: 'Invoice' }]);
		service.get(`/containers/${encodeURIComponent(id)}`).reply(200, { uuid: id });

		const { error } = await encode({}, { ifExists: 'fail' });

		expect(error?.description).toContain('‹a href');
		expect(error?.description).toEqual(isPlain);
		expect(error?.description?.length).toBeLessThan(800);
	});

	it('is plain where the rules can’t be understood', async () => {
		service.get(rulesPath).reply(200, { drm: { recipients: [{ name: hostile }] } });

		const { error } = await update({ rules: { addRecipients: 'a@x.example' } });

		expect(error?.message).toContain('‹a href');
		expect(error?.message).toEqual(isPlain);
		expect(error?.message.length).toBeLessThan(700);
	});
});

describe('a field with a name of millions of characters', () => {
	it.each([
		['in a record', path, get],
		['in rules', rulesPath, async () => await update({ rules: { downloadable: true } })],
	])('is an error, and in no record or log: %s', async (_where, url, run) => {
		service.get(url).reply(200, { uuid: 'c-1', drm: { opens: 1, [longKey]: 1 } });

		const { error, items, log, execution } = await run();

		expect(items).toEqual([]);
		expect(error?.message).toContain('a field has a name of more than 1000 characters');
		for (const text of [JSON.stringify(execution), log.join('\n')]) {
			expect(text).not.toContain('k'.repeat(1001));
		}
	});
});

describe('text of the service in a picker', () => {
	it('is one plain line', async () => {
		service.get(`/users/${userId}/containers`).reply(200, [{ uuid: 'c-1', name: hostile }]);

		const { results } = await runListSearch({
			method: 'searchContainers',
			parameters: { options: { userId } },
		});

		expect(results).toEqual([{ name: isPlain, value: 'c-1' }]);
		expect(results[0].name.length).toBe(501);
	});
});

describe('names from the input in an error', () => {
	it('are plain text too', async () => {
		const { error } = await runNode({
			items: [{ json: {}, binary: { ['<img src=x>\u202e']: { mimeType: '', data: '' } } }],
			parameters: {
				resource: 'container',
				operation: 'encode',
				fileSource: 'named',
				binaryPropertyName: 'data',
				name: 'Invoice',
				options: { userId },
			},
		});

		expect(error?.description).toContain('‹img src=x>');
		expect(error?.description).toEqual(isPlain);
	});
});
