import { emphasize, isolate } from '../../brand/markup.mts';
import type { Site } from '../../brand/site.mts';
import type { Texts } from '../../brand/texts.mts';
import type { Mail } from '../../mail/mailer.mts';
import { isThere, type Owner } from '../contact.mts';
import type { Link } from '../links.mts';
import { renderTemplate } from '../templates.mts';

interface CodeMail {
	link: Link;
	code: string;
	/** Of whoever asked for the code. */
	address: string;
	/** Whoever sent the files, or asks for some. */
	owner: Owner;
	/** When the code expires. */
	until: number;
}

export const LOGO_ID = 'logo';

/** The mail with a code. It names neither the container nor a file: mailboxes are no place for them. */
export function createCodeMail(site: Site, texts: Texts, mail: CodeMail): Mail {
	const { address, owner } = mail;
	const url = site.origin + mail.link.path;
	const from = mail.link.isRequest ? 'mail.asks' : 'mail.from';
	const values = {
		brand: isolate(site.name),
		owner: isolate(owner.email),
		address: isolate(address),
		host: emphasize(site.host),
		time: texts.time(mail.until),
	};
	const never = site.isBranded ? 'mail.never' : 'mail.neverUnbranded';
	const subject = texts.text('mail.subject', values);
	const frame = { preheader: 'mail.preheader', reason: 'mail.sent', logo: LOGO_ID };
	const content = { ...mail, ...frame, site, texts, values, from, never, subject, url };
	return {
		to: address,
		// A mailbox that nobody reads is no place for a question.
		replyTo: isThere(owner) ? owner.email : site.sender,
		subject,
		language: texts.tag,
		text: toPlainText(content),
		html: renderTemplate('mail', content),
		logo: attachLogo(site),
	};
}

export const attachLogo = ({ mailLogo }: Site) =>
	mailLogo && { id: LOGO_ID, content: mailLogo.content };

/** The end of a plain text, as mail programs know it. */
export function signMail({ name, links }: Site): string {
	const lines = [name, links.website, links.imprint, links.privacy];
	return ['-- ', ...lines.filter((line) => line !== undefined)].join('\n');
}

interface CodeMailContent {
	site: Site;
	texts: Texts;
	values: Parameters<Texts['text']>[1];
	/** What it says of the owner. */
	from: string;
	never: string;
	code: string;
	url: string;
}

function toPlainText({ site, texts, values, from, never, code, url }: CodeMailContent): string {
	const say = (key: string) => texts.text(key, values);
	return `${say('mail.title')}

${code}

${say('mail.lead')}

${say(from)}

${say('mail.closed')}
${url}

${say(never)}

${say('mail.unasked')}

${signMail(site)}
${say('mail.sent')}
`;
}
