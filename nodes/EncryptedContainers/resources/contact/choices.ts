import type { Choice } from '../../../shared/parameters/scalars';

/** How to enter the fields of a contact. */
export const DATA_TO_SEND: Array<
	Choice<'autoMapInputData' | 'defineBelow' | 'json'> & { description: string }
> = [
	{
		name: 'Auto-Map Input Data to Fields',
		value: 'autoMapInputData',
		description: 'Use when the input fields have the same names as the contact fields',
	},
	{
		name: 'Define Below for Each Field',
		value: 'defineBelow',
		description: 'Set the value for each field',
	},
	{
		name: 'JSON',
		value: 'json',
		description: 'Set all fields in one JSON object',
	},
];
