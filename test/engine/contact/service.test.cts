import { runNode } from '../../support/engine.cts';
import { useService } from '../../support/service.cts';
import { table } from '../support/contacts.cts';

const service = useService();

const rows = [
	{
		...{
			email: 'Anna@Example.com',
			first_name: ' Anna ',
			company: null,
			phone_number: '+41 44 000 00 00',
		},
		...{ plz: '08001', mobile: 41440000000, score: 4.5, vip: true, note: '' },
	},
	{ email: 'bob@example.com', first_name: 'Bob', created_date: '2020-01-01' },
];

const sync = async (items: object[], parameters: object = {}) =>
	await runNode({
		parameters: {
			...{ resource: 'contact', operation: 'sync', email: '={{ $json.email }}' },
			...{ dataToSend: 'autoMapInputData', deleteMissing: true, ...parameters },
		},
		items: table(...(items as [])),
		credentials: service.credentials,
	});
const actionsOf = ({ items, error }: { items: Array<{ json: object }>; error?: Error }) => {
	expect(error?.message).toBeUndefined();
	return items.map(({ json }) => (json as { action: string }).action);
};
const changes = () => service.requests.filter(({ method }) => method !== 'GET');

it('Sync sends the same table once', async () => {
	expect(actionsOf(await sync(rows))).toEqual(['created', 'created']);
	expect(changes()).toHaveLength(2);

	expect(actionsOf(await sync(rows))).toEqual(['unchanged', 'unchanged']);
	expect(changes()).toHaveLength(2);
});

it('Sync sends what Get Many returned only where it was changed, and deletes what is missing', async () => {
	await sync(rows);
	const parameters = { resource: 'contact', operation: 'getAll', returnAll: true };
	const { items } = await runNode({ parameters, credentials: service.credentials });
	const [anna, bob] = items.map(({ json }) => json);

	expect(actionsOf(await sync([{ ...anna, plz: '8001' }, bob]))).toEqual(['updated', 'unchanged']);
	expect(actionsOf(await sync([anna]))).toEqual(['updated', 'deleted']);
	expect(changes()).toHaveLength(5);
});
