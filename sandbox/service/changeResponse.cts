import type { ServiceResponse } from './response.cts';
import { jsonResponse, textResponse } from './response.cts';
import type { ChangeResponse } from '../settings.cts';

/** @returns the response to a change, in the form that the settings ask for */
export function changeResponse(
	shape: ChangeResponse,
	status: number,
	message: string,
	record: () => unknown,
): ServiceResponse {
	switch (shape) {
		case 'empty':
			return { status };
		case 'noContent':
			return { status: 204 };
		case 'message':
			return jsonResponse(status, { message });
		case 'text':
			return textResponse(status, message);
		default:
			return jsonResponse(status, record());
	}
}
