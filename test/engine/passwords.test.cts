import { defaultCredentials, storedRecord } from '../support/engine.cts';
import { mockService } from '../support/nock.cts';
import { containersPath, outputOf } from './support/operations.cts';
import { encode, path as encodePath } from './support/encode.cts';
import { path as rulesPath, rules, update } from './support/rules.cts';

const service = mockService();

const passcode = ' Größe & "Hafen" 7 ';
const pin = 48291357;
const passwords = {
	container: { name: 'Invoice', drm: { Viewer_PassCode: passcode } },
	files: [{ locks: [{ PIN: pin }] }],
};

/** What a service makes of a password that it echoes, with the start of each form that must not be shown. */
const echoes = [
	passcode,
	passcode.trim().toLowerCase(),
	passcode.toUpperCase(),
	JSON.stringify({ passcode }),
	`https://x.example/?passcode=${encodeURIComponent(passcode.trim())}`,
	Buffer.from(passcode).toString('base64'),
	`PIN ${pin}`,
];
const traces = ['Größe', 'größe', 'GRÖSSE', 'Gr%C3', 'IEdyw7', '48291357'];
const operations: Array<[string, () => ReturnType<typeof encode>, string, string, object]> = [
	[
		'Manifest (JSON)',
		async () => await encode({ specifyManifest: 'json', manifestJson: JSON.stringify(passwords) }),
		'POST',
		encodePath,
		{},
	],
];

describe.each(operations)('a password anywhere in %s', (_field, run, method, path, record) => {
	beforeEach(() => {
		service.contract.skipBodies('JSON is sent as the user enters it');
		service.scope().get('/me').optionally().reply(200, { id: 'user-1' });
	});

	const reply = (status: number, body: object) =>
		service.scope().intercept(path, method).reply(status, body);
	const shown = ({ items, error, log, execution }: Awaited<ReturnType<typeof encode>>) =>
		[
			JSON.stringify(items),
			error?.message,
			error?.description,
			JSON.stringify(error),
			log.join('\n'),
			// The workflow has it as a parameter; what the node returned is looked at.
			storedRecord(execution),
		].join('\n');

	it('is not in the error when the service echoes it in any form', async () => {
		reply(422, { message: `Not accepted: ${echoes.join(' ')}` });

		const result = await run();

		expect(result.error?.message).toContain('Not accepted: ');
		for (const trace of traces) expect(shown(result)).not.toContain(trace);
	});

	it('is not in the output when the service echoes it in any form', async () => {
		reply(200, {
			...record,
			uuid: 'c-1',
			notes: echoes,
			number: pin,
			PassCode: 'another one',
		});

		const result = await run();

		expect(result.items[0].json).toMatchObject({ number: '[hidden]', PassCode: '[hidden]' });
		for (const trace of traces) expect(shown(result)).not.toContain(trace);
	});

	it('is sent unchanged', async () => {
		reply(200, { ...record, uuid: 'c-1' });

		await run();

		const body = service.requests.at(-1)?.body;
		const sent = typeof body === 'string' ? body : JSON.stringify(body);
		expect(sent).toContain(JSON.stringify(passcode));
		expect(sent).toContain(`:${pin}`);
	});
});

const { apiKey } = defaultCredentials;

it.each([
	[{ time: { end: `x ${apiKey}` } }, { extendByDays: 1 }],
	[{ recipients: [`${apiKey}@x.example`] }, { removeRecipients: '*@x.example' }],
])('the API key is not in an error about what the service shows: %#', async (shown, fields) => {
	service.get(rulesPath).reply(200, shown);

	const { error } = await update(rules(fields), {}, { credentials: { apiKey } });

	expect(`${error?.message} ${error?.description}`).toContain('[hidden]');
	expect(`${error?.message} ${error?.description}`).not.toContain(apiKey);
});

it('a password in the fields of Encode is not in the output or the log', async () => {
	const secret = 'correct horse battery';
	service.post(encodePath).reply(200, { uuid: 'c-1', echoed: `It is ${secret}.`, [secret]: 1 });

	const { items, log } = await encode({ drmRules: { password: secret } });

	expect(JSON.stringify(items) + log.join('\n')).not.toContain(secret);
});

it('a password in a name does not keep Reuse Existing from finding it, nor change it', async () => {
	const existing = { org_id: 'user-1', container: { uuid: 'c-7', name: 'Statement 2026' } };
	service.get(containersPath).reply(200, [existing]);
	service.get('/containers/c-7/drm').reply(200, { dynamic: true });
	const parameters = { name: 'Statement 2026', drmRules: { password: 'Statement' } };

	expect(await outputOf(encode(parameters, { ifExists: 'reuse' }))).toMatchObject([existing]);
});

it('a password in JSON that can not be used is not in its error', async () => {
	const recipients = [{ user: 'anna@x.example', password: 'correct horse' }];
	const manifestJson = JSON.stringify({ container: { name: 'x', recipients } });
	const { error } = await encode({ specifyManifest: 'json', manifestJson });

	expect(error?.message).toContain('"an object" in "Manifest (JSON)" is not an email address');
	expect(JSON.stringify(error)).not.toContain('horse');
});
