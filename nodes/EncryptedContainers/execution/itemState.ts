import type { INodeExecutionData } from 'n8n-workflow';

import type { NodeError } from '../../shared/errors/nodeErrors';

/** What became of an item so far: with Retry On Fail, n8n executes the node again for all items. */
export class ItemState {
	/** The output of an item that is done. */
	output?: INodeExecutionData[];

	/** The key under which the item ran exclusively, if an item before it can overwrite what it changed. */
	exclusiveKey?: string;

	/** The end to which the item extended access, even if the response was lost. */
	extendedEnd?: string;

	/** Whether a failed request of the item might have been carried out. */
	isOutcomeUnknown = false;

	private error?: NodeError;
	private description?: string | null;

	setError(error: NodeError): void {
		this.error = error;
		this.description = error.description;
	}

	/** @throws NodeError the error of the try before, when a request can't be repeated because it might have been carried out */
	assertRepeatable(): void {
		if (!this.isOutcomeUnknown || this.error === undefined) return;
		this.error.description = `${this.description ?? ''} Retry On Fail did not send it again.`;
		throw this.error;
	}
}
