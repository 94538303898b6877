import './n8nEnvironment.cts';
import { TriggerContext, TriggersAndPollers } from 'n8n-core';
import type { IDataObject, INodeParameters, IRun, ITriggerFunctions } from 'n8n-workflow';
import { container } from './host.cts';
import { singleNode, type WorkflowOptions } from './workflow.cts';

interface TriggerOptions extends Pick<WorkflowOptions, 'workflowId' | 'credentials'> {
	parameters?: INodeParameters;
	/** What n8n has stored for the node. */
	stored?: IDataObject;
	/** "manual" is a test in the editor. */
	mode?: 'trigger' | 'manual';
	/** "init" is the start of n8n. */
	activation?: 'activate' | 'init';
	/** The end of an execution that n8n starts: it is over at once by default. */
	run?: (ids: string[], key: string) => Promise<void>;
}

export type ActiveTrigger = Awaited<ReturnType<typeof activateTrigger>>;

/** Activates a workflow with the instant trigger, in n8n's own context. @throws what n8n shows when that fails */
export async function activateTrigger({
	mode = 'trigger',
	activation: activated = 'activate',
	stored: staticData = {},
	run = async () => undefined,
	...options
}: TriggerOptions) {
	const type = { node: 'encryptedContainersInstantTrigger' };
	const single = await singleNode({ ...type, ...options, staticData });
	const { node, workflow } = single;
	const readStored = () =>
		JSON.parse(JSON.stringify(workflow.getStaticData('node', node))) as IDataObject;
	const emissions: Array<{ items: IDataObject[]; key: string; stored: IDataObject }> = [];
	const errors: Error[] = [];
	const problems: Error[] = [];
	const emit: ITriggerFunctions['emit'] = (data, _response, done, key = '') => {
		const items = data[0].map(({ json }) => json);
		emissions.push({ items, key, stored: readStored() });
		const ids = items.map(({ id }) => String(id));
		run(ids, key).then(() => done?.resolve({} as IRun), done?.reject);
	};
	const activation = mode === 'manual' ? 'manual' : activated;
	const context = new TriggerContext(
		...([workflow, node, single.additionalDataIn(mode), mode, activation, emit] as const),
		(error: Error) => void errors.push(error),
		(error: Error) => void problems.push(error),
	);
	const runner = container.get(TriggersAndPollers);
	const data = single.additionalDataIn(mode);
	const response = await runner.runTriggerFunction(
		workflow,
		node,
		() => context,
		data,
		mode,
		activation,
	);
	return {
		/** What it has given to n8n, and what was stored before. */
		emissions,
		/** What ended it. */
		errors,
		/** What n8n lists as executions that failed. */
		problems,
		readStored,
		/** Only in a test: the items that it shows. */
		test: async () => {
			await response?.manualTriggerFunction?.();
			const [items] = (await response?.manualTriggerResponse) ?? [[]];
			return items.map(({ json }) => json);
		},
		close: async () => await response?.closeFunction?.(),
	};
}
