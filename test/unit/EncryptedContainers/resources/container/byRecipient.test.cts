import type { Item } from '../../../../../nodes/EncryptedContainers/execution/item';
import { fetchByRecipient } from '../../../../../nodes/EncryptedContainers/resources/container/byRecipient';
import { setUpClient, type Reply } from '../../../support/client.cts';

it('where the service does not find recipients, no more rules are read than the limit needs', async () => {
	const containers = Array.from({ length: 150 }, (_, index) => ({ uuid: `c-${index}` }));
	const rules: Reply = { body: { recipients: ['*@x.example'] } };
	const replies = [{ body: { id: 'u', features: [] } }, { body: containers }];
	const { client, sent } = setUpClient([...replies, ...containers.map(() => rules)]);
	const hints: string[] = [];
	const execution = { addHint: (hint: string) => hints.push(hint) };
	const getUserId = async () => await Promise.resolve('u');
	const item = { client, execution, getUserId, timeZone: 'UTC' } as unknown as Item;

	const found = await fetchByRecipient(item, 'anna@x.example', { limit: 2 });

	expect(found.map(({ id }) => id)).toEqual(['c-0', 'c-1']);
	expect(hints[0]).toMatch(/rules of 100 containers\.$/);
	expect(sent).toHaveLength(102);
});
