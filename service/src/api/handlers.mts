import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EncodeOptions } from '../containers/encode.mts';
import type { Vault } from '../containers/vault.mts';

/** What the handlers of a resource get. */
export interface HandlerOptions {
	vault: Vault;
	/** Where the service is, without the path. */
	publicUrl: string;
	encodeOptions: EncodeOptions;
}

/** Of operations of the contract, by their operationId. */
export type Handlers = Record<
	string,
	(request: FastifyRequest, reply: FastifyReply) => Promise<unknown> | unknown
>;
