/** One empty page. */
export const pdf = `%PDF-1.4
1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj
2 0 obj <</Type /Pages /Kids [3 0 R] /Count 1>> endobj
3 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 595 842]>> endobj
trailer <</Size 4 /Root 1 0 R>>
%%EOF
`;

export const png = Buffer.from(
	'iVBORw0KGgoAAAANSUhEUgAAADwAAAAoCAIAAAAt2Q6oAAAAN0lEQVR42u3OQQkAAAgAsYtudFP4EAYLsJr+kZaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWvrS+vLA9jmm7BQAAAABJRU5ErkJggg==',
	'base64',
);

/** A film with one picture. */
export const webm = Buffer.from(
	'GkXfo59ChoEBQveBAULygQRC84EIQoKEd2VibUKHgQRChYECGFOAZwEAAAAAAAJhEU2bdLlNu4tTq4QVSalmU6yBbk27i1OrhBZUrmtTrIGTTbuLU6uEH0O2dVOsgdVNu4xTq4QcU7trU6yCAk/srgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAVSalmoCrXsYMPQkBEiYQ/gAAATYCGQ2hyb21lV0GGQ2hyb21lFlSua72uu9eBAXPFh3T0kIypXQyDgQFV7oEBhoVWX1ZQOOCesIIBQLqB8FPAgQFVsJBVsYEBVbmBAlW6gQ1Vu4EBH0O2dQEAAAAAAAFu54EAoEFooUC5gQAAAJASAJ0BKkAB8AABBwiFhYiZhIgFggJ1qgIGZmWow9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w9k5w8gA/v6W2H/4yT/+Mk//jJP/xkn9CjZRL5h1oUCopkCl7oEBpUCfMBIAnQEqQAHwAARHCIWFiJmEiBcCAAYWBPcGgWSfa9ubJzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh7Jzh69AD+92cAHFO7a427i7OBALeG94EB8YHV',
	'base64',
);

/** Ten minutes: more than a browser reads in advance. */
export const wav = Buffer.concat([
	Buffer.from('52494646243e490057415645666d74201000000001000100401f0000401f000001000800', 'hex'),
	Buffer.from('64617461003e4900', 'hex'),
	Buffer.alloc(8000 * 60 * 10, 128),
]);
