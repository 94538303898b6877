import type { INodePropertyOptions } from 'n8n-workflow';
import { EncryptedContainersTrigger } from '../../../nodes/EncryptedContainersTrigger/EncryptedContainersTrigger.node';
import { getEvent } from '../../../nodes/EncryptedContainersTrigger/events';

const { description } = new EncryptedContainersTrigger();
const parameter = (name: string) => description.properties.find((one) => one.name === name);
const options = parameter('event')?.options as INodePropertyOptions[];

it('the trigger offers the events whose names saved workflows hold', () => {
	const names = options.map(({ value }) => value);
	expect(names).toEqual([
		...[
			'containerCreated',
			'containerOpened',
			'accessRefused',
			'accessEnding',
			'drmChanged',
			'containerDeleted',
		],
		...['contactCreated', 'contactChanged', 'contactDeleted'],
	]);
});

it('the trigger describes each event, and names it in the subtitle', () => {
	for (const { name, value, description: text, action } of options) {
		expect(getEvent(value).name).toBe(name);
		expect(description.subtitle).toContain(`"${name}"`);
		expect(action).toMatch(/^On /);
		expect(text).toMatch(/^When /);
	}
});

it('the trigger polls, has no input and is not a tool', () => {
	expect(description).toMatchObject({ polling: true, inputs: [], outputs: ['main'] });
	expect(description.usableAsTool).toBeUndefined();
	expect(description.group).toEqual(['trigger']);
});

it('the trigger offers existing records only for events about what exists', () => {
	const included = parameter('options')?.options?.find((one) => one.name === 'includeExisting');
	const { displayOptions } = included as { displayOptions: { show: Record<string, string[]> } };
	expect(displayOptions.show['/event']).toEqual([
		...['accessEnding', 'contactChanged', 'contactCreated', 'containerCreated', 'drmChanged'],
	]);
});
