import { findCredentialExpression } from '../../../../nodes/EncryptedContainers/execution/credentialExpressions';

describe('an expression', () => {
	it.each([
		'={{ $credentials.apiKey }}',
		'={{ $credentials["apiKey"] }}',
		'={{$credentials?.apiKey}}',
		"={{ ($json.leak = $credentials.apiKey) && '' }}",
		'=Report {{ this.$credentials.apiKey }}',
		"={{ this['$credentials'].apiKey }}",
		'={{ Object.keys({ $credentials }) }}',
		'={{ $evaluateExpression("{{ $credentials.apiKey }}") }}',
		String.raw`={{ \u0024credentials.apiKey }}`,
		String.raw`={{ \u{24}credentials.apiKey }}`,
		String.raw`={{ $\u0063redentials.apiKey }}`,
		String.raw`={{ this["\x24cred\x65ntials"].apiKey }}`,
		String.raw`={{ this["\44credentials"].apiKey }}`,
		String.raw`={{ this["$cre\dentials"].apiKey }}`,
		'={{ this["$cre\\\ndentials"].apiKey }}',
		'={{ this["$cre\\\r\ndentials"].apiKey }}',
		String.raw`={{ eval("\\u0024credentials") }}`.replace('\\\\', '\\'),
	])('that names $credentials is found: %s', (expression) => {
		expect(findCredentialExpression({ name: expression })?.message).toBe(
			'The parameter "name" uses $credentials',
		);
	});

	it('is found at any depth, and named by its place', () => {
		const query = { parameters: [{ name: 'a', value: '={{ $credentials.apiKey }}' }] };
		expect(findCredentialExpression({ options: { query } })?.message).toBe(
			'The parameter "options > query > parameters > 0 > value" uses $credentials',
		);
	});

	it.each([
		'$credentials.apiKey',
		'={{ $json.credentials }}',
		'={{ $json.$credential }}',
		'={{ "credentials: " + $json.name }}',
		String.raw`={{ "\u{110000}" }}`,
		'={{ $now.plus({ days: 7 }) }}',
		'',
		7,
		null,
	])('that names something else is not: %j', (value) => {
		expect(findCredentialExpression({ name: value })).toBeUndefined();
	});
});
