import { contactEndpoints } from './contacts.cts';
import { containerEndpoints } from './containers.cts';
import { drmEndpoints } from './drm.cts';
import { userEndpoints } from './user.cts';

/** The twelve end points of service-api.md. */
export const endpoints = [
	...userEndpoints,
	...containerEndpoints,
	...drmEndpoints,
	...contactEndpoints,
];
