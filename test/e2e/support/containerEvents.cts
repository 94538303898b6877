import type { N8nServer } from '../../../tools/realN8n/server.cts';

/**
 * Creates containers, and finds those whose event has started no execution of a workflow, or several.
 * @param addContainer @returns its ID
 */
export function createContainerEvents(
	workflowId: string,
	addContainer: (container: { name: string }) => Promise<string>,
) {
	const names: string[] = [];
	/** The stored data of executions that have ended. */
	const ended = new Map<string, string>();

	return {
		names,
		/** Creates so many, one after the other. */
		add: async (count: number) => {
			for (let added = 0; added < count; added += 1) {
				const name = `Container ${names.length}`;
				names.push(name);
				await addContainer({ name });
			}
		},
		/** By what n8n has listed. Some executions can have crashed. */
		compare: async (server: N8nServer) => {
			const read = async ({ id, stoppedAt }: { id: string; stoppedAt?: string }) => {
				const data = ended.get(id) ?? (await server.fetchExecution(id)).data;
				if (stoppedAt) ended.set(id, data);
				return data;
			};
			const stored = await Promise.all((await server.executions(workflowId)).map(read));
			const count = (name: string) => stored.filter((data) => data.includes(`"${name}"`)).length;
			return {
				missing: names.filter((name) => count(name) === 0),
				repeated: names.filter((name) => count(name) > 1),
			};
		},
	};
}
