import { defaultCredentials, storedRecord } from '../support/engine.cts';
import { mockService } from '../support/nock.cts';
import { containersPath, operation, outputOf } from './support/operations.cts';
import { encode, path as encodePath } from './support/encode.cts';
import { path as rulesPath, rules, update } from './support/rules.cts';

const service = mockService();

const password = 'Größe & "Hafen" 7';
/** What a service makes of a password that it echoes, as it is. */
const echoes = [
	`It is ${password}.`,
	JSON.stringify({ password }),
	`https://x.example/?password=${encodeURIComponent(password)}`,
];

describe('the password in Manifest (JSON)', () => {
	const run = async () =>
		await encode({
			specifyManifest: 'json',
			manifestJson: JSON.stringify({ container: { name: 'Invoice', password } }),
		});
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

	it.each<[number, object]>([
		[422, { message: `Not accepted: ${echoes.join(' ')}` }],
		[200, { uuid: 'c-1', notes: echoes }],
	])(
		'is sent unchanged, and not shown when the service echoes it with %i',
		async (status, body) => {
			service.post(encodePath).reply(status, body);

			const result = shown(await run());

			expect(String(service.requests.at(-1)?.body)).toContain(JSON.stringify(password));
			for (const trace of ['Größe', 'Gr%C3']) expect(result).not.toContain(trace);
		},
	);
});

const { apiKey } = defaultCredentials;

it('the API key is not in an error about what the service shows', async () => {
	service.get(rulesPath).reply(200, { time: { end: `x ${apiKey}` } });

	const { error } = await update(rules({ extendByDays: 1 }), {}, { credentials: { apiKey } });

	expect(`${error?.message} ${error?.description}`).toContain('[hidden]');
	expect(`${error?.message} ${error?.description}`).not.toContain(apiKey);
});

it('the API key is not in the fields of an error item', async () => {
	service.get(containersPath).reply(200, [{ uuid: 'c-1', name: `Key ${apiKey}` }]);
	service.get(rulesPath).reply(403, {});
	const remove = operation('drm: removeEverywhere', { email: 'anna@x.example' });

	const more = { credentials: { apiKey }, onError: 'continueRegularOutput' } as const;
	expect(await outputOf(remove({}, {}, more))).toMatchObject([
		{ containerId: 'c-1', name: 'Key [hidden]', action: 'failed' },
	]);
});

it('a password in a name does not keep Reuse Existing from finding it', async () => {
	const existing = { org_id: 'user-1', container: { uuid: 'c-7', name: 'Statement 2026' } };
	service.get(containersPath).query(true).reply(200, [existing]);
	service.get('/containers/c-7/drm').reply(200, { dynamic: true });
	const parameters = { name: 'Statement 2026', drmRules: { password: 'Statement' } };

	expect(await outputOf(encode(parameters, { ifExists: 'reuse' }))).toMatchObject([
		{ containerId: 'c-7', reused: true },
	]);
});

it('a password in JSON that can not be used is not in its error', async () => {
	const recipients = [{ user: 'anna@x.example', password: 'correct horse' }];
	const manifestJson = JSON.stringify({ container: { name: 'x', recipients } });
	const { error } = await encode({ specifyManifest: 'json', manifestJson });

	expect(error?.message).toContain('"an object" in "Manifest (JSON)" is not an email address');
	expect(JSON.stringify(error)).not.toContain('horse');
});

it('a short password is hidden as a value, and destroys no date, size or postal code', async () => {
	const container = {
		...{ uuid: 'c-1', name: 'Report 2026', size: 2026, created_date: '2026-11-26T10:00:00.000Z' },
		...{ pin_code: '8001', drm: { time: { end: '2026-12-31' } } },
	};
	service.post(encodePath).reply(201, { org_id: 'user-1', container, echoed: '2026' });

	const [output] = await outputOf(encode({ name: '2026', drmRules: { password: '2026' } }));

	expect(output).toMatchObject({ container, echoed: '[hidden]', settings: { name: '2026' } });
});
