import { domainToASCII } from 'node:url';

const MAX_LENGTH = 254;
/** What stands before the `@` without quotes, by RFC 5321, and by RFC 6531 in any script. */
const WORD = String.raw`(?:[a-z\d!#$%&'+/=?^_\x60{|}~\-]|[^\p{ASCII}\p{C}\p{Z}])+`;
const LOCAL_PART = new RegExp(`^${WORD}(?:\\.${WORD})*$`, 'u');
const DOMAIN = /^[\p{L}\p{M}\p{N}._-]+$/u;
const LABEL = /^[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?$/;
const ANYBODY = '*@*';

/** @returns the form in which two spellings of one address are equal; undefined where it is no plain address */
export function normalizeAddress(text: string): string | undefined {
	const trimmed = text.trim();
	if (trimmed.length > MAX_LENGTH) return undefined;
	const [localPart, domain = '', ...more] = trimmed.toLowerCase().normalize('NFC').split('@');
	const asciiDomain = toAsciiDomain(domain);
	if (more.length > 0 || asciiDomain === undefined || !LOCAL_PART.test(localPart)) return undefined;
	const address = `${localPart}@${asciiDomain}`;
	return address.length > MAX_LENGTH ? undefined : address;
}

function toAsciiDomain(domain: string): string | undefined {
	// domainToASCII cuts at a slash, decodes %61, and completes 1.2.3 to 1.2.0.3.
	if (!DOMAIN.test(domain)) return undefined;
	const labels = domainToASCII(domain).split('.');
	const isDomain = labels.every((label) => LABEL.test(label)) && !/^\d+$/.test(labels.at(-1) ?? '');
	return isDomain ? labels.join('.') : undefined;
}

/** Like normalizeAddress, and also for `*@domain` and `*@*`. */
export function normalizeRecipient(text: string): string | undefined {
	const trimmed = text.trim();
	if (trimmed === ANYBODY) return ANYBODY;
	if (!trimmed.startsWith('*@')) return normalizeAddress(trimmed);
	return normalizeAddress(trimmed.replace('*', 'x'))?.replace('x', '*');
}

export const isRecipient = (text: string) => normalizeRecipient(text) !== undefined;

/** @param address in its normal form */
export function isNamed(recipients: readonly string[], address: string): boolean {
	const names = [address, `*${address.slice(address.indexOf('@'))}`, ANYBODY];
	return recipients.some((recipient) => names.includes(normalizeRecipient(recipient) ?? recipient));
}
