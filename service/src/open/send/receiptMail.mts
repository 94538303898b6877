import { emphasize, isolate } from '../../brand/markup.mts';
import type { Site } from '../../brand/site.mts';
import type { Texts } from '../../brand/texts.mts';
import type { StoredFile } from '../../containers/seal.mts';
import type { ContainerRow } from '../../database/schema.mts';
import { sendWhenReachable } from '../../mail/sendWhenReachable.mts';
import type { Mail } from '../../mail/mailer.mts';
import { attachLogo, LOGO_ID, signMail } from '../signIn/codeMail.mts';
import { isThere, type Owner } from '../contact.mts';
import { describeDelivered } from './sendPage.mts';
import type { SendDoor, SenderVisit } from './senderVisit.mts';
import { renderTemplate } from '../templates.mts';

interface Receipt {
	visit: Pick<SenderVisit, 'address' | 'link'> & { owner: Owner };
	/** Of the page that sent them. */
	texts: Texts;
	container: Pick<ContainerRow, 'id' | 'created_date' | 'size' | 'file_count'>;
	files: Array<Pick<StoredFile, 'size' | 'sha256'>>;
}

export async function mailReceipt(door: SendDoor, receipt: Receipt): Promise<void> {
	await sendWhenReachable(door.mailer, () => createReceiptMail(door.site, receipt));
}

/** What arrived, without a name of a file: mailboxes are no place for them. */
function createReceiptMail(site: Site, { visit, texts, container, files }: Receipt): Mail {
	const { owner, address, link } = visit;
	const url = site.origin + link.path;
	const { files: count, day, time } = describeDelivered(texts, container);
	const values = {
		brand: isolate(site.name),
		owner: isolate(owner.email),
		address: isolate(address),
		host: emphasize(site.host),
		files: count,
		day,
		time,
	};
	const subject = texts.text('receiptMail.subject', values);
	const lines = files.map(({ size, sha256 }, index) => {
		const about = { number: index + 1, size: texts.size(size) };
		return { sha256, about: texts.text('receiptMail.file', about) };
	});
	const frame = { preheader: 'receiptMail.lead', reason: 'receiptMail.sent', logo: LOGO_ID };
	const content = { ...frame, site, texts, values, subject, url, lines };
	return {
		to: address,
		replyTo: isThere(owner) ? owner.email : site.sender,
		subject,
		language: texts.tag,
		text: toReceiptText(content),
		html: renderTemplate('receiptMail', content),
		logo: attachLogo(site),
	};
}

interface ReceiptContent {
	site: Site;
	texts: Texts;
	values: Parameters<Texts['text']>[1];
	url: string;
	lines: Array<{ about: string; sha256: string }>;
}

function toReceiptText({ site, texts, values, url, lines }: ReceiptContent): string {
	const say = (key: string) => texts.text(key, values);
	const files = lines.map(({ about, sha256 }) => `${about}\n${sha256}`);
	return `${say('receipt.title')}

${say('receiptMail.lead')}

${files.join('\n\n')}

${say('receiptMail.names')}
${url}

${say('receiptMail.unasked')}

${signMail(site)}
${say('receiptMail.sent')}
`;
}
