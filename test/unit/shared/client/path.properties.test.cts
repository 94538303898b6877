import fc from 'fast-check';
import { UserError } from 'n8n-workflow';
import { encodePathSegment, buildPath } from '../../../../nodes/shared/client/path';
import { always, anyText } from '../../support/seeded.cts';

/** The encoded segment, or undefined where it is rejected. */
function encoded(text: string): string | undefined {
	try {
		return encodePathSegment(text, 'Container');
	} catch (error) {
		expect(error).toBeInstanceOf(UserError);
		return undefined;
	}
}

describe('any text as a path segment', () => {
	it('decodes to itself without surrounding spaces, or is rejected', async () => {
		await always(
			fc.property(anyText, (text) => {
				const segment = encoded(text);
				if (segment !== undefined) expect(decodeURIComponent(segment)).toBe(text.trim());
			}),
			1_000,
		);
	});

	it('stays one segment for a URL parser', async () => {
		await always(
			fc.property(anyText, (text) => {
				const segment = encoded(text);
				if (segment === undefined) return;
				const address = `https://share.example.com/api/v1/containers/${segment}/drm`;
				const url = new URL(address);
				expect(url.href).toBe(address);
				expect(url.pathname.split('/')).toEqual(['', 'api', 'v1', 'containers', segment, 'drm']);
				expect(url.search + url.hash).toBe('');
			}),
			1_000,
		);
	});

	it('is rejected only for the documented reasons', async () => {
		await always(
			fc.property(anyText, (text) => {
				const trimmed = text.trim();
				const cannotBeSent =
					trimmed === '' ||
					trimmed === '.' ||
					trimmed === '..' ||
					trimmed.length > 2000 ||
					/[/\\\p{Cc}\p{Cs}]/u.test(trimmed);
				expect(encoded(text) === undefined).toBe(cannotBeSent);
			}),
			1_000,
		);
	});

	it('does not change the segments beside it', async () => {
		await always(
			fc.property(anyText, anyText, (userId, contactEmail) => {
				const [user, contact] = [encoded(userId), encoded(contactEmail)];
				if (user === undefined || contact === undefined) return;
				expect(buildPath(['users', userId, 'contacts', contactEmail])).toBe(
					`/users/${user}/contacts/${contact}`,
				);
			}),
		);
	});
});
