import type { Choice } from '../../../shared/parameters/scalars';

/** How to enter the rules to change. */
export const RULE_MODES: Array<Choice<'fields' | 'json'>> = [
	{ name: 'Using Fields Below', value: 'fields' },
	{ name: 'Using JSON', value: 'json' },
];

/** What to do with a container that nobody could open any more. */
export const IF_NOBODY_IS_LEFT: Array<Choice<'revoke' | 'skip'> & { description: string }> = [
	{
		name: 'Revoke Access',
		value: 'revoke',
		description: 'End access to the container',
	},
	{
		name: 'Skip',
		value: 'skip',
		description: 'Leave the container as it is, and say so in the output',
	},
];

/** What to do with a wildcard that covers the address of a person. */
export const IF_WILDCARD_COVERS: Array<
	Choice<'removeWildcard' | 'report'> & { description: string }
> = [
	{
		name: 'Remove the Wildcard',
		value: 'removeWildcard',
		description: 'Everybody whom only the wildcard lets in loses access too',
	},
	{
		name: 'Report',
		value: 'report',
		description: 'Leave the container as it is, and say so in the output',
	},
];
