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

/** Which containers an operation is about. */
export const CONTAINER_CHOICES: Array<Choice<'all' | 'byName' | 'one'>> = [
	{ name: 'All', value: 'all' },
	{ name: 'By Name', value: 'byName' },
	{ name: 'One', value: 'one' },
];

/** What containers are compared with. */
export const POLICIES: Array<Choice<'credential' | 'fields'>> = [
	{ name: 'Guardrails of the Credential', value: 'credential' },
	{ name: 'Fields Below', value: 'fields' },
];

/** What to do with a container that breaks the policy. */
export const ON_VIOLATION: Array<Choice<'fix' | 'report' | 'revoke'> & { description: string }> = [
	{
		name: 'Fix',
		value: 'fix',
		description:
			'Shorten the end, remove recipients who are not allowed, and turn off download. If nobody would be left, access ends.',
	},
	{ name: 'Report', value: 'report', description: 'Change nothing' },
	{ name: 'Revoke Access', value: 'revoke', description: 'End access to the container' },
];
