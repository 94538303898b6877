import { UserError } from 'n8n-workflow';

import type { TriggerEvent } from '../types';
import { accessEnding } from './accessEnding';
import { contactChanged } from './contactChanged';
import { contactCreated, containerCreated } from './created';
import { contactDeleted, containerDeleted } from './deleted';
import { drmChanged } from './drmChanged';

/** The events by the value that workflows store, in the order of the selector: most used first. */
export const events: Record<string, TriggerEvent> = {
	containerCreated,
	accessEnding,
	drmChanged,
	containerDeleted,
	contactCreated,
	contactChanged,
	contactDeleted,
};

/** The names of the events, by value. */
export const eventNames = Object.fromEntries(
	Object.entries(events).map(([value, { option }]) => [value, option.name]),
);

/** @throws UserError when a value is not one of the events */
export function getEvent(value: unknown): TriggerEvent {
	const event = Object.entries(events).find(([name]) => name === value)?.[1];
	if (event !== undefined) return event;
	throw new UserError('"Event" has an unknown value', {
		description: 'Choose an event from the list in "Event".',
	});
}
