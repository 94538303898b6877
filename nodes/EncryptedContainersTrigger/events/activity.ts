import type { ActivityEvent } from '../types';

export const containerOpened: ActivityEvent = {
	option: {
		name: 'Container Opened',
		value: 'containerOpened',
		description: 'When somebody opens a container. Tells who, when and from where.',
	},
	activity: 'container.open',
	sample: 'A test shows when containers were last opened.',
	nothingToShow: 'No container was opened yet',
};

export const accessRefused: ActivityEvent = {
	option: {
		name: 'Access Refused',
		value: 'accessRefused',
		description:
			'When somebody proves an address, but the access rules or the password keep them out. Tells who, when, from where and why.',
	},
	activity: 'container.refuse',
	sample: 'A test shows when access was last refused.',
	nothingToShow: 'Nobody was refused access yet',
};
