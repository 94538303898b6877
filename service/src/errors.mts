/** What is wrong with each field, by its path. */
export type FieldProblems = Record<string, string>;

/** A failure that the caller is told about. */
export class ServiceError extends Error {
	constructor(
		readonly statusCode: number,
		readonly code: string,
		message: string,
		readonly details: { fields?: FieldProblems; retryAfter?: number } = {},
	) {
		super(message);
	}
}

export const malformed = (message: string) => new ServiceError(400, 'malformed', message);

export const notFound = (what: string) =>
	new ServiceError(404, 'not_found', `The ${what} wasn't found.`);

/** The first fields are enough to correct a request. */
const MAX_FIELDS = 20;

export function invalid(problems: FieldProblems): ServiceError {
	const entries = Object.entries(problems).slice(0, MAX_FIELDS);
	const [[path, problem]] = entries;
	return new ServiceError(422, 'invalid', `Invalid value: ${path} ${problem}.`, {
		fields: Object.fromEntries(entries),
	});
}

/** @throws ServiceError 422 where there is a problem */
export function assertValid(problems: FieldProblems): void {
	if (Object.keys(problems).length > 0) throw invalid(problems);
}

export const tooLarge = (what: string, bytes: number) =>
	new ServiceError(413, 'too_large', `The ${what} is larger than ${bytes} bytes.`);
