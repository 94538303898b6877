import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EncodeOptions } from '../containers/encode.mts';
import type { Vault } from '../containers/vault.mts';

export interface HandlerOptions extends EncodeOptions {
	vault: Vault;
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown> | unknown;

/** Of operations of the contract, by their operationId. */
export type Handlers = Record<string, Handler>;
