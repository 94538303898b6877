import type { SendProblem } from '../../src/open/send/sendPage.mts';
import {
	receiptPage,
	requestGonePage,
	sendPage,
	senderRefusedPage,
} from '../../src/open/send/sendPage.mts';
import type { PageContext } from '../../src/open/templates.mts';
import { ANNA, formerOwner, owner } from './refusedStates.mts';

const message = `Guten Tag Frau Weber,

bitte schicken Sie uns die Lohnsteuerbescheinigung und die Belege für die Handwerker.`;
const settings = {
	...{ senders: [ANNA], message, time: { end: '2026-12-15' } },
	...{ max_files: 20, max_bytes: 100_000_000, deliveries: 3 },
};
const request = { name: 'Unterlagen zur Steuererklärung 2025', delivered: 1, settings };
const limits = { maxFiles: 20, maxBytes: 100_000_000 };
const delivered = {
	id: '0b9c2f3e-8d7a-4f6b-a1c5-2e4d6f8a9b0c',
	created_date: '2026-11-28T15:42:00.123Z',
	size: 12_880_000,
	file_count: 3,
};
const state = { request, owner, limits, sent: [] };
const toFile = (name: string, size: number, digit: string) => ({
	...{ name, size, sha256: digit.repeat(64) },
	...{ type: '', offset: 0, hidden: false },
});
const sentFiles = [
	toFile('Lohnsteuerbescheinigung 2025.pdf', 184_000, 'a'),
	toFile('ملف سري.pdf', 96_000, '0'),
	toFile(`${'Handwerker_Rechnungen_'.repeat(9)}.zip`, 12_600_000, 'f'),
];
const fail = (why: SendProblem['why'], bytes?: number) => (page: PageContext) =>
	sendPage(page, { ...state, problem: { why, bytes } });
const refuse = { address: ANNA, owner };

/** What somebody sees who sends files. */
export const sendStates: Record<string, (page: PageContext) => string> = {
	send: (page) => sendPage(page, state),
	sendAgain: (page) => sendPage(page, { ...state, sent: [delivered, delivered] }),
	sendPlain: (page) => {
		const plain = { ...settings, message: undefined, time: undefined };
		return sendPage(page, { ...state, request: { ...request, settings: plain } });
	},
	allSent: (page) => {
		const full = { ...request, delivered: 3 };
		return sendPage(page, { ...state, request: full, sent: [delivered] });
	},
	tooLarge: fail('tooLarge', 132_000_000),
	tooLargeAtLeast: fail('tooLarge'),
	tooManyFiles: fail('tooMany'),
	noChoice: fail('noFiles'),
	badName: fail('badName'),
	badForm: fail('form'),
	unsafe: fail('unsafe'),
	unscanned: fail('unscanned'),
	noRoom: fail('full'),
	usedMeanwhile: fail('used'),
	changedMeanwhile: fail('ended'),
	sendFailed: fail('failed'),
	receipt: (page) =>
		receiptPage(page, { request, owner, address: ANNA, delivered, files: sentFiles }),
	sendOver: (page) =>
		senderRefusedPage(page, { ...refuse, refusal: { reason: 'ended', day: '2026-12-15' } }),
	sendLater: (page) =>
		senderRefusedPage(page, { ...refuse, refusal: { reason: 'starts', day: '2026-12-01' } }),
	notAsked: (page) => {
		const refusal = { reason: 'sender' } as const;
		return senderRefusedPage(page, { ...refuse, owner: formerOwner, refusal });
	},
	sendGone: requestGonePage,
};
