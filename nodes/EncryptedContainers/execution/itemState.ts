import type { INodeExecutionData } from 'n8n-workflow';

import type { NodeError } from '../../shared/errors/nodeErrors';

/** What became of an item so far: with Retry On Fail, n8n executes the node again for all items. */
export class ItemState {
	/** The output of an item that is done. */
	output?: INodeExecutionData[];

	/** The key under which the item ran exclusively, if an item before it can overwrite what it changed. */
	exclusiveKey?: string;

	/** The end of access that the item sent, even if the response was lost. */
	extendedEnd?: string;

	/** Whether a failed request of the item might have been carried out. */
	isOutcomeUnknown = false;

	private error?: NodeError;
	private description?: string;

	/** Keeps the error that left the outcome unknown: a later try can fail for another reason. */
	setError(error: NodeError): void {
		if (!this.isOutcomeUnknown || this.error !== undefined) return;
		this.error = error;
		this.description = error.description?.concat(' Retry On Fail did not send it again.');
	}

	/** @throws NodeError the error of the try that might have been carried out, so that the request can't be repeated */
	assertRepeatable(): void {
		if (this.error === undefined) return;
		this.error.description = this.description;
		throw this.error;
	}
}
