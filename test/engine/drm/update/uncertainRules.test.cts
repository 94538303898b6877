import type { IDataObject } from 'n8n-workflow';
import { mockService } from '../../../support/nock.cts';
import { revoke } from '../../support/revoke.cts';
import { path, rules, update } from '../../support/updateRules.cts';

const service = mockService();
const others = { dynamic: true, opens: 5 };
const recipients = ['anna@example.com', 'bob@example.com'];

const reply = (body: IDataObject) =>
	service
		.scope()
		.get(path)
		.reply(200, body as Record<string, unknown>);

describe('recipients', () => {
	it.each<[string, IDataObject]>([
		['as text', { ...others, recipients }],
		['as objects', { ...others, recipients: recipients.map((email) => ({ email })) }],
		[
			'as objects of another kind',
			{ ...others, recipients: recipients.map((address, id) => ({ id, address })) },
		],
		['in the container beside the rules', { container: { recipients }, drm: others }],
		['in the container around the rules', { container: { uuid: 'c-1', recipients, drm: others } }],
		['beside the rules', { recipients, drm: others }],
		[
			'twice',
			{ recipients: ['BOB@example.com', 'anna@example.com'], drm: { ...others, recipients } },
		],
	])('are found, to add and to remove some: %s', async (_where, body) => {
		reply(body);
		service.scope().patch(path).reply(204);

		const { error } = await update(
			rules({ addRecipients: 'carl@example.com', removeRecipients: 'Bob@example.com' }),
		);

		expect(error).toBeUndefined();
		const [, patch] = service.requests;
		expect(patch.body).toEqual({
			...others,
			recipients: expect.arrayContaining(['anna@example.com', 'carl@example.com']),
		});
		expect((patch.body as { recipients: string[] }).recipients).toHaveLength(2);
	});
});

const uncertain: Array<[string, IDataObject, RegExp]> = [
	['another spelling', { drm: { Dynamic: false } }, /a field "Dynamic" instead of access rules/],
	['unknown fields', { drm: { policy: 'x' } }, /access rules with the fields policy instead of/],
	[
		'two lists',
		{ container: { recipients: ['x@x.example'] }, drm: { ...others, recipients } },
		/two different "recipients"/,
	],
	[
		'recipients without an address',
		{ ...others, recipients: [{ id: 1 }] },
		/"recipients" with the value/,
	],
	[
		'recipients without an address beside the rules',
		{ container: { recipients: [{ id: 1 }] }, drm: others },
		/"recipients" with the value/,
	],
	['a number of recipients', { ...others, recipients: 2 }, /"recipients" with the value 2/],
	['a time that is no window', { time: { took: 3 } }, /an object with the fields time/],
	['a number in words', { ...others, opens: 'some' }, /"opens" with the value "some"/],
	['a list of rules', { rules: [others] }, /a list of "rules"/],
];

describe('rules that are not certain', () => {
	it.each(uncertain)('stop an update, and nothing is sent: %s', async (_what, body, message) => {
		reply(body);

		const { error, items } = await update(rules({ addRecipients: 'carl@example.com' }));

		expect(error?.message).toMatch(message);
		expect(items).toEqual([]);
		expect(service.requests.map(({ method }) => method)).toEqual(['GET']);
	});

	it.each(uncertain)(
		'stop revoking access, and nothing is sent: %s',
		async (_what, body, message) => {
			reply(body);

			const { error, items } = await revoke();

			expect(error?.message).toMatch(message);
			expect(items).toEqual([]);
			expect(service.requests.map(({ method }) => method)).toEqual(['GET']);
		},
	);

	it('are not those beside a message about the time', async () => {
		reply({ data: { ...others, recipients }, time: { took: 3 } });
		service.scope().patch(path).reply(204);

		await update(rules({ opens: 1 }));

		expect(service.requests[1].body).toEqual({ ...others, opens: 1, recipients });
	});
});

describe('rules in the types of other languages', () => {
	it('are sent back in the documented ones', async () => {
		reply({
			dynamic: 1,
			geo: [],
			opens: '3',
			time: { start: [2026, 1, 1], end: 1_798_675_200 },
			recipients: [{ email: 'anna@example.com' }],
		});
		service.scope().patch(path).reply(204);

		const { error } = await update(rules({ downloadable: false }));

		expect(error).toBeUndefined();
		expect(service.requests[1].body).toEqual({
			dynamic: true,
			geo: {},
			opens: 3,
			time: { start: '2026-01-01', end: '2026-12-31' },
			recipients: ['anna@example.com'],
			downloadable: false,
		});
	});
});
