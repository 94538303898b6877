import { jsonAnswer } from '../service/answer.cts';
import type { Endpoint } from '../service/context.cts';
import { userRecord } from '../users.cts';

/** service-api.md, end point 1. */
export const userEndpoints: Endpoint[] = [
	{
		name: 'getMe',
		method: 'GET',
		path: '/me',
		reads: 'nothing',
		operation: ({ user, settings }) => jsonAnswer(settings.statuses.getMe ?? 200, userRecord(user)),
	},
];
