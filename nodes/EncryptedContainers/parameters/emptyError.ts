import { UserError } from 'n8n-workflow';

/** @param advice what to do, in a sentence */
export function emptyError(label: string, advice: string): UserError {
	return new UserError(`"${label}" is empty`, {
		description: `${advice} If it comes from an expression, check that the field exists in the input item.`,
	});
}
