import { randomBytes, randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Refusal } from '../../containers/rules.mts';
import { decryptText, encryptText } from '../../containers/encryptText.mts';
import { deriveKey } from '../../containers/masterKeys.mts';
import type { Door } from '../door.mts';
import { toFilesPath } from '../links.mts';
import { readFields } from '../pageRequest.mts';

/** Binds a form to the browser that got it: whoever has a copy of the page can do nothing with it. */
const COOKIE = 'asking';
const COOKIE_VALUE = /^[\w-]{22}$/;
const LIFE_MS = 30 * 60 * 1000;

/** What the form of a refusal holds, sealed: who asks for access, after a code. It is good for one container. */
export interface AddressProof {
	/** Proven by a code, in its normal form. */
	address: string;
	/** What the page said. */
	reason: Refusal['reason'];
	/** In milliseconds. */
	end: number;
	/** Of one page: its form asks once, and opens once, however often somebody clicks. */
	formId: string;
}

type RefusedVisit = Pick<AddressProof, 'address' | 'reason'> & { id: string };

/** Only the current master key counts, as for sessions. @returns the value of the field `proof` */
export function createAddressProof(
	door: Door,
	request: FastifyRequest,
	reply: FastifyReply,
	{ id, address, reason }: RefusedVisit,
): string {
	const known = readAddressProof(door, request, id);
	// A form that was sent doesn't make the next one last longer.
	const end = known?.address === address ? known.end : Date.now() + LIFE_MS;
	const proof: AddressProof = { address, reason, end, formId: randomUUID() };
	const cookie = request.cookies[COOKIE] ?? '';
	const browser = COOKIE_VALUE.test(cookie) ? cookie : randomBytes(16).toString('base64url');
	void reply.setCookie(COOKIE, browser, { ...getAttributes(id), maxAge: LIFE_MS / 1000 });
	return encryptText(getProofKey(door), JSON.stringify(proof), toContext(id, browser));
}

/** @returns nothing where the form is old, changed, from another browser, or from the page of another container or service */
export function readAddressProof(
	door: Door,
	request: FastifyRequest,
	id: string,
): AddressProof | undefined {
	const { proof: box } = readFields(request);
	const text = decryptText(getProofKey(door), box, toContext(id, request.cookies[COOKIE] ?? ''));
	if (text === undefined) return undefined;
	const proof = JSON.parse(text) as AddressProof;
	return proof.end > Date.now() ? proof : undefined;
}

export function endAddressProofs(reply: FastifyReply, id: string): void {
	void reply.clearCookie(COOKIE, getAttributes(id));
}

const getAttributes = (id: string) =>
	({ path: toFilesPath(id), httpOnly: true, secure: true, sameSite: 'lax' }) as const;
const toContext = (id: string, browser: string) => `${id} ${browser}`;
const getProofKey = ({ vault }: Door) => deriveKey(vault.keys.current(), 'access');
