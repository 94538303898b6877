import type { Choice } from '../../../../shared/parameters/scalars';

type DescribedChoice<Value extends string> = Choice<Value> & { description: string };

export const CONTAINER_MODES: Array<DescribedChoice<'perItem' | 'allItems'>> = [
	{
		name: 'One Container per Item',
		value: 'perItem',
		description: 'Create one container for each input item',
	},
	{
		name: 'All Items in One Container',
		value: 'allItems',
		description:
			'Put the files of all input items into one container. Its name, recipients and rules must be the same for all items.',
	},
];

export const FILE_SOURCES: Array<DescribedChoice<'all' | 'named' | 'text'>> = [
	{
		name: 'All Binary Fields',
		value: 'all',
		description: 'All files of the input item',
	},
	{
		name: 'Named Binary Fields',
		value: 'named',
		description: 'The files in the binary fields that you name',
	},
	{
		name: 'Text',
		value: 'text',
		description: 'Text that you enter or create with an expression. No input file is needed.',
	},
];

export const MANIFEST_MODES: Array<Choice<'fields' | 'json'>> = [
	{ name: 'Using Fields Above', value: 'fields' },
	{ name: 'Using JSON', value: 'json' },
];

export const ACCESS_ENDS: Array<DescribedChoice<'never' | 'onDate' | 'afterDays'>> = [
	{
		name: 'Never',
		value: 'never',
		description: 'People can open the container until somebody revokes access',
	},
	{
		name: 'On a Date',
		value: 'onDate',
		description: 'People can open the container up to and including a day',
	},
	{
		name: 'After a Number of Days',
		value: 'afterDays',
		description: 'People can open the container for a number of days from today',
	},
];

export const IF_EXISTS: Array<DescribedChoice<'create' | 'fail' | 'reuse'>> = [
	{
		name: 'Create Another',
		value: 'create',
		description: 'Create a new container, even if one with this name exists',
	},
	{
		name: 'Fail',
		value: 'fail',
		description: 'Return an error without uploading',
	},
	{
		name: 'Reuse Existing',
		value: 'reuse',
		description:
			'Return the existing container without uploading, if its recipients and its end are those set here',
	},
];
