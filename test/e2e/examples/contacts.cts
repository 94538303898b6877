import {
	changes,
	containers,
	describeFile,
	e2e,
	mails,
	requests,
	withoutDryRun,
} from '../support/exampleEnvironment.cts';

/** People that the service knows already. */
const people = Array.from({ length: 12 }, (_value, index) => ({
	email: `person-${index}@example.com`,
	first_name: `Person ${index}`,
}));
const addPeople = async () => {
	for (const { email, first_name } of people) await e2e.service.addContact(email, { first_name });
	await e2e.service.addContact('gone@example.com', {});
};

/** Where an example gets its contacts: those people, and a new one. */
const sources: Record<string, () => void> = {
	'sync-contacts-from-google-sheets': () => {
		const rows = people.map(({ email, first_name }) => [email, first_name]);
		e2e.internet.sheet.push(['email', 'first_name'], ...rows, ['new@example.com', 'New']);
	},
	'sync-contacts-from-hubspot': () => {
		const known = people.map(({ email, first_name: firstname }) => ({ email, firstname }));
		const added = { email: 'new@example.com', firstname: 'New' };
		e2e.internet.hubspotContacts.push(...known, added, { firstname: 'Nobody' });
	},
	'sync-crm-contacts': () => {
		const list = [...people, { email: 'new@example.com', first_name: 'New' }];
		for (const [id, contact] of list.entries()) {
			const ignored = { id, owner: 'Olivia', updated_at: '2026-11-20' };
			e2e.internet.crmContacts.push({ ...contact, ...ignored });
		}
	},
};

it.each(Object.keys(sources))(
	'%s first shows what would change, then changes only that',
	async (example) => {
		await addPeople();
		sources[example]();
		const expected = [
			{ action: 'created', email: 'new@example.com' },
			{ action: 'deleted', email: 'gone@example.com' },
		];

		for (const parameters of [undefined, withoutDryRun]) {
			const { error, json } = await e2e.run(example, parameters);

			expect(error).toBeUndefined();
			const changed = json('Sync the Contacts').filter(({ action }) => action !== 'unchanged');
			expect(changed).toMatchObject(expected);
			expect(changes()).toHaveLength(parameters === undefined ? 0 : expected.length);
		}
		const contacts = await e2e.service.getContacts();
		expect(contacts).toHaveLength(13);
		const stored = contacts.find(({ email }) => email === 'new@example.com');
		expect(stored).toMatchObject({ first_name: 'New' });
		expect(stored).not.toHaveProperty('owner');
	},
);

describe('sync-contacts-from-google-sheets', () => {
	const run = async () => await e2e.run('sync-contacts-from-google-sheets');

	it('emails what it would change', async () => {
		await addPeople();
		sources['sync-contacts-from-google-sheets']();

		await run();

		expect(mails()).toMatchObject([{ to: 'owner@example.com' }]);
		const [{ text }] = mails();
		expect(text).toContain('Nothing was changed');
		expect(text).toMatch(/created new@example\.com first_name/);
		expect(text).toMatch(/deleted gone@example\.com/);
		expect(text).not.toContain('person-');
	});

	it('sends no email when nothing changes, and fails for an empty sheet', async () => {
		const { sheet } = e2e.internet;
		await e2e.service.addContact('ada@example.com', { first_name: 'Ada' });
		sheet.push(['email', 'first_name'], ['ada@example.com', 'Ada']);

		expect((await run()).error).toBeUndefined();
		sheet.pop();
		expect((await run()).error?.message).toMatch(/"Email" is empty/);
		expect(mails()).toEqual([]);
		expect(changes()).toEqual([]);
	});
});

it('encrypt-a-report-from-text encrypts the text as a file, and creates no second container', async () => {
	const addresses = ['ada@example.com', 'bob@example.com'];
	for (const address of addresses) await e2e.service.addContact(address, {});

	const run = async () => await e2e.run('encrypt-a-report-from-text');
	const runs = [await run(), await run()];

	expect(runs.map(({ json }) => json('Encrypt the Report')[0].reused)).toEqual([false, true]);
	const { size, sha256 } = describeFile({ name: '', content: addresses.join('\n') });
	expect(await containers()).toMatchObject([
		{
			name: expect.stringMatching(/^Contacts of week \d{4}-W\d{2}$/),
			rules: { recipients: ['management@example.com'] },
			files: [{ size, sha256 }],
		},
	]);
});

describe('agent-encrypts-a-message', () => {
	const content = 'The new door code is 2468.';
	const run = async (recipients: string, agent: number) => {
		e2e.internet.respond = ({ messages, tools = [] }) => {
			const result = messages.find(({ role }) => role === 'tool');
			if (result !== undefined) return { text: `The tool says: ${result.content}` };
			const values = { text: content, title: 'For Anna', recipients };
			return { tool: tools[0].function.name, arguments: values };
		};
		const message = `Encrypt the new door code 2468 for ${recipients}.`;
		const { error, json } = await e2e.runChat('agent-encrypts-a-message', message, agent);
		expect(error).toBeUndefined();
		return String(json('Sharing Agent')[0].output);
	};

	it.each([
		['whose tools n8n runs', 3],
		['that calls its tools by itself', 2],
	])('encrypts for an allowed recipient, and for no other: an agent %s', async (_way, agent) => {
		expect(await run('anna@example.com, *@*', agent)).toContain('The tool says');
		expect(await containers()).toEqual([]);

		expect(await run('anna@example.com', agent)).toContain('For Anna');
		expect(await containers()).toMatchObject([
			{
				name: 'For Anna',
				rules: { recipients: ['anna@example.com'] },
				files: [describeFile({ name: 'message.txt', content })],
			},
		]);
	});
});

it('agent-looks-up-contacts lets the agent list the contacts and get one, and responds with the results', async () => {
	const { service, internet } = e2e;
	await service.addContact('ada@acme.example.com', { first_name: 'Ada', company: 'Acme' });
	await service.addContact('bob@globex.example.com', { first_name: 'Bob', company: 'Globex' });
	internet.respond = ({ messages, tools = [] }) => {
		const toolNamed = (words: string) =>
			tools.find((tool) => tool.function.name.includes(words))?.function.name ?? 'none';
		const results = messages.filter(({ role }) => role === 'tool');
		if (results.length === 0) return { tool: toolNamed('List'), arguments: {} };
		const address = /[a-z]+@acme\.example\.com/.exec(results[0].content ?? '')?.[0] ?? '';
		return results.length === 1
			? { tool: toolNamed('One'), arguments: { contact_email: address } }
			: { text: `At Acme it is ${address}: ${results[1].content}` };
	};

	const { error, json } = await e2e.runChat('agent-looks-up-contacts', 'Who works at Acme?');

	expect(error).toBeUndefined();
	expect(internet.prompts[0].messages.at(-1)?.content).toBe('Who works at Acme?');
	const list = `/users/${service.userId}/contacts`;
	const asked = requests('GET').map(({ path }) => path.split('?')[0].replace('/api/v1', ''));
	const paths = [list, `${list}/ada%40acme.example.com`];
	expect(asked.filter((path) => path !== '/me')).toEqual(paths);
	const output = String(json('Contact Agent')[0].output);
	expect(output).toContain('At Acme it is ada@acme.example.com');
	expect(output).toContain('"first_name":"Ada"');
	expect(JSON.stringify(internet.prompts)).not.toContain(service.apiKey);
});
