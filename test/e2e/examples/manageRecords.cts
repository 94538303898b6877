import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INodeTypeDescription } from 'n8n-workflow';
import { examplesFolder } from '../../../tools/examples.cts';
import { waitFor } from '../../../tools/processes.cts';
import { getN8nVersion } from '../../../tools/realN8n/installN8n.cts';
import { buildWorkflow, type Execution } from '../../../tools/realN8n/workflow.cts';
import {
	answerEmail,
	changes,
	day,
	e2e,
	requests,
	withoutDryRun,
} from '../support/exampleEnvironment.cts';
import { getParameterFindings, toToolDescription } from '../support/parameterFindings.cts';

describe('extend-access-after-approval', () => {
	const example = 'extend-access-after-approval';
	it('asks for all containers at once, and one that fails does not hold up the others', async () => {
		const { service, smtp, run } = e2e;
		const rules = { dynamic: true, opens: 3, time: { end: day(3) } };
		const uuids: string[] = [];
		for (const name of ['Approved', 'Declined', 'Deleted', 'Unanswered']) {
			uuids.push(await service.addContainer({ name, rules }));
		}
		await service.addContainer({ name: 'Later', rules: { ...rules, time: { end: day(60) } } });
		const question = (name: string) =>
			smtp.mails.find(({ message }) => message.includes(`Subject: Extend access to ${name}?`))
				?.message ?? 'none';

		const start = await run(example);

		expect(start.error).toBeUndefined();
		await waitFor(async () => smtp.mails.length >= 4);
		expect(question('Approved')).toContain(`ends on ${day(3)}`);
		await service.deleteContainer(uuids[2]);
		await answerEmail(question('Deleted'), true);
		await answerEmail(question('Declined'), false);
		await answerEmail(question('Approved'), true);
		const ended = await e2e.server.waitForExecutions(e2e.exampleId(example), 4);

		expect(ended.map(({ status }) => status).sort()).toEqual([
			...['error', 'success', 'success', 'success'],
		]);
		expect(smtp.mails).toHaveLength(4);
		const ends = { [uuids[0]]: day(33), [uuids[1]]: day(3), [uuids[3]]: day(3) };
		for (const [uuid, end] of Object.entries(ends)) {
			expect(await service.getRules(uuid)).toEqual({ ...rules, time: { end } });
		}
	});
});

describe('sync-crm-contacts', () => {
	const example = 'sync-crm-contacts';
	it('first shows what would change, then changes only that', async () => {
		const { service, crm } = e2e;
		const company = 'Acme';
		for (let id = 0; id < 13; id += 1) {
			const email = `person-${id}@example.com`;
			const known = { first_name: `Person ${id}`, company };
			crm.contacts.push({ id, email, ...known, owner: 'Olivia', updated_at: '2026-11-20' });
			if (id < 12) await service.addContact(email, known);
		}
		await service.addContact('person-1@example.com', { first_name: 'Old', company, notes: 'kept' });
		await service.addContact('gone@example.com', {});
		const expected = [
			['updated', 'person-1@example.com', ['first_name']],
			['created', 'person-12@example.com', ['first_name', 'company']],
			['deleted', 'gone@example.com', []],
		];
		const listChanges = (execution: Execution) =>
			execution
				.json('Sync the Contacts')
				.filter(({ action }) => action !== 'unchanged')
				.map(({ action, email, changes }) => [action, email, changes]);

		const dryRun = await e2e.run(example);

		expect(dryRun.error).toBeUndefined();
		expect(listChanges(dryRun)).toEqual(expected);
		expect(dryRun.json('Sync the Contacts')).toHaveLength(14);
		expect(changes()).toEqual([]);

		const sync = await e2e.run(example, withoutDryRun);

		expect(sync.error).toBeUndefined();
		expect(listChanges(sync)).toEqual(expected);
		const contacts = await service.getContacts();
		expect(contacts).toEqual(
			expect.arrayContaining([
				expect.objectContaining({ first_name: 'Person 1', company, notes: 'kept' }),
				expect.objectContaining({ first_name: 'Person 12', company }),
			]),
		);
		expect(contacts).toHaveLength(13);
		expect(requests('PATCH')).toHaveLength(2);
		expect(requests('DELETE')).toHaveLength(1);
		expect(crm.requests).toContain('/api/contacts?page=7');
	});
});

describe('agent-looks-up-contacts', () => {
	it('lets the agent list the contacts and get one, and responds with the results', async () => {
		const { service } = e2e;
		await service.addContact('ada@acme.example.com', { first_name: 'Ada', company: 'Acme' });
		await service.addContact('bob@globex.example.com', { first_name: 'Bob', company: 'Globex' });
		e2e.chatModel.respond = ({ messages, tools = [] }) => {
			const toolNamed = (words: string) =>
				tools.find((tool) => tool.function.name.includes(words))?.function.name ?? 'none';
			const results = messages.filter(({ role }) => role === 'tool');
			if (results.length === 0) return { tool: toolNamed('List'), arguments: {} };
			const address = /[a-z]+@acme\.example\.com/.exec(results[0].content ?? '')?.[0] ?? '';
			if (results.length === 1) {
				return { tool: toolNamed('One'), arguments: { contact_email: address } };
			}
			return { text: `At Acme it is ${address}: ${results[1].content}` };
		};

		const question = 'Who works at Acme?';
		const execution = await e2e.runChat('agent-looks-up-contacts', question);

		expect(execution.error).toBeUndefined();
		const { requests: prompts } = e2e.chatModel;
		expect(prompts[0].messages.at(-1)?.content).toBe(question);
		expect(prompts[0].tools?.map((tool) => tool.function.description).sort()).toEqual([
			expect.stringContaining('Gets one contact'),
			expect.stringContaining('Lists all contacts'),
		]);
		const contactsPath = `/api/v1/users/${service.userId}/contacts`;
		const asked = requests('GET').map(({ path }) => path.split('?')[0]);
		expect(asked.filter((path) => path !== '/api/v1/me')).toEqual([
			contactsPath,
			`${contactsPath}/ada%40acme.example.com`,
		]);
		const output = String(execution.json('Contact Agent')[0].output);
		expect(output).toContain('At Acme it is ada@acme.example.com');
		expect(output).toContain('"first_name":"Ada"');
		expect(JSON.stringify(prompts)).not.toContain(service.apiKey);
	});
});

const isN8n1 = getN8nVersion().name === '1';
const rows = readFileSync(join(examplesFolder, 'README.md'), 'utf8').split('\n');
const needsN8n2 = (name: string) =>
	rows.some((row) => row.includes(`(${name}.json)`) && row.includes('n8n 2'));

it('the examples consist of nodes that this n8n has in that version, with valid parameters', async () => {
	const findings: string[] = [];
	for (const [name, { nodes }] of e2e.examples) {
		if (isN8n1 && needsN8n2(name)) continue;
		// The server returns the node itself. The editor gets the tool only with the list of all nodes.
		const nodeInfos = nodes.map(({ type, typeVersion }) => ({
			name: type.replace(/Tool$/, ''),
			version: typeVersion,
		}));
		const descriptions = await e2e.server.rest<INodeTypeDescription[]>('POST', '/rest/node-types', {
			nodeInfos,
		});
		for (const [index, node] of nodes.entries()) {
			const isTool = node.type.endsWith('Tool');
			const description = isTool ? toToolDescription(descriptions[index]) : descriptions[index];
			const found = [description.version].flat().includes(node.typeVersion)
				? getParameterFindings(node, description)
				: [`${node.name} is not there in version ${node.typeVersion}.`];
			findings.push(...found.map((finding) => `${name}: ${finding}`));
		}
	}
	expect(findings).toEqual([]);
});

interface MigrationReport {
	report: { workflowResults: Array<{ ruleId: string }> };
}
interface RuleReport {
	affectedWorkflows: Array<{ id: string }>;
}

// n8n 1 reports about n8n 2 only.
(isN8n1 ? it.skip : it)("n8n's report of what n8n 3 changes names no example", async () => {
	const { server, examples, exampleId } = e2e;
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
	const findings = [...examples.keys()].filter((name) => affected.includes(exampleId(name)));
	expect(findings).toEqual([]);
});
