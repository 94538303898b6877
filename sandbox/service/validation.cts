import { invalid } from './errors.cts';
import type { Rules } from './store.cts';
import type { ParsedPart } from '../http/multipart.cts';

// What the sandbox refuses beyond the contract, or what a schema can't express.

/** @throws ServiceError 400 for an access window whose end is before its start */
export function assertWindow(rules: Rules): void {
	const { start, end } = (rules.time ?? {}) as { start?: string; end?: string };
	// A timestamp counts as its day.
	if (start !== undefined && end !== undefined && end.slice(0, 10) < start.slice(0, 10)) {
		throw invalid('time.end is before time.start');
	}
}

/** @throws ServiceError 400 for a file without a name */
export function assertUpload(parts: ParsedPart[], filePart: string): void {
	for (const { received } of parts) {
		if (received.name === filePart && !received.filename) {
			throw invalid(`A part "${filePart}" has no filename`);
		}
	}
}
