import './examples/encryptFiles.cts';
import './examples/governance.cts';
import './examples/manageRecords.cts';
import './examples/services.cts';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import { useCommandLine } from '../../benchmark/commandLine.cts';
import { writeRandomFile } from '../../benchmark/workflows.cts';
import { npm } from '../../tools/install.cts';
import { buildWorkflow, START, type NodeOptions } from '../../tools/realN8n/workflow.cts';
import { setup } from './support/globalSetup.cts';
import {
	e2e,
	manifestOf,
	requests,
	uploads,
	useExampleEnvironment,
} from './support/exampleEnvironment.cts';
import { code, readFiles } from './support/testEnvironment.cts';

const MEGABYTE = 1024 * 1024;
const PASSWORD = 'correct horse battery staple';
const recipients = ['ada@example.com'];
const encode: INodeParameters = {
	resource: 'container',
	operation: 'encode',
	name: 'A container',
	recipients: recipients[0],
	drmRules: { password: PASSWORD },
};
/** The last day that is over everywhere. */
const lastDay = () => new Date(Date.now() - 36 * 3_600_000).toISOString().slice(0, 10);
const locator = (mode: string, value: string) => ({ __rl: true, mode, value });
const inAnyOrder = (list: object[]) =>
	expect.arrayContaining(list.map((one) => expect.objectContaining(one)));
const items = (list: object[]): NodeOptions =>
	code('Items', `return ${JSON.stringify(list)}.map((json) => ({ json }));`);

useExampleEnvironment();

describe('in the real n8n', () => {
	it('each operation runs for each item, and a later node finds the item of each output', async () => {
		const keys = ['first', 'second'];
		const key = "$('Items').item.json.key";
		const email = `={{ ${key} }}+news@example.com`;
		const containerId = locator('id', "={{ $('container encode').item.json.container.uuid }}");
		const contactEmail = locator('email', email);
		const text = { fileSource: 'text', textContent: 'confidential', name: `={{ ${key} }}` };
		const fieldsUi = { fields: [{ name: 'company', value: `={{ ${key} }}` }] };
		/** A node that is called like its operation. */
		const step = (name: string, parameters: INodeParameters = {}, more?: Partial<NodeOptions>) => {
			const [resource, operation] = name.split(' ');
			const given = { resource, operation, ...parameters };
			return e2e.node(name, given, more);
		};
		const list = (resource: string) =>
			step(`${resource} getAll`, { returnAll: true }, { executeOnce: true, to: [] });

		const { error, json, runData } = await e2e.runWorkflow([
			items(keys.map((one) => ({ key: one }))),
			step(
				'container encode',
				{ ...text, recipients: recipients[0] },
				{ to: [['container getAll', 'container get']] },
			),
			list('container'),
			step('container get', { containerId }),
			step('container getEnvelope', { containerId }),
			step('drm get', { containerId }),
			step('drm update', { containerId, rules: { opens: 7 } }),
			step('drm revoke', { containerId }),
			step('container delete', { containerId }),
			step(
				'contact upsert',
				{ email, dataToSend: 'defineBelow', fieldsUi },
				{ to: [['contact getAll', 'contact get']] },
			),
			list('contact'),
			step('contact get', { contactEmail }),
			step('contact delete', { contactEmail }),
			step('user getMe'),
			{
				name: 'Linked',
				type: 'n8n-nodes-base.set',
				typeVersion: 3.4,
				parameters: { mode: 'raw', jsonOutput: `={{ ({ key: ${key} }) }}`, options: {} },
			},
		]);

		expect(error).toBeUndefined();
		const records = keys.map((name) => ({ name, uuid: expect.any(String) }));
		const envelopes = records.map((container) => ({ container }));
		const contacts = keys.map((company) => ({ email: `${company}+news@example.com`, company }));
		const uuids = json('container encode').map(
			({ container }) => (container as { uuid: string }).uuid,
		);
		const ofEach = (output: object) => uuids.map((uuid) => ({ containerId: uuid, ...output }));
		const changed = { changed: true, recipients, opens: 7 };
		const id = e2e.service.userId;
		const outputs = {
			'container encode': envelopes,
			'container getAll': inAnyOrder(records),
			'container get': records,
			'container getEnvelope': envelopes,
			'drm get': ofEach({ recipients }),
			'drm update': ofEach(changed),
			'drm revoke': ofEach({ ...changed, time: { end: lastDay() } }),
			'container delete': ofEach({ deleted: true }),
			'contact upsert': contacts,
			'contact getAll': inAnyOrder(contacts),
			'contact get': contacts,
			'contact delete': contacts.map(({ email: deleted }) => ({ deleted: true, email: deleted })),
			'user getMe': keys.map(() => ({ id })),
			Linked: keys.map((one) => ({ key: one })),
		};
		expect(Object.keys(runData)).toEqual(expect.arrayContaining(Object.keys(outputs)));
		for (const [name, output] of Object.entries(outputs)) {
			expect({ [name]: json(name) }).toMatchObject({ [name]: output });
		}
	});

	it('a stored file of 300 MB arrives byte for byte, without being in memory', async () => {
		const { n8n, node, service } = e2e;
		const sizes = { 'empty.pdf': 0, 'film.mp4': 300 * MEGABYTE };
		const workflows = Object.keys(sizes).map((name) =>
			buildWorkflow([START, readFiles('Read', `files/${name}`), node('Encode', encode)]),
		);
		const { importWorkflows, execute } = useCommandLine(n8n);
		await importWorkflows(workflows);
		const memory: number[] = [];
		for (const [index, [name, size]] of Object.entries(sizes).entries()) {
			await service.clear();
			const { sha256 } = await writeRandomFile(join(n8n.files, name), size);

			const execution = await execute(workflows[index].id);

			expect(execution.error).toBeUndefined();
			expect(execution.binaries('Read')[0].data.id).toEqual(expect.any(String));
			const [container] = await service.getContainers();
			expect(container.files).toMatchObject([{ name, size, sha256 }]);
			const [{ headers, bytes }] = requests('POST');
			expect(headers['content-length']).toBe(String(bytes));
			memory.push(execution.used.peak);
		}
		// A file in memory would take all of it; what else n8n does takes more or less each time.
		expect(memory[1] - memory[0]).toBeLessThan(150 * MEGABYTE);
	});

	it('executions at the same moment undo and double nothing, and n8n responds meanwhile', async () => {
		const { node, service, server } = e2e;
		const rules = { time: { end: '2099-12-31' }, recipients };
		const ids: string[] = [];
		while (ids.length < 20) ids.push(await service.addContainer({ rules }));
		const create = async (list: string[], parameters: INodeParameters) => {
			const retries = { retryOnFail: true, maxTries: 3, waitBetweenTries: 10 };
			const operation = node('Operation', parameters, retries);
			const given = items(list.map((id) => ({ id })));
			return await server.createWorkflow(buildWorkflow([START, given, operation]));
		};
		const onRules = (operation: string, more: INodeParameters = {}) => ({
			...{ resource: 'drm', operation, containerId: locator('id', '={{ $json.id }}'), ...more },
		});
		const text = { fileSource: 'text', textContent: 'x', options: { ifExists: 'reuse' } };
		const shared = { ...encode, ...text, name: 'Shared' };
		// n8n 1 can't store workflows at the same moment.
		const workflows = [await create(ids, onRules('revoke'))];
		for (const number of [1, 2, 3, 4]) {
			const added = { rules: { addRecipients: `p${number}@example.com` } };
			workflows.push(await create(ids, onRules('update', added)), await create(['A'], shared));
		}
		let longest = 0;
		let isOver = false;
		const watch = async () => {
			while (!isOver) {
				const start = Date.now();
				await server.call('/healthz');
				longest = Math.max(longest, Date.now() - start);
				await new Promise((resolve) => setTimeout(resolve, 50));
			}
		};

		const watching = watch();
		const executions = await Promise.all(
			workflows.map(async (id) => await server.runWorkflow(id, START.name)),
		);
		isOver = true;
		await watching;

		expect(executions.map(({ error }) => error).filter(Boolean)).toEqual([]);
		expect(uploads()).toHaveLength(1);
		for (const id of ids) {
			const found = (await service.getRules(id)) as typeof rules;
			expect(found.time.end < '2099').toBe(true);
			expect(found.recipients).toHaveLength(5);
		}
		expect(longest).toBeLessThan(3000);
	});

	it('npm installs no n8n-workflow with the package, because n8n would not recognize its errors', async () => {
		const nodes = join(e2e.n8n.folder, 'installation');
		await mkdir(nodes);
		// n8n creates this file. Without it, npm would install into a parent folder.
		await writeFile(join(nodes, 'package.json'), '{ "name": "installed-nodes", "private": true }');

		const args = ['install', '--offline', '--prefix', nodes, setup.read().tarball];
		await npm(nodes, args, join(e2e.n8n.folder, 'install.log'));

		const installed = await readdir(join(nodes, 'node_modules'));
		expect(installed.filter((name) => !name.startsWith('.'))).toEqual([
			'n8n-nodes-encrypted-containers',
		]);
	});

	it('neither the log nor an execution shows a secret', async () => {
		const { n8n, smtp, imap, chatModel, service, node, runWorkflow } = e2e;
		const text = { fileSource: 'text', textContent: 'x' };
		const { error, runData } = await runWorkflow([node('Encode', { ...encode, ...text })]);
		expect(error).toBeUndefined();
		expect(manifestOf(uploads()[0])).toMatchObject({ password: PASSWORD });

		const shown = JSON.stringify(runData) + (await n8n.log());
		expect(shown).toContain('A container');
		expect(shown).toContain('Editor is now accessible');
		const others = [smtp.password, imap.password, chatModel.apiKey];
		for (const secret of [...others, service.apiKey, PASSWORD]) expect(shown).not.toContain(secret);
	});
});
