import { UserError } from 'n8n-workflow';

import type { TriggerEvent } from '../types';
import { accessEnding } from './accessEnding';
import { accessRefused, containerOpened } from './activity';
import { contactChanged } from './contactChanged';
import { drmChanged } from './drmChanged';
import { contactCreated, contactDeleted, containerCreated, containerDeleted } from './existence';

/** The events in the order of the selector: most used first. */
export const events: TriggerEvent[] = [
	containerCreated,
	containerOpened,
	accessRefused,
	accessEnding,
	drmChanged,
	containerDeleted,
	contactCreated,
	contactChanged,
	contactDeleted,
];

export function getEvent(value: unknown): TriggerEvent {
	const event = events.find(({ option }) => option.value === value);
	if (event !== undefined) return event;
	throw new UserError('"Event" has an unknown value', {
		description: 'Choose an event from the list in "Event".',
	});
}
