import type { Operation } from '../service/context.cts';
import { jsonResponse } from '../service/response.cts';
import { userRecord } from '../users.cts';

const getMe: Operation = ({ user, settings }) =>
	jsonResponse(settings.statuses.getMe ?? 200, userRecord(user));

export const userOperations = { getMe };
