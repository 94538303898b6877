export type FieldProblems = Record<string, string>;

/** A setting or command that can't be used. The message is for whoever runs the service. */
export class SettingError extends Error {}

export class ServiceError extends Error {
	constructor(
		readonly statusCode: number,
		readonly code: string,
		message: string,
		readonly details: { fields?: FieldProblems; retryAfter?: number; newest?: string } = {},
	) {
		super(message);
	}
}

export const malformed = (message: string) => new ServiceError(400, 'malformed', message);

export const notFound = (what: string) =>
	new ServiceError(404, 'not_found', `The ${what} wasn't found.`);

export const tooLarge = (what: string, bytes: number) =>
	new ServiceError(413, 'too_large', `The ${what} is larger than ${bytes} bytes.`);

export function invalid(fields: FieldProblems): ServiceError {
	const [[path, problem]] = Object.entries(fields);
	return new ServiceError(422, 'invalid', `Invalid value: ${path} ${problem}.`, { fields });
}

export function assertValid(problems: FieldProblems): void {
	if (Object.keys(problems).length > 0) throw invalid(problems);
}

/** Opens what a setting names. @throws SettingError where that fails, with the name of the setting */
export async function withSetting<Opened>(
	setting: string,
	open: () => Promise<Opened>,
): Promise<Opened> {
	return await open().catch(({ name, message, code }: NodeJS.ErrnoException) => {
		throw new SettingError(`${setting} can't be used (${name}: ${message || code}).`);
	});
}

export function attempt<Value>(read: () => Value): Value | undefined {
	try {
		return read();
	} catch {
		return undefined;
	}
}
