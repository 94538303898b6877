import { clampChroma, converter, formatHex, parse, wcagContrast, type Oklch } from 'culori';

/** What text in the accent color stands on, and what text stands on a button in it: style.css has the same. */
export const BACKGROUNDS = {
	light: { hardest: '#f3f4f6', onAccent: '#ffffff' },
	dark: { hardest: '#1d2024', onAccent: '#101214' },
};

/** WCAG AA asks for 4.5. */
const MIN_CONTRAST = 4.6;
const STEP = 0.005;

export interface Accent {
	/** As the company gave it: only for the stripe at the top, which holds no text. */
	brand: string;
	light: string;
	dark: string;
}

const toOklch = converter('oklch');

/** Changes the lightness of a color until text in it can be read. @returns undefined for what is no color */
export function createAccent(color: string): Accent | undefined {
	const parsed = toOklch(parse(color));
	if (parsed === undefined || (parsed.alpha ?? 1) < 1) return undefined;
	return {
		brand: toHex(parsed),
		light: adjust(parsed, BACKGROUNDS.light.hardest, -STEP),
		dark: adjust(parsed, BACKGROUNDS.dark.hardest, STEP),
	};
}

function adjust(color: Oklch, background: string, step: number): string {
	let adjusted = color;
	// Ends at black or white, which can be read on each background.
	while (wcagContrast(toHex(adjusted), background) < MIN_CONTRAST) {
		adjusted = { ...adjusted, l: adjusted.l + step };
	}
	return toHex(adjusted);
}

/** Less chroma only where the screen can't show it. */
const toHex = (color: Oklch) => formatHex(clampChroma(color, 'oklch'));

/** The lines of the style sheet that are this company's own. */
export const toStyle = ({ brand, light, dark }: Accent) => `:root {
	--brand: ${brand};
	--accent: ${light};
}
@media (prefers-color-scheme: dark) {
	:root {
		--accent: ${dark};
	}
}
`;
