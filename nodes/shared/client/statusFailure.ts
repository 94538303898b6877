import type { StatusFailure } from '../errors/failure';
import { findServiceMessage } from '../responses/serviceMessage';
import { isRecord } from '../responses/shapes';
import type { WireResponse } from './transport';

/** What a response with the status of a failure says. */
export function toStatusFailure({ status, headers, body }: WireResponse): StatusFailure {
	const { code } = isRecord(body.value) ? body.value : {};
	return {
		kind: 'status',
		status,
		isPage: body.kind === 'html' || body.kind === 'text',
		isHtml: body.kind === 'html',
		serviceMessage: findServiceMessage(body),
		code: typeof code === 'string' ? code : undefined,
		location: headers.location,
		retryAfter: headers['retry-after'],
	};
}
