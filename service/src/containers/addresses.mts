import { domainToASCII } from 'node:url';

const MAX_LENGTH = 254;
/** What stands before the `@` without quotes, by RFC 5321, and by RFC 6531 in any script. */
const WORD = String.raw`(?:[a-z\d!#$%&'+/=?^_\x60{|}~\-]|[^\p{ASCII}\p{C}\p{Z}])+`;
/** Stricter than domainToASCII, which cuts at a slash, decodes %61, and completes 1.2.3 to 1.2.0.3. */
const ADDRESS = new RegExp(`^(${WORD}(?:\\.${WORD})*)@([\\p{L}\\p{M}\\p{N}._-]+)$`, 'u');
const DOMAIN = /^(?:(?!\d+$)[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?(?:\.(?=.)|$))+$/;
/** What has its normal form in lower case, which is found much faster: a container can have 10,000 recipients. */
const PLAIN = /^[\w.+*-]+@(?!.*xn--)[a-z\d.-]+\.[a-z]+$/i;
const ANYBODY = '*@*';

/** @returns the form in which two spellings of one address are equal; undefined where it is no plain address */
export function normalizeAddress(text: string): string | undefined {
	const trimmed = text.trim();
	if (trimmed.length > MAX_LENGTH) return undefined;
	const [, name, sentDomain = ''] = ADDRESS.exec(trimmed.toLowerCase().normalize('NFC')) ?? [];
	const domain = domainToASCII(sentDomain);
	const address = `${name}@${domain}`;
	return DOMAIN.test(domain) && address.length <= MAX_LENGTH ? address : undefined;
}

export function normalizeRecipient(text: string): string | undefined {
	const trimmed = text.trim();
	if (trimmed === ANYBODY) return ANYBODY;
	if (!trimmed.startsWith('*@')) return normalizeAddress(trimmed);
	return normalizeAddress(trimmed.replace('*', 'x'))?.replace('x', '*');
}

export function isNamed(recipients: readonly string[], address: string): boolean {
	const domain = `*${address.slice(address.indexOf('@'))}`;
	return hasAny(recipients, [address, domain, ANYBODY]);
}

/** Whether the address itself is there, and not only a wildcard that covers it. */
export const isNamedByAddress = (recipients: readonly string[], address: string) =>
	hasAny(recipients, [address]);

function hasAny(recipients: readonly string[], names: string[]): boolean {
	const fold = (text: string) => (PLAIN.test(text) ? text.toLowerCase() : normalizeRecipient(text));
	// All of them, so that the time doesn't tell who is one.
	return recipients.filter((recipient) => names.includes(fold(recipient) ?? '')).length > 0;
}
