/**
 * The form in which all spellings of one email address are equal: capitals, Unicode forms, spaces around it, a domain in
 * Unicode or as `xn--`. For comparisons only: what is sent stays as it was entered.
 */
export function toAddressKey(address: string): string {
	const text = address.trim().normalize('NFC').toLowerCase();
	const at = text.lastIndexOf('@');
	return `${text.slice(0, at + 1)}${toAsciiDomain(text.slice(at + 1))}`;
}

function toAsciiDomain(domain: string): string {
	if (/^[!-~]*$/.test(domain) || /[\s/:?#\\@%]/.test(domain)) return domain;
	try {
		return new URL(`https://${domain}`).hostname;
	} catch {
		return domain;
	}
}
