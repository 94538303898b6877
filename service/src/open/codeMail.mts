import { emphasize, isolate } from '../brand/markup.mts';
import type { Site } from '../brand/site.mts';
import type { Texts } from '../brand/texts.mts';
import type { Mail } from '../mail/mailer.mts';
import { isThere, type Owner } from './contact.mts';
import { renderMail } from './templates.mts';

interface CodeMail {
	/** Of the container. */
	id: string;
	code: string;
	/** Of whoever asked for the code. */
	address: string;
	/** Whoever sent the files. */
	owner: Owner;
	/** When the code expires. */
	until: number;
}

const LOGO_ID = 'logo';

/** The mail with a code. It names neither the container nor a file: mailboxes are no place for them. */
export function createCodeMail(site: Site, texts: Texts, mail: CodeMail): Mail {
	const { address, owner } = mail;
	const url = `${site.origin}/c/${mail.id}`;
	const values = {
		brand: isolate(site.name),
		owner: isolate(owner.email),
		address: isolate(address),
		host: emphasize(site.host),
		time: texts.time(mail.until),
	};
	const never = site.isBranded ? 'mail.never' : 'mail.neverUnbranded';
	const subject = texts.text('mail.subject', values);
	const content = { ...mail, site, texts, values, never, subject, url, logo: LOGO_ID };
	return {
		to: address,
		// A mailbox that nobody reads is no place for a question.
		replyTo: isThere(owner) ? owner.email : site.sender,
		subject,
		language: texts.tag,
		text: toPlainText(content),
		html: renderMail('mail', content),
		logo: site.mailLogo && { id: LOGO_ID, content: site.mailLogo.content },
	};
}

interface Content {
	site: Site;
	texts: Texts;
	values: Parameters<Texts['text']>[1];
	never: string;
	code: string;
	url: string;
}

function toPlainText({ site, texts, values, never, code, url }: Content): string {
	const say = (key: string) => texts.text(key, values);
	const links = [site.links.website, site.links.imprint, site.links.privacy];
	const signature = [site.name, ...links.filter((link) => link !== undefined)];
	return `${say('mail.title')}

${code}

${say('mail.lead')}

${say('mail.from')}

${say('mail.closed')}
${url}

${say(never)}

${say('mail.unasked')}

-- 
${signature.join('\n')}
${say('mail.sent')}
`;
}
