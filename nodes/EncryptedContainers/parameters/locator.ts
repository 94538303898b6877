/**
 * Reads a resource locator, which is an object from the editor and plain text from an expression or an AI tool.
 *
 * @param value the parameter as n8n gives it
 * @returns the identifier or address itself
 */
export function getLocatorValue(value: unknown): unknown {
	return typeof value === 'object' && value !== null && 'value' in value ? value.value : value;
}
