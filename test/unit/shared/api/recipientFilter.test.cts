import { listMatched } from '../../../../nodes/shared/api/recipientFilter';

it('recipients match an address by themselves and by their wildcards, and a wildcard only as it is', () => {
	const recipients = ['Anna@Example.com', '*@example.com', '*@*', 'ben@example.com'];
	expect(listMatched(recipients, 'anna@example.com')).toEqual(recipients.slice(0, 3));
	expect(listMatched(recipients, '*@EXAMPLE.com')).toEqual(['*@example.com']);
});
