import type { INodeProperties, INodePropertyOptions, INodeType } from 'n8n-workflow';
import { loadDocument } from '../../sandbox/contract.cts';
import { findViolations, type SentRequest } from '../support/contract.cts';
import { runNode } from '../support/engine.cts';
import { mockService } from '../support/nock.cts';
import { loadPackage } from '../support/package.cts';
import { encode, envelope, path } from './support/encode.cts';
import { containerId } from './support/operations.cts';
import { httpsService } from './support/httpsService.cts';

const key = { authorization: 'Bearer a-key' };
const json = { ...key, 'content-type': 'application/json' };
const form = { ...key, 'content-type': 'multipart/form-data; boundary=b' };
const part = (name: string, type: string, content: string) =>
	`--b\r\nContent-Disposition: form-data; name="${name}"; filename="x"\r\nContent-Type: ${type}\r\n\r\n${content}\r\n`;
const manifest = part('manifest.json', 'application/json', '{"container":{}}');
const file = part('file', 'text/plain', 'x');

const request = (
	method: string,
	pathBelow: string,
	headers: SentRequest['headers'],
	body = '',
): SentRequest => ({ method, path: pathBelow, headers, body: Buffer.from(body) });

const upload = (...parts: string[]) => request('POST', path, form, `${parts.join('')}--b--\r\n`);

it('the description names an endpoint of the contract for each operation', async () => {
	const { loader } = await loadPackage();
	const { description } = loader.getNode('encryptedContainers').type as INodeType;
	const withoutNames = (url: string) => url.replace(/\{\w+\}/g, '{}');
	const described = Object.entries(loadDocument().paths).flatMap(([url, methods]) =>
		Object.keys(methods).map((method) => `${method.toUpperCase()} ${withoutNames(url)}`),
	);
	const operations = description.properties.filter(({ name }) => name === 'operation');
	const options = operations.flatMap(
		(field: INodeProperties) => field.options,
	) as INodePropertyOptions[];

	expect(options).toHaveLength(17);
	for (const { routing } of options) {
		const { method, url = '' } = routing?.request ?? {};
		expect(described).toContain(`${method} ${withoutNames(String(url))}`);
	}
});

describe('the check of requests', () => {
	it.each<[string, SentRequest]>([
		['without a body', request('GET', '/me', key)],
		['with rules', request('PATCH', '/containers/c/drm', json, '{"opens":3}')],
		['with files', upload(manifest, file, file)],
	])('accepts one %s', async (_what, sent) => {
		expect(await findViolations(sent)).toEqual([]);
	});

	it.each<[string, SentRequest, RegExp]>([
		['an unknown path', request('GET', '/you', key), /no operation GET \/you/],
		['no API key', request('GET', '/me', {}), /header\.authorization must be Bearer/],
		['an unknown query', request('GET', '/me?all=1', key), /unknown parameter: all/],
		[
			'a rule of another type',
			request('PATCH', '/containers/c/drm', json, '{"opens":"3"}'),
			/body\.opens must be integer/,
		],
		['no JSON', request('PATCH', '/containers/c/drm', json, '{"opens":'), /can't be parsed/],
		['a body of another type', request('PATCH', '/containers/c/drm', key, '{}'), /must be of type/],
		[
			'an unknown part',
			upload(manifest, file, part('note', 'text/plain', 'x')),
			/unknown key: note/,
		],
		[
			'a manifest of another type',
			upload(manifest.replace('json\r', 'xml\r'), file),
			/must be of type/,
		],
		['a form that is cut off', request('POST', path, form, manifest), /can't be parsed/],
	])('refuses one with %s', async (_what, sent, problem) => {
		expect((await findViolations(sent)).join()).toMatch(problem);
	});

	describe('with a mock service', () => {
		const service = mockService();

		it('covers what the node sends', async () => {
			service.post(path).reply(200, envelope);
			service.contract.depart({ filePart: 'attachment' });

			await encode();

			expect(await service.contract.findViolations()).toEqual([
				`POST ${path}: form.attachment is missing`,
				`POST ${path}: form has an unknown key: file`,
			]);
			service.contract.depart({});
		});
	});

	describe('with a real connection', () => {
		const service = httpsService();

		it('covers what the node sends', async () => {
			await runNode({
				parameters: {
					resource: 'drm',
					operation: 'update',
					containerId: containerId('c-1'),
					specifyRules: 'json',
					rulesJson: '{ "opens": "3" }',
					options: { keepOtherRules: false },
				},
				credentials: { baseUrl: service.baseUrl },
			});

			expect(await service.contract.findViolations()).toEqual([
				'PATCH /containers/c-1/drm: body.opens must be integer',
			]);
			service.contract.skipBodies('JSON is sent as the user enters it');
		});
	});
});
