import { toPlainDigits } from '../src/open/digits.mts';

test.each([
	['40721593', '40721593'],
	// Of keyboards for Japanese, Arabic, Persian and Hindi.
	['４０７２１５９３', '40721593'],
	['٤٠٧٢١٥٩٣', '40721593'],
	['۴۰۷۲۱۵۹۳', '40721593'],
	['४०७२१५९३', '40721593'],
	['𝟗𝟘 a-', '90 a-'],
])('the digits of %s are %s', (entered, plain) => {
	expect(toPlainDigits(entered)).toBe(plain);
});
