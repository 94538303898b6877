import type { Choice } from '../../../shared/parameters/scalars';

/** How to enter the rules to change. */
export const RULE_MODES: Array<Choice<'fields' | 'json'>> = [
	{ name: 'Using Fields Below', value: 'fields' },
	{ name: 'Using JSON', value: 'json' },
];
