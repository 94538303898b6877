/** Whether a parameter, as the workflow stores it, is an expression. */
export function isExpression(raw: unknown): raw is string {
	return typeof raw === 'string' && raw.startsWith('=');
}
