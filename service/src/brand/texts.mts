import Negotiator from 'negotiator';
import type { Language } from './languages.mts';
import { createFormat } from './sentences.mts';

/** How a page or a mail says things in one language. */
export type Texts = ReturnType<typeof createTexts>;

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];

/** @param timeZone in which times of the day are told */
export function createTexts(language: Language, timeZone: string) {
	const { tag, name, direction, locale, sentences } = language;
	const days = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' });
	const times = new Intl.DateTimeFormat(locale, {
		hour: '2-digit',
		minute: '2-digit',
		timeZone,
		timeZoneName: 'short',
	});
	const daysHere = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone });
	return {
		...createFormat(sentences, locale),
		tag,
		name,
		direction,
		/** @param day such as 2026-12-31 */
		day: (day: string) => days.format(new Date(day)),
		/** The day of a time. */
		dayOf: (milliseconds: number) => daysHere.format(milliseconds),
		/** The time of the day with its zone. */
		time: (milliseconds: number) => times.format(milliseconds),
		size: (bytes: number) => formatSize(locale, bytes),
	};
}

export function formatSize(locale: string, bytes: number): string {
	// What would be rounded to 1,000 is 1 of the next unit.
	const power = bytes < 1000 ? 0 : Math.floor(Math.log10(bytes * 1.0005) / 3);
	const unit = Math.min(power, UNITS.length - 1);
	const value = bytes / 1000 ** unit;
	return new Intl.NumberFormat(locale, {
		style: 'unit',
		unit: UNITS[unit],
		unitDisplay: unit === 0 ? 'long' : 'short',
		maximumFractionDigits: value < 10 ? 1 : 0,
	}).format(value);
}

/** What a visitor reads: the language that they chose, or the one that their browser asks for. */
export function chooseTexts(all: Texts[], chosen?: string, acceptLanguage?: string): Texts {
	const find = (wanted?: string) => all.find(({ tag }) => tag === wanted);
	const headers = { 'accept-language': acceptLanguage ?? '' };
	const [preferred] = new Negotiator({ headers }).languages(all.map(({ tag }) => tag));
	return find(chosen) ?? find(preferred) ?? all[0];
}
