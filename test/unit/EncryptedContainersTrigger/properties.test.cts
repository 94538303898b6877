import type { INodePropertyOptions } from 'n8n-workflow';
import { EncryptedContainersTrigger } from '../../../nodes/EncryptedContainersTrigger/EncryptedContainersTrigger.node';
import { events, getEvent } from '../../../nodes/EncryptedContainersTrigger/events';

const { description } = new EncryptedContainersTrigger();
const parameter = (name: string) => description.properties.find((one) => one.name === name);
const options = () => parameter('event')?.options as INodePropertyOptions[];

describe('the description of the trigger', () => {
	it('offers the events whose names saved workflows hold', () => {
		expect(options().map(({ value }) => value)).toEqual([
			'containerCreated',
			'accessEnding',
			'drmChanged',
			'containerDeleted',
			'contactCreated',
			'contactChanged',
			'contactDeleted',
		]);
		expect(Object.entries(events).map(([name, { option }]) => [name, option.value])).toEqual(
			options().map(({ value }) => [value, value]),
		);
	});

	it('describes each event, and names it in the subtitle', () => {
		for (const { name, value, description: text, action } of options()) {
			expect(getEvent(value).option.name).toBe(name);
			expect(description.subtitle).toContain(`"${name}"`);
			expect(action).toMatch(/^On /);
			expect(text).toMatch(/^When /);
		}
	});

	it('polls, has no input and is not a tool', () => {
		expect(description).toMatchObject({ polling: true, inputs: [], outputs: ['main'] });
		expect(description.usableAsTool).toBeUndefined();
		expect(description.group).toEqual(['trigger']);
	});

	it('does not offer existing records for events about deleted records', () => {
		const included = parameter('options')?.options?.find((one) => one.name === 'includeExisting');
		const shownFor = (included as { displayOptions: { show: Record<string, string[]> } })
			.displayOptions.show['/event'];

		expect([...shownFor].sort()).toEqual(
			Object.keys(events)
				.filter((name) => events[name].toDeletedItem === undefined)
				.sort(),
		);
	});
});
