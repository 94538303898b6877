import type { INodeProperties } from 'n8n-workflow';

/** Where the node is an agent's tool: asks for a person to approve what the model can't undo. */
export const approvalNotice: INodeProperties = {
	displayName:
		'The model decides when this runs. Add a human review step between the agent and this tool, so that a person approves each call.',
	name: 'approvalNotice',
	type: 'notice',
	default: '',
	displayOptions: { show: { '@tool': [true] } },
};
