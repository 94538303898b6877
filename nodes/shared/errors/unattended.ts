import type { ITriggerFunctions } from 'n8n-workflow';

/**
 * Whether n8n activates the workflow by itself: it starts, or another of its processes takes over. Nobody would see an
 * error, and n8n 2 soon gives up, until somebody publishes the workflow again.
 */
export function isUnattended(context: Pick<ITriggerFunctions, 'getActivationMode'>): boolean {
	const mode = context.getActivationMode();
	return mode === 'init' || mode === 'leadershipChange';
}
