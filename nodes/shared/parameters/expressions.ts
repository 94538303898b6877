/** Whether a parameter, as the workflow stores it, is an expression. */
export function isExpression(raw: unknown): boolean {
	return typeof raw === 'string' && raw.startsWith('=');
}
