/**
 * Whether two JSON values are the same; the order of keys makes no difference.
 *
 * @param one a JSON value
 * @param other another
 */
export function sameJson(one: unknown, other: unknown): boolean {
	if (one === other) return true;
	if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) {
		return false;
	}
	if (Array.isArray(one) !== Array.isArray(other)) return false;
	const keys = Object.keys(one);
	return (
		keys.length === Object.keys(other).length &&
		keys.every(
			(key) =>
				Object.prototype.hasOwnProperty.call(other, key) &&
				sameJson((one as Record<string, unknown>)[key], (other as Record<string, unknown>)[key]),
		)
	);
}
