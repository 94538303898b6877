import { isolate, linkAddress } from '../../brand/markup.mts';
import type { Texts } from '../../brand/texts.mts';
import type { Refusal } from '../../containers/rules.mts';
import { findContact, isThere, type Owner } from '../contact.mts';
import { describeWait } from '../pages.mts';
import { renderPage, type PageContext } from '../templates.mts';

interface RefusedRecipient {
	refusal: Refusal;
	address: string;
	owner: Owner;
	/** The day on which the sender moved the end of access into the past. */
	endedDay: string | null;
	/** For the form that asks for access: who asks, sealed. */
	proof: string;
}

/** A form that asked for access, and why it was not sent. */
export interface UnsentRequest {
	note: string;
	problem: 'tooLong' | 'tooMany';
	/** Where there were too many: how long to wait. */
	wait?: number;
}

/** Says which rule refuses. The owner can be asked for access, unless nobody reads it there. */
export function refusedPage(
	page: PageContext,
	{ owner, ...refused }: RefusedRecipient,
	unsent?: UnsentRequest,
) {
	const { texts, site } = page;
	const contact = findContact(site, owner);
	return renderPage('refused', page, {
		title: texts.text('refused.title'),
		isProblem: unsent !== undefined,
		reason: describeRefusal(texts, refused),
		contact,
		ask: texts.html('refused.ask', { owner: contact }),
		isAsking: isThere(owner),
		address: isolate(refused.address),
		proof: refused.proof,
		note: unsent?.note,
		problem: unsent && describeUnsent(texts, unsent),
	});
}

function describeUnsent(texts: Texts, { problem, wait = 0 }: UnsentRequest): string {
	if (problem === 'tooLong') return texts.html('ask.tooLong');
	return texts.html('ask.tooMany', describeWait(texts, wait));
}

function describeRefusal(
	texts: Texts,
	{ refusal, address, endedDay }: Pick<RefusedRecipient, 'refusal' | 'address' | 'endedDay'>,
): string {
	if (refusal.reason === 'recipient' || refusal.reason === 'closed') {
		return texts.html('refused.recipient', { address: isolate(address) });
	}
	if (refusal.reason === 'ip') return texts.html('refused.network');
	if (refusal.reason === 'geo') return texts.html('refused.country');
	if (refusal.reason === 'opens') return texts.html('refused.opens', { opens: refusal.opens });
	if ('starts' in refusal) return texts.html('refused.starts', { day: texts.day(refusal.starts) });
	if (endedDay === null) return texts.html('refused.ended', { day: texts.day(refusal.ended) });
	return texts.html('refused.endedBySender', { day: texts.day(endedDay) });
}

interface AskedPage {
	owner: Owner;
	proof: string;
	note: string;
}

/** Access was asked for: what happens next. */
export function askedPage(page: PageContext, { owner, proof, note }: AskedPage): string {
	return renderPage('asked', page, {
		title: page.texts.text('asked.title'),
		owner: linkAddress(owner.email),
		proof,
		note,
		// The same form again is no other request.
		switchForm: { action: `${page.path}/access`, fields: { proof, note } },
	});
}
