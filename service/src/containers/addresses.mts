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

export const isNamed = (recipients: readonly string[], address: string) =>
	hasAny(recipients, listNames(address));

/** How rules can name a recipient: an address itself and by the wildcards that cover it, a wildcard only itself. */
export function listNames(recipient: string): string[] {
	if (recipient.startsWith('*@')) return [recipient];
	return [recipient, `*${recipient.slice(recipient.indexOf('@'))}`, ANYBODY];
}

/** Whether the address itself is there, and not only a wildcard that covers it. */
export const isNamedByAddress = (recipients: readonly string[], address: string) =>
	hasAny(recipients, [address]);

/** @returns the normal form of an entry of rules; undefined for one that nobody has */
export const foldRecipient = (text: string) =>
	PLAIN.test(text) && text.length <= MAX_LENGTH ? text.toLowerCase() : normalizeRecipient(text);

/** The entries of rules that are one of these names. It looks at all of them, so that the time doesn't tell who is one. */
export const filterNamed = (recipients: readonly string[], names: string[]) =>
	recipients.filter((recipient) => names.includes(foldRecipient(recipient) ?? ''));

const hasAny = (recipients: readonly string[], names: string[]) =>
	filterNamed(recipients, names).length > 0;
