import './binaryModes.cts';
import './examples/askedAccess.cts';
import './examples/contacts.cts';
import './examples/encryptFiles.cts';
import './examples/governance.cts';
import './examples/receivedFiles.cts';
import './examples/helpRecipient.cts';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import { useCommandLine } from '../../benchmark/commandLine.cts';
import { writeRandomFile } from '../../benchmark/data.cts';
import { npm } from '../../tools/install.cts';
import { getN8nVersion } from '../../tools/realN8n/installN8n.cts';
import { buildWorkflow, START } from '../../tools/realN8n/workflow.cts';
import { setup } from './support/globalSetup.cts';
import { e2e, openAs, requests, useExampleEnvironment } from './support/exampleEnvironment.cts';
import { code, day, readFiles } from './support/testEnvironment.cts';

const MEGABYTE = 1024 * 1024;
const PASSWORD = 'correct horse battery staple';
const [ADA, BOB] = ['ada@example.com', 'bob@example.com'];
const encode = { resource: 'container', operation: 'encode', name: 'A container', recipients: ADA };
const text = { fileSource: 'text', textContent: 'confidential' };
const byId = (value: string) => ({ __rl: true, mode: 'id', value });
const items = (list: object[]) =>
	code('Items', `return ${JSON.stringify(list)}.map((json) => ({ json }));`);

useExampleEnvironment();

describe('in the real n8n', () => {
	it('each resource runs for each item, and a later node finds the item of each output', async () => {
		const keys = ['first', 'second'];
		const key = "$('Items').item.json.key";
		const email = `={{ ${key} }}+news@example.com`;
		const containerId = byId("={{ $('container encode').item.json.containerId }}");
		const contactEmail = { __rl: true, mode: 'email', value: email };
		const fieldsUi = { fields: [{ name: 'company', value: `={{ ${key} }}` }] };
		/** A node that is called like its operation. */
		const step = (name: string, parameters: INodeParameters = {}) => {
			const [resource, operation] = name.split(' ');
			return e2e.node(name, { resource, operation, ...parameters });
		};

		const { error, json } = await e2e.runWorkflow([
			items(keys.map((one) => ({ key: one }))),
			step('container encode', { ...encode, ...text, name: `={{ ${key} }}` }),
			step('drm update', { containerId, rules: { opens: 7 } }),
			step('container get', { containerId }),
			step('container delete', { containerId }),
			step('contact upsert', { email, dataToSend: 'defineBelow', fieldsUi }),
			step('contact get', { contactEmail }),
			step('user getMe'),
			{
				name: 'Linked',
				type: 'n8n-nodes-base.set',
				typeVersion: 3.4,
				parameters: { mode: 'raw', jsonOutput: `={{ ({ key: ${key} }) }}`, options: {} },
			},
		]);

		expect(error).toBeUndefined();
		const contacts = keys.map((company) => ({ email: `${company}+news@example.com`, company }));
		const outputs = {
			'container encode': keys.map((name) => ({ container: { name } })),
			'drm update': keys.map(() => ({ changed: true, recipients: [ADA], opens: 7 })),
			'container get': keys.map((name) => ({ name })),
			'container delete': keys.map(() => ({ deleted: true })),
			'contact upsert': contacts,
			'contact get': contacts,
			'user getMe': keys.map(() => ({ id: e2e.service.userId })),
			Linked: keys.map((one) => ({ key: one })),
		};
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
		const { n8n, internet, service, node, runWorkflow } = e2e;
		const parameters = { ...encode, ...text, drmRules: { password: PASSWORD } };
		const { error, runData } = await runWorkflow([node('Encode', parameters)]);
		expect(error).toBeUndefined();

		const shown = JSON.stringify(runData) + (await n8n.log());
		expect(shown).toContain('A container');
		expect(shown).toContain('Editor is now accessible');
		for (const secret of [internet.token, service.apiKey, PASSWORD]) {
			expect(shown).not.toContain(secret);
		}
	});
});

describe('a recipient in the middle of a session', () => {
	const run = async (operation: string, parameters: INodeParameters) => {
		const node = e2e.node('Node', { resource: 'drm', operation, ...parameters });
		const { error } = await e2e.runWorkflow([items([{ email: BOB }]), node]);
		expect(error).toBeUndefined();
	};
	const share = async () => {
		const rules = { recipients: [ADA, BOB], time: { end: day(30) } };
		const uuid = await e2e.service.addContainer({ rules });
		return { uuid, containerId: byId(uuid), ada: await openAs(ADA, uuid) };
	};
	const onPage = (offset: number) =>
		new Date(day(offset)).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

	it('sees a later end, and a limit of opens, when the node sets them', async () => {
		const { uuid, containerId, ada } = await share();
		expect((await ada.go()).text).toContain(`Open until ${onPage(30)}`);

		await run('update', { containerId, rules: { extendByDays: 10, opens: 2 } });

		const { text: page } = await ada.go();
		expect(page).toContain(`Open until ${onPage(40)}`);
		expect(page).toContain('1 opening left');
		expect((await (await openAs(BOB, uuid)).go()).text).toContain(
			'No further opening after this one',
		);
	});

	it.each<[string, INodeParameters]>([
		['update', { rules: { removeRecipients: ADA } }],
		['syncRecipients', { email: '={{ $json.email }}' }],
		['removeEverywhere', { email: ADA }],
		['revoke', {}],
	])('is locked out by %s', async (operation, parameters) => {
		const { containerId, ada } = await share();
		expect(await ada.getFile(0)).toMatchObject({ status: 200 });

		await run(operation, { containerId, ...parameters });

		expect(await ada.getFile(0)).toMatchObject({ status: 403 });
	});
});

interface MigrationReport {
	report: { workflowResults: Array<{ ruleId: string }> };
}
interface RuleReport {
	affectedWorkflows: Array<{ id: string }>;
}

// n8n 1 reports about n8n 2 only.
(getN8nVersion().name === '1' ? it.skip : it)(
	"n8n's report of what n8n 3 changes names no example",
	async () => {
		const { server, examples } = e2e;
		const trigger = { name: 'Old', type: 'n8n-nodes-base.gmailTrigger', typeVersion: 1.3 };
		const old = await server.createWorkflow(buildWorkflow([trigger]));
		const path = '/rest/breaking-changes/report';
		const { report } = await server.rest<MigrationReport>('POST', `${path}/refresh?version=v3`);
		const rules = report.workflowResults.map(async ({ ruleId }) => {
			const { affectedWorkflows } = await server.rest<RuleReport>('GET', `${path}/${ruleId}`);
			return affectedWorkflows.map(({ id }) => id);
		});
		const affected = (await Promise.all(rules)).flat();

		expect(affected).toContain(old);
		const findings = [...examples].filter(([, { id }]) => affected.includes(id));
		expect(findings.map(([name]) => name)).toEqual([]);
	},
);
