import { createHash } from 'node:crypto';
import { toStyle } from './accent.mts';
import type { Brand, Links, Logo } from './brand.mts';
import type { Language } from './languages.mts';
import { createTexts, type Texts } from './texts.mts';

/** Whose pages and mails these are, and in which languages: the same for everybody who comes. */
export interface Site {
	/** Of the company, or of the host where there is no brand. */
	name: string;
	isBranded: boolean;
	links: Links;
	logo?: Logo;
	darkLogo?: Logo;
	mailLogo?: Logo;
	colors: { brand: string; light: string; dark: string };
	origin: string;
	host: string;
	/** The address that mails come from. */
	sender: string;
	style: string;
	/** Changes with the style, so that browsers can keep it. */
	styleVersion: string;
	/** The first one is for whoever asks for none of them. */
	languages: Texts[];
}

interface SiteOptions {
	brand?: Brand;
	languages: Language[];
	publicUrl: string;
	sender: string;
	timeZone: string;
	/** The style sheet without the colors of a company. */
	style: string;
}

/** As style.css has them. */
const COLORS = { brand: '#1a56b8', light: '#1a56b8', dark: '#8ab4ff' };

export function createSite({ brand, languages, timeZone, ...options }: SiteOptions): Site {
	const { origin, host } = new URL(options.publicUrl);
	const style = brand?.accent ? `${options.style}\n${toStyle(brand.accent)}` : options.style;
	return {
		name: brand?.name ?? host,
		isBranded: brand !== undefined,
		links: brand?.links ?? {},
		logo: brand?.logo,
		darkLogo: brand?.darkLogo,
		mailLogo: brand?.mailLogo,
		colors: brand?.accent ?? COLORS,
		origin,
		host,
		sender: options.sender,
		style,
		styleVersion: createHash('sha256').update(style).digest('hex').slice(0, 8),
		languages: languages.map((language) => createTexts(language, timeZone)),
	};
}
