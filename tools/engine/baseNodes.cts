import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeType,
	type INodeTypeDescription,
	type ITriggerFunctions,
} from 'n8n-workflow';

/** The description of a node that stands in for one of n8n's own. */
export const describeNode = (
	name: string,
	more: Partial<INodeTypeDescription> = {},
): INodeTypeDescription => ({
	displayName: name,
	name,
	group: ['input'],
	version: 1,
	description: '',
	defaults: { name },
	inputs: [NodeConnectionTypes.Main],
	outputs: [NodeConnectionTypes.Main],
	properties: [],
	...more,
});

const manualTrigger: INodeType = {
	description: describeNode('manualTrigger', { group: ['trigger'], inputs: [] }),
	async trigger(this: ITriggerFunctions) {
		return { manualTriggerFunction: async () => this.emit([this.helpers.returnJsonArray([{}])]) };
	},
};

/** Reads one file for each item, as n8n's node does with a path that contains no pattern. */
const readWriteFile: INodeType = {
	description: describeNode('readWriteFile', {
		properties: [{ displayName: 'File', name: 'fileSelector', type: 'string', default: '' }],
	}),
	async execute(this: IExecuteFunctions) {
		const read = async (item: number) => {
			const path = this.getNodeParameter('fileSelector', item) as string;
			const { createReadStream, prepareBinaryData, resolvePath } = this.helpers;
			const stream = await createReadStream(await resolvePath(path));
			const data = await prepareBinaryData(stream, path);
			const { mimeType, fileType, fileName, fileExtension, fileSize } = data;
			return {
				json: { mimeType, fileType, fileName, fileExtension, fileSize },
				binary: { data },
				pairedItem: { item },
			};
		};
		return [await Promise.all(this.getInputData().map(async (_, item) => await read(item)))];
	},
};

const stickyNote: INodeType = {
	description: describeNode('stickyNote', { inputs: [], outputs: [] }),
};

/** In place of n8n's own nodes in the example that the demo runs, by type. */
export const baseNodes: Record<string, INodeType> = {
	'n8n-nodes-base.manualTrigger': manualTrigger,
	'n8n-nodes-base.readWriteFile': readWriteFile,
	'n8n-nodes-base.stickyNote': stickyNote,
};
