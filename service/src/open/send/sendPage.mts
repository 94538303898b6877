import { isolate, toBold, type Markup } from '../../brand/markup.mts';
import type { Texts } from '../../brand/texts.mts';
import type { StoredFile } from '../../containers/seal.mts';
import type { ContainerRow } from '../../database/schema.mts';
import type { DeliveryLimits } from '../../requests/sentForm.mts';
import type { DeliveryProblem } from '../../requests/deliveryError.mts';
import type { FileRequest } from '../../requests/request.mts';
import type { SenderRefusal } from '../../requests/senderAccess.mts';
import { findContact, type Owner } from '../contact.mts';
import { renderPage, type PageContext } from '../templates.mts';

type Delivered = Pick<ContainerRow, 'id' | 'created_date' | 'size' | 'file_count'>;

interface SendState {
	request: Pick<FileRequest, 'name' | 'delivered' | 'settings'>;
	owner: Owner;
	limits: DeliveryLimits;
	/** What this sender sent before. */
	sent: Delivered[];
	/** Why nothing was sent just now. */
	problem?: SendProblem;
}

export interface SendProblem {
	why: DeliveryProblem | 'failed';
	/** Of all files together, where it is known. */
	bytes?: number;
}

/** Asks for files. */
export function sendPage(page: PageContext, { request, owner, sent, ...state }: SendState): string {
	const { texts } = page;
	const { limits, problem } = state;
	const { message, time, deliveries } = request.settings;
	const left = Math.max(deliveries - request.delivered, 0);
	const contact = findContact(page.site, owner);
	return renderPage('send', page, {
		title: request.name,
		isProblem: problem !== undefined,
		owner: contact,
		day: time?.end && texts.day(time.end),
		left,
		message,
		problem: problem && describeSendProblem(texts, problem, { limits, owner: contact }),
		limits: { files: limits.maxFiles, size: texts.size(limits.maxBytes) },
		sent: sent.map((delivered) => ({
			url: `${page.path}/sent/${delivered.id}`,
			label: texts.html('receipt.summary', describeDelivered(texts, delivered)),
		})),
	});
}

interface Circumstances {
	limits: DeliveryLimits;
	owner: Markup;
}

function describeSendProblem(texts: Texts, { why, bytes = 0 }: SendProblem, given: Circumstances) {
	const { limits, owner } = given;
	const limit = texts.size(limits.maxBytes);
	// A scanner can take less than the request.
	const isLargeBy = why === 'tooLarge' && bytes > limits.maxBytes;
	return {
		reason: texts.html(`send.${why}`, { owner, files: limits.maxFiles }),
		field: isLargeBy && texts.html('send.tooLargeBy', { size: texts.size(bytes), limit }),
	};
}

export function describeDelivered(texts: Texts, { created_date, size, file_count }: Delivered) {
	const time = Date.parse(created_date);
	const files = texts.text('files.count', { count: file_count, size: texts.size(size) });
	return { files, day: texts.dayOf(time), time: texts.time(time) };
}

interface ReceiptState {
	request: Pick<FileRequest, 'name'>;
	owner: Owner;
	address: string;
	delivered: Delivered;
	files: StoredFile[];
}

/** Shows what arrived, as it was hashed. */
export function receiptPage(
	page: PageContext,
	{ delivered, files, ...state }: ReceiptState,
): string {
	const { texts } = page;
	const described = describeDelivered(texts, delivered);
	return renderPage('receipt', page, {
		title: texts.text('receipt.title'),
		summary: texts.html('receipt.summary', { ...described, files: toBold(described.files) }),
		name: isolate(state.request.name),
		owner: findContact(page.site, state.owner),
		address: isolate(state.address),
		files: files.map(({ name, size, sha256 }) => ({
			name,
			sha256,
			about: texts.html('receipt.file', { size: texts.size(size) }),
		})),
	});
}

interface RefusedSender {
	refusal: SenderRefusal;
	address: string;
	owner: Owner;
}

/** Says why nothing can be sent, and whom to ask. */
export function senderRefusedPage(
	page: PageContext,
	{ refusal, address, owner }: RefusedSender,
): string {
	const { texts } = page;
	const day = 'day' in refusal ? texts.day(refusal.day) : '';
	return renderPage('refused', page, {
		title: texts.text('sendRefused.title'),
		reason: texts.html(`sendRefused.${refusal.reason}`, { day, address: isolate(address) }),
		ask: texts.html('sendRefused.ask', { owner: findContact(page.site, owner) }),
	});
}

/** The request was closed. Only whoever was let in before is told so. */
export function requestGonePage(page: PageContext): string {
	const { html, text } = page.texts;
	return renderPage('message', page, {
		title: text('sendGone.title'),
		paragraphs: [html('sendGone.lead')],
	});
}
