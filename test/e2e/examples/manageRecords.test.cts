import type { INodeTypeDescription } from 'n8n-workflow';
import { getParameterFindings, toToolDescription } from '../support/parameterFindings.cts';
import { day, itKeepsSecretsOutOfTheLog, useExamples } from '../support/exampleTests.cts';

describe('the examples that manage containers and contacts, in the real n8n', () => {
	const examples = useExamples();
	const { requests, containers, mailTo } = examples;

	describe('revoke-expired-containers', () => {
		const example = 'revoke-expired-containers';

		it('ends access when the date has passed, keeps all other rules, and reports failures', async () => {
			const { sandbox } = examples.environment;
			const recipients = ['ada@example.com'];
			const add = (name: string, rules: object) =>
				sandbox.addContainer({ name, rules: { recipients, ...rules } }).uuid;
			const past = add(`Offer until ${day(-3)}`, { dynamic: true, opens: 5 });
			const today = add(`Offer until ${day(0)}`, { dynamic: true });
			const undated = add('Offer', { dynamic: true });
			const sealed = add('Sealed until 2020-02-29', { dynamic: false });

			const execution = await examples.environment.run(example);

			expect(execution.error).toBeUndefined();
			const rulesOf = (uuid: string) => sandbox.state.containers.get(uuid)?.rules;
			expect(rulesOf(past)).toEqual({
				dynamic: true,
				opens: 5,
				recipients,
				time: { end: day(-1) },
			});
			expect(rulesOf(today)).toEqual({ dynamic: true, recipients });
			expect(rulesOf(undated)).toEqual({ dynamic: true, recipients });
			expect(requests('PATCH').map(({ path }) => path)).toEqual([`/api/v1/containers/${past}/drm`]);
			expect(execution.json('List the Revoked Containers')).toEqual([
				{ containerId: past, name: `Offer until ${day(-3)}`, endedOn: day(-1) },
			]);
			expect(examples.environment.smtp.mails).toHaveLength(1);
			const [mail] = mailTo('administrator@example.com');
			expect(mail.message).toContain('Subject: 1 containers could not be revoked');
			expect(mail.message).toContain(sealed);
		});

		it('processes more containers than the rate limit allows at once, and sends no email', async () => {
			const { sandbox } = examples.environment;
			for (let index = 0; index < 12; index++) {
				const rules = { dynamic: true, recipients: [`reader-${index}@example.com`] };
				sandbox.addContainer({ name: `Draft ${index} until 2026-01-31`, rules });
			}
			sandbox.settings.rateLimit = { perMinute: 10, windowMs: 1000, retryAfter: 'seconds' };

			const execution = await examples.environment.run(example);

			expect(execution.error).toBeUndefined();
			expect(execution.json('List the Revoked Containers')).toHaveLength(12);
			expect(containers().map(({ rules }) => rules.time)).toEqual(
				Array.from({ length: 12 }, () => ({ end: day(-1) })),
			);
			expect(sandbox.counts.peakInFlight).toBeLessThanOrEqual(2);
			expect(examples.environment.smtp.mails).toEqual([]);
		});
	});

	describe('sync-crm-contacts', () => {
		const example = 'sync-crm-contacts';
		const contact = (id: number, email: string, first_name: string) => ({
			id,
			email,
			first_name,
			company: 'Acme',
			owner: 'Olivia',
			updated_at: '2026-11-20T08:00:00Z',
		});

		it('sends only new and changed contacts, and reports failures', async () => {
			const { sandbox } = examples.environment;
			sandbox.addContact('ada@example.com', { first_name: 'Ada', company: 'Acme' });
			sandbox.addContact('bob@example.com', {
				first_name: 'Bob',
				company: 'Globex',
				notes: 'kept',
			});
			examples.environment.crm.contacts.push(
				contact(1, 'ada@example.com', 'Ada'),
				contact(2, 'bob@example.com', 'Bob'),
				contact(3, 'cleo+news@example.com', 'Cleo'),
				contact(4, '', 'Nobody'),
				contact(5, 'dora@example.com', 'Dora'),
			);

			const execution = await examples.environment.run(example);

			expect(execution.error).toBeUndefined();
			expect(examples.environment.crm.requests).toEqual([
				'/api/contacts',
				'/api/contacts?page=2',
				'/api/contacts?page=3',
			]);
			const contactsPath = `/api/v1/users/${sandbox.user.id}/contacts`;
			const sent = requests('PATCH').map(({ path, body }) => ({
				email: decodeURIComponent(path.slice(contactsPath.length + 1)),
				body,
			}));
			// Concurrent requests arrive in any order.
			expect(sent.sort((one, other) => one.email.localeCompare(other.email))).toEqual([
				{ email: 'bob@example.com', body: { first_name: 'Bob', company: 'Acme' } },
				{ email: 'cleo+news@example.com', body: { first_name: 'Cleo', company: 'Acme' } },
				{ email: 'dora@example.com', body: { first_name: 'Dora', company: 'Acme' } },
			]);
			expect(execution.items('Create or Update the Contact')).toHaveLength(4);
			expect(examples.environment.smtp.mails).toHaveLength(1);
			const [mail] = mailTo('sales@example.com');
			expect(mail.message).toContain('Subject: 1 contacts were not synced');
			expect(mail.message).toContain('"Email" is empty');
		});

		it('needs only one list when nothing has changed', async () => {
			examples.environment.sandbox.addContact('ada@example.com', {
				first_name: 'Ada',
				company: 'Acme',
			});
			examples.environment.crm.contacts.push(contact(1, 'ada@example.com', 'Ada'));

			const execution = await examples.environment.run(example);

			expect(execution.error).toBeUndefined();
			expect(requests('PATCH')).toEqual([]);
			const lists = requests('GET').filter(({ path }) => path.endsWith('/contacts'));
			expect(lists).toHaveLength(1);
			expect(examples.environment.smtp.mails).toEqual([]);
		});
	});

	describe('agent-looks-up-contacts', () => {
		it('lets the agent list the contacts and get one, and responds with the results', async () => {
			const { sandbox } = examples.environment;
			sandbox.addContact('ada@acme.example.com', { first_name: 'Ada', company: 'Acme' });
			sandbox.addContact('bob@globex.example.com', { first_name: 'Bob', company: 'Globex' });
			examples.environment.chatModel.respond = ({ messages, tools = [] }) => {
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

			const execution = await examples.environment.runWithItem('agent-looks-up-contacts', {
				sessionId: 'a-session',
				action: 'sendMessage',
				chatInput: 'Who works at Acme?',
			});

			expect(execution.error).toBeUndefined();
			const { requests: prompts } = examples.environment.chatModel;
			expect(prompts[0].messages.at(-1)?.content).toBe('Who works at Acme?');
			expect(prompts[0].tools?.map((tool) => tool.function.description).sort()).toEqual([
				expect.stringContaining('Gets one contact'),
				expect.stringContaining('Lists all contacts'),
			]);
			const contactsPath = `/api/v1/users/${sandbox.user.id}/contacts`;
			const asked = requests('GET').map(({ path }) => path);
			expect(asked.filter((path) => path !== '/api/v1/me')).toEqual([
				contactsPath,
				`${contactsPath}/ada%40acme.example.com`,
			]);
			const output = String(execution.json('Contact Agent')[0].output);
			expect(output).toContain('At Acme it is ada@acme.example.com');
			expect(output).toContain('"first_name":"Ada"');
			expect(JSON.stringify(prompts)).not.toContain(sandbox.apiKey);
		});
	});

	describe('watch-new-containers', () => {
		it('writes the messages of all other containers when rules cannot be fetched, then fails with their names', async () => {
			const { sandbox } = examples.environment;
			const [gone, endless] = ['Deleted meanwhile', 'Offer without an end'].map(
				(name) => sandbox.addContainer({ name, rules: { dynamic: true } }).uuid,
			);
			sandbox.faults.add({ kind: 'status', status: 404, path: new RegExp(`${gone}/drm$`) });

			const execution = await examples.environment.run('watch-new-containers');

			expect(execution.status).toBe('error');
			expect(execution.error?.message).toMatch(
				/^Could not get the rules of Deleted meanwhile \([^)]+\)$/,
			);
			expect(execution.json('Write a Message')).toEqual([
				expect.objectContaining({ containerId: endless }),
			]);
		});
	});

	it('consist of nodes that this n8n has in that version, with valid parameters', async () => {
		for (const [name, { nodes }] of examples.environment.examples) {
			// The server returns the node itself. The editor gets the tool only with the list of all nodes.
			const nodeInfos = nodes.map(({ type, typeVersion }) => ({
				name: type.replace(/Tool$/, ''),
				version: typeVersion,
			}));
			const descriptions = await examples.environment.server.rest<INodeTypeDescription[]>(
				'POST',
				'/rest/node-types',
				{ nodeInfos },
			);
			const findings = nodes.flatMap((node, index) => {
				const isTool = node.type.endsWith('Tool');
				const description = isTool ? toToolDescription(descriptions[index]) : descriptions[index];
				return [description.version].flat().includes(node.typeVersion)
					? getParameterFindings(node, description)
					: [`${node.name} is not there in version ${node.typeVersion}.`];
			});
			expect({ name, findings }).toEqual({ name, findings: [] });
		}
	});

	itKeepsSecretsOutOfTheLog(examples);
});
