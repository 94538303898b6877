import { accessEnding } from './accessEnding';
import { contactChanged } from './contactChanged';
import { contactCreated } from './contactCreated';
import { contactDeleted } from './contactDeleted';
import { containerCreated } from './containerCreated';
import { containerDeleted } from './containerDeleted';
import { drmChanged } from './drmChanged';
import type { TriggerEvent } from '../types';

/** The events by the value that a saved workflow holds, in the order in which they are offered. */
export const events: Record<string, TriggerEvent> = {
	accessEnding,
	drmChanged,
	contactChanged,
	contactCreated,
	contactDeleted,
	containerCreated,
	containerDeleted,
};
