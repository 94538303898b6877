/** What a program needs of the environment. Windows ignores the case of names; Node.js keeps it. */
const NEEDED = /^(path|home|userprofile|systemroot|windir|comspec|pathext|tmpdir|temp|tmp)$/i;

/** The environment without the settings of this machine (n8n's, Node.js's, a proxy), so that none of them changes a result. */
export function inheritedEnvironment(): Record<string, string> {
	const entries = Object.entries(process.env).filter(([name]) => NEEDED.test(name));
	return Object.fromEntries(entries) as Record<string, string>;
}
