import {
	assertDisjoint,
	assertNotEmpty,
	assertWindow,
	findEndField,
	parseRecipients,
} from '../../../../nodes/EncryptedContainers/parameters/drmRules';
import { parseIpRules } from '../../../../nodes/EncryptedContainers/parameters/ipRules';
import { parseJsonObject } from '../../../../nodes/EncryptedContainers/parameters/json';
import { findPasswords } from '../../../../nodes/EncryptedContainers/parameters/passwords';

const cyclic: Record<string, unknown> = {};
cyclic.self = cyclic;

/** What users read when a field can't be used: each text as a whole. */
const table: Array<[string, () => unknown, string, string]> = [
	[
		'two ends',
		() => findEndField({ timeEnd: 1, extendByDays: 1 }),
		'"Available Until" and "Days to Extend Access" can\'t be used together',
		'Each of them sets when access ends. Remove one of them.',
	],
	[
		'an incomplete domain',
		() => parseRecipients('anna@example', 'Recipients'),
		'"anna@example" in "Recipients" is not an email address',
		'"example" is not a complete domain. Enter an address such as anna@example.com in "Recipients".',
	],
	[
		'a long domain',
		() => parseRecipients(`anna@${'x'.repeat(120)}`, 'Recipients'),
		`"anna@${'x'.repeat(95)}" in "Recipients" is not an email address`,
		`"${'x'.repeat(100)}" is not a complete domain. Enter an address such as anna@example.com in "Recipients".`,
	],
	[
		'an end before the start',
		() => assertWindow({ start: '2099-02-01', end: '2099-01-01' }, 'accessDays'),
		'"Days Until Access Ends" (2099-01-01) is before "Available From" (2099-02-01)',
		'In "Days Until Access Ends", end access on 2099-02-01 or later.',
	],
	[
		'a contradiction',
		() => assertDisjoint(['a', 'DE'], ['de'], 'Allowed', 'Blocked'),
		'"DE" is in "Allowed" and in "Blocked"',
		'One contradicts the other. Remove it from one of them.',
	],
	[
		'an empty list',
		() => assertNotEmpty([], 'Recipients'),
		'"Recipients" is empty',
		'Enter at least one entry in "Recipients", or remove this rule. If it comes from an expression, check that the field exists in the input item.',
	],
	[
		'an IP rule',
		() => parseIpRules('x'.repeat(101), 'IP Addresses Allowed'),
		'"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" in "IP Addresses Allowed" is not an IP address',
		'Enter an address (203.0.113.7), a network (192.168.1.0/24 or 192.168.1.0/255.255.255.0), an address with wildcards (192.*.1.*) or a range (10.0.0.1-10.0.0.9) in "IP Addresses Allowed". IPv6 has the same forms.',
	],
	[
		'a list as JSON',
		() => parseJsonObject([1], 'Rules (JSON)'),
		'"Rules (JSON)" is not a JSON object',
		'The expression returned a list. Enter a JSON object in "Rules (JSON)". It starts with { and ends with }.',
	],
	[
		'a text in JSON',
		() => parseJsonObject('5', 'Rules (JSON)'),
		'"Rules (JSON)" is not a JSON object',
		'Enter a JSON object in "Rules (JSON)". It starts with { and ends with }.',
	],
	[
		'JSON that contains itself',
		() => parseJsonObject(cyclic, 'Rules (JSON)'),
		'"Rules (JSON)" can\'t be sent as JSON',
		'Its value is nested too deeply, or contains itself. Enter a plain JSON object in "Rules (JSON)".',
	],
	[
		'empty JSON',
		() => parseJsonObject(' ', 'Rules (JSON)'),
		'"Rules (JSON)" is empty',
		'Enter a JSON object in "Rules (JSON)", or use the fields instead of JSON.',
	],
	[
		'cut JSON',
		() => parseJsonObject('{', 'Rules (JSON)'),
		'"Rules (JSON)" is not valid JSON: it ends too early',
		'Check the commas, quotes and brackets in "Rules (JSON)". Put expressions inside the JSON in quotes, or use JSON.stringify().',
	],
	[
		'too many passwords',
		() => findPasswords({ pins: Array.from({ length: 21 }, (_, index) => index) }, 'Rules (JSON)'),
		'"Rules (JSON)" contains more than 20 passwords',
		'Enter at most 20 different passwords in "Rules (JSON)".',
	],
	[
		'a long password',
		() => findPasswords({ pin: 'x'.repeat(201) }, 'Rules (JSON)'),
		'A password in "Rules (JSON)" is longer than 200 characters',
		'It has 201 characters. Enter a shorter value in "Rules (JSON)". If it comes from an expression, check that it returns the right field.',
	],
];

it.each(table)('the error for %s', (_what, parse, message, description) => {
	expect(parse).toThrow(expect.objectContaining({ message, description }));
});
