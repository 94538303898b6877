/** Why nothing was sent. Each has a sentence of its own on the page. */
export type DeliveryProblem =
	| 'tooLarge'
	| 'tooMany'
	| 'noFiles'
	| 'badName'
	| 'form'
	| 'unsafe'
	| 'unscanned'
	| 'full'
	| 'used'
	/** The request was closed, or it is over, or it doesn't name the sender any more. */
	| 'ended';

export class DeliveryError extends Error {
	constructor(
		readonly problem: DeliveryProblem,
		/** For whoever runs the service. */
		message = 'A delivery was refused',
		/** What a scanner found, in its words. */
		readonly found?: string,
	) {
		super(message);
	}
}
