import { fetchEvents } from '../../../../nodes/shared/api/serviceEvents';
import { errorOf, setUpClient } from '../../support/client.cts';

it('an event without an ID is an error that says what the node expects', async () => {
	const { client } = setUpClient([{ body: [{ action: 'container.open' }] }]);
	jest.spyOn(client, 'getCurrentUser').mockResolvedValue({ id: 'u', features: ['events'] });

	const { message } = await errorOf(fetchEvents(client, 'u'));

	expect(message).toContain('instead of events with an id');
});
