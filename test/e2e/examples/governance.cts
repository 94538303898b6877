import { getN8nVersion } from '../../../tools/realN8n/installN8n.cts';
import type { IDataObject } from 'n8n-workflow';
import { waitFor } from '../../../tools/processes.cts';
import {
	answerEmail,
	day,
	describeFile,
	e2e,
	filesOf,
	lastPage,
	mailTo,
	manifestOf,
	openAs,
	requests,
	uploads,
	uuidOf,
} from '../support/exampleEnvironment.cts';

const add = async (name: string, rules: IDataObject) =>
	await e2e.service.addContainer({ name, rules });
const rulesOf = async (uuid: string) => await e2e.service.getRules(uuid);

describe('remove-a-person-from-all-containers', () => {
	const example = 'remove-a-person-from-all-containers';
	const submit = async (address: string) =>
		await lastPage(await e2e.submitForm('remove-a-person', address));
	/** Submits the form, and returns its last page and the execution, when both have ended. */
	const submitAndWait = async (id: string, address: string) => {
		let page = '';
		const { error } = await e2e.startedBy(id, async () => (page = await submit(address)));
		return { page, error };
	};

	it('asks for a login, ends the access everywhere, says so, and changes nothing the second time', async () => {
		const both = ['Ada@Example.com', 'bob@example.com'];
		const shared = await add('Shared', { opens: 5, recipients: both });
		const alone = await add('Alone', { recipients: ['ada@example.com'] });
		const other = await add('Other', { recipients: ['bob@example.com'] });

		await e2e.whilePublished(example, async (id) => {
			for (const method of ['GET', 'POST']) {
				const { status } = await e2e.server.call('/form/remove-a-person', { method });
				expect(status).toBe(401);
			}
			const { page, error } = await submitAndWait(id, 'ada@example.com');

			expect(page).toContain('Removed from all containers of this user');
			expect(page).toContain('Containers of other users were not checked');
			for (const name of ['Shared: removed', 'Alone: revoked']) expect(page).toContain(name);
			expect(page).not.toContain('Other');
			expect(await rulesOf(shared)).toMatchObject({ opens: 5, recipients: ['bob@example.com'] });
			expect(await rulesOf(alone)).toMatchObject({
				time: { end: expect.stringMatching(/^\d{4}-/) },
			});
			expect(await rulesOf(other)).toEqual({ dynamic: true, recipients: ['bob@example.com'] });
			expect(error).toBeUndefined();
			expect(requests('PATCH')).toHaveLength(2);

			expect(await submit('ada@example.com')).toContain('Alone: revoked. Changed nothing');
			expect(requests('PATCH')).toHaveLength(2);
		});
	});

	it('names where the person still has access, and fails', async () => {
		const both = ['ada@example.com', 'bob@example.com'];
		await add('Sealed', { dynamic: false, recipients: both });
		await add('Wide', { recipients: ['*@example.com', 'bob@example.org'] });
		const good = await add('Good', { recipients: both });

		await e2e.whilePublished(example, async (id) => {
			const { page, error } = await submitAndWait(id, 'ada@example.com');

			expect(page).toContain('Not removed everywhere');
			for (const name of ['Sealed', 'Wide: skipped', 'Good: removed']) {
				expect(page).toContain(name);
			}
			expect((await rulesOf(good)).recipients).toEqual(['bob@example.com']);
			expect(error?.message).toMatch(/^Not removed everywhere\..*Sealed/);
			expect(error?.message).not.toContain('Good');
		});
	});
});

describe('end-access-after-90-days', () => {
	const example = 'end-access-after-90-days';
	const addOld = async (name: string, rules: IDataObject, daysAgo: number) => {
		const id = await add(name, rules);
		e2e.service.setCreatedDate(id, new Date(Date.now() - daysAgo * 86_400_000));
		return id;
	};

	it('ends access to old containers, and emails once what changed and what failed', async () => {
		const recipients = ['ada@example.com'];
		const old = await addOld('Old', { recipients }, 91);
		const young = await addOld('Young', { recipients }, 80);
		await addOld('Sealed', { dynamic: false, recipients }, 200);

		const execution = await e2e.run(example);

		expect(execution.error).toBeUndefined();
		expect(await rulesOf(old)).toMatchObject({ time: { end: expect.stringMatching(/^\d{4}-/) } });
		expect(await rulesOf(young)).toEqual({ dynamic: true, recipients });
		const mails = mailTo('owner@example.com');
		expect(mails).toHaveLength(1);
		expect(mails[0].message).toContain('Subject: Access ended: 1 containers, failed: 1');
		expect(mails[0].message).toContain('Old: access ended');
		expect(mails[0].message).toMatch(/Sealed: .+/);
	});
});

describe('alarm-for-three-refusals', () => {
	it('sends one email when a person is refused at a container for the third time', async () => {
		const [ada, bob] = ['ada@example.com', 'bob@example.com'];
		const uuid = await add('Offer', { recipients: [ada, bob] });
		const visitors = [await openAs(ada, uuid), await openAs(bob, uuid)];
		await e2e.service.setRules(uuid, { time: { end: day(-1) } });
		for (const visitor of [0, 0, 0, 0, 1, 1]) {
			expect(await visitors[visitor].go()).toMatchObject({ status: 403 });
		}

		const execution = await e2e.run('alarm-for-three-refusals');

		expect(execution.error).toBeUndefined();
		const mails = mailTo('owner@example.com');
		expect(mails).toHaveLength(1);
		expect(mails[0].message).toContain(`Subject: Refused three times: ${ada}`);
		expect(mails[0].message).toContain(`Container: ${uuid}`);
		expect(mails[0].message).toContain('The rule that was not met: time');
	});
});

describe('remind-who-has-not-opened', () => {
	it('writes to who has not opened a container three days after it was created', async () => {
		const recipients = ['Ada@Example.com', 'bob@example.com', '*@acme.example.com'];
		const addOld = async (name: string) => {
			const uuid = await add(name, { recipients, time: { end: day(5) } });
			e2e.service.setCreatedDate(uuid, new Date(Date.now() - 3 * 86_400_000));
			return uuid;
		};
		const [uuid, ended] = [await addOld('Offer'), await addOld('Ended')];
		await add('New', { recipients });
		await e2e.service.setRules(ended, { time: { end: day(-2) } });
		await openAs('ada@example.com', uuid);

		const execution = await e2e.run('remind-who-has-not-opened');

		expect(execution.error).toBeUndefined();
		expect(e2e.smtp.mails.map(({ to }) => to)).toEqual([['bob@example.com']]);
		const [{ message }] = e2e.smtp.mails;
		expect(message).toContain('we encrypted "Offer" for you');
		expect(message).toContain(`/c/${uuid} by ${day(5)}: enter your email address`);
	});
});

describe('check-rules-every-night', () => {
	it('emails once what breaks the guardrails of the credential, and changes nothing', async () => {
		const { id, name } = e2e.credentials.encryptedContainersApi;
		const save = async (more: object) =>
			await e2e.server.rest('PATCH', `/rest/credentials/${id}`, {
				...{ id, name, type: 'encryptedContainersApi' },
				data: { ...e2e.service.credentials, ...more },
			});
		await add('Good', { recipients: ['ada@example.com'], time: { end: day(3) } });
		await add('Wide', { recipients: ['eve@elsewhere.example'], time: { end: day(3) } });
		await save({ allowedRecipients: '*@example.com', maxAccessDays: '30' });
		try {
			const execution = await e2e.run('check-rules-every-night');

			expect(execution.error).toBeUndefined();
			const mails = mailTo('owner@example.com');
			expect(mails).toHaveLength(1);
			expect(mails[0].message).toContain('Subject: Containers that break the policy: 1');
			expect(mails[0].message).toMatch(/Wide: Allowed Recipients is .*eve@elsewhere\.example/);
			expect(mails[0].message).not.toContain('Good');
			expect(requests('PATCH')).toEqual([]);
		} finally {
			await save({});
		}
	});
});

describe('recipients-follow-a-google-sheet', () => {
	const example = 'recipients-follow-a-google-sheet';
	const run = async (uuid: string, dryRun: boolean) => {
		const containerId = { __rl: true, mode: 'id', value: uuid };
		const options = { maxRemovals: 100 };
		return await e2e.run(example, { 'Sync the Recipients': { containerId, dryRun, options } });
	};

	it('makes the recipients those of the sheet, after a dry run, and refuses an empty sheet', async () => {
		const { sheet } = e2e.internet;
		const uuid = await add('Board papers', { recipients: ['ada@example.com', 'gone@example.com'] });
		sheet.push(['Email'], ['ada@example.com'], ['new@example.com']);

		expect((await run(uuid, true)).error).toBeUndefined();
		expect(requests('PATCH')).toEqual([]);
		const sync = await run(uuid, false);

		expect(sync.json('Sync the Recipients')).toEqual([
			expect.objectContaining({
				action: 'updated',
				added: ['new@example.com'],
				removed: ['gone@example.com'],
			}),
		]);
		expect((await rulesOf(uuid)).recipients).toEqual(['ada@example.com', 'new@example.com']);

		sheet.length = 1;
		expect((await run(uuid, false)).status).toBe('error');
		expect((await rulesOf(uuid)).recipients).toHaveLength(2);
	});
});

describe('approval-before-sharing', () => {
	const example = 'approval-before-sharing';
	const offer = new File(['an offer'], 'Offer.pdf', { type: 'application/pdf' });
	const ask = async (recipient: string, approved: boolean) => {
		const { submitForm, smtp } = e2e;
		const submitted = await submitForm('share-after-approval', offer, recipient);
		await waitFor(async () => smtp.mails.length > 0);
		expect(uploads()).toEqual([]);
		const [{ message }] = mailTo('owner@example.com');
		expect(message).toContain(`Share Offer.pdf with ${recipient}?`);
		await answerEmail(message, approved);
		return await lastPage(submitted);
	};

	it('encrypts the file when its owner approves, and shows its link', async () => {
		await e2e.whilePublished(example, async () => {
			const page = await ask('ada@example.com', true);

			expect(page).toContain('The file is encrypted');
			expect(page).toContain('Tell ada@example.com');
			// n8n 1 does not record when somebody answered.
			if (getN8nVersion().name !== '1') expect(page).toMatch(/Approved \d{4}-\d\d-\d\dT/);
			expect(page).toContain(`/c/${await uuidOf('Offer.pdf')}`);
			expect(uploads().map(manifestOf)).toEqual([
				expect.objectContaining({ name: 'Offer.pdf', recipients: ['ada@example.com'] }),
			]);
			expect(uploads().map(filesOf)).toEqual([[describeFile('Offer.pdf', 'an offer')]]);
		});
	});

	it.each([
		['the owner declines', 'ada@example.com', false, 'did not approve', undefined],
		['the recipient is not allowed', 'eve@elsewhere.example', true, 'eve@elsewhere.example', /eve/],
	])('says why not when %s', async (_what, recipient, approved, reason, message) => {
		await e2e.whilePublished(example, async (id) => {
			let page = '';
			const start = async () => (page = await ask(recipient, approved));
			const { error } = await e2e.startedBy(id, start);

			expect(page).toContain('The file was not encrypted');
			expect(page).toContain(reason);
			expect(error?.message).toEqual(message && expect.stringMatching(message));
			expect(uploads()).toEqual([]);
		});
	});
});

describe('agent-encrypts-a-message', () => {
	const run = async (recipients: string, agent: number) => {
		e2e.chatModel.respond = ({ messages, tools = [] }) => {
			const [result] = messages.filter(({ role }) => role === 'tool');
			if (result !== undefined) return { text: `The tool says: ${result.content}` };
			const text = 'The new door code is 2468.';
			return { tool: tools[0].function.name, arguments: { text, title: 'For Anna', recipients } };
		};
		const message = `Encrypt the new door code 2468 for ${recipients}.`;
		const execution = await e2e.runChat('agent-encrypts-a-message', message, agent);
		expect(execution.error).toBeUndefined();
		return String(execution.json('Sharing Agent')[0].output);
	};

	it.each([
		['whose tools n8n runs', 3],
		['that calls its tools by itself', 2],
	])('encrypts for an allowed recipient: an agent %s', async (_way, agent) => {
		const output = await run('anna@example.com', agent);

		expect(uploads().map(manifestOf)).toEqual([
			expect.objectContaining({ name: 'For Anna', recipients: ['anna@example.com'] }),
		]);
		expect(uploads().map(filesOf)).toEqual([
			[describeFile('message.txt', 'The new door code is 2468.')],
		]);
		expect(output).toContain('For Anna');
	});

	it.each([
		['eve@elsewhere.example', 3],
		['anna@example.com, *@*', 2],
	])('refuses %s, whatever the model says', async (recipients, agent) => {
		await run(recipients, agent);

		expect(uploads()).toEqual([]);
	});
});
