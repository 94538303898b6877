import type { Owner } from '../../src/open/contact.mts';
import { askedPage, refusedPage } from '../../src/open/signIn/refusedPages.mts';
import type { PageContext } from '../../src/open/templates.mts';

export const ANNA = 'anna@example.com';
export const OLIVIA = 'olivia@berger.example';
export const owner: Owner = { email: OLIVIA, disabled_date: null };
export const formerOwner: Owner = { ...owner, disabled_date: '2026-11-28T09:30:00.123Z' };
const PROOF = 'cHJvb2Y'.repeat(30);
const NOTE = 'Ich brauche den Abschluss noch für das Gespräch mit der Bank am Montag.';
const refused = { address: ANNA, owner, endedDay: null, proof: PROOF };
const ended = { ...refused, refusal: { reason: 'time', ended: '2026-11-26' } } as const;
const HOUR_MS = 60 * 60_000;

/** What somebody sees whom a rule refuses, and who asks for access. */
export const refusedStates: Record<string, (page: PageContext) => string> = {
	ended: (page) => refusedPage(page, ended),
	endedBySender: (page) =>
		refusedPage(page, {
			...{ ...refused, endedDay: '2026-11-28' },
			refusal: { reason: 'time', ended: '2026-11-27' },
		}),
	notYet: (page) =>
		refusedPage(page, { ...refused, refusal: { reason: 'time', starts: '2026-12-01' } }),
	notShared: (page) => refusedPage(page, { ...refused, refusal: { reason: 'recipient' } }),
	closed: (page) =>
		refusedPage(page, { ...refused, owner: formerOwner, refusal: { reason: 'closed' } }),
	wrongNetwork: (page) => refusedPage(page, { ...refused, refusal: { reason: 'ip' } }),
	wrongCountry: (page) => refusedPage(page, { ...refused, refusal: { reason: 'geo' } }),
	noOpenings: (page) => refusedPage(page, { ...refused, refusal: { reason: 'opens', opens: 5 } }),
	noteTooLong: (page) => refusedPage(page, ended, { note: NOTE.repeat(5), problem: 'tooLong' }),
	askedTooOften: (page) =>
		refusedPage(page, ended, { note: NOTE, problem: 'tooMany', wait: HOUR_MS }),
	asked: (page) => askedPage(page, { owner, proof: PROOF, note: NOTE }),
	askedWithoutNote: (page) => askedPage(page, { owner, proof: PROOF, note: '' }),
};
