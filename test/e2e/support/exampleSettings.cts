import type { INodeParameters } from 'n8n-workflow';
import type { WorkflowJson } from '../../../tools/realN8n/workflow.cts';

const byId = (value: string) => ({ __rl: true, mode: 'id', value });
const spreadsheet = { documentId: byId('a-spreadsheet') };
const emails = { fromEmail: 'n8n@example.com', toEmail: 'owner@example.com' };

/** What the note on an example tells you to set, by example and node. */
export const SETTINGS: Record<string, Record<string, INodeParameters>> = {
	'alarm-for-three-refusals': { 'Send the Alarm': emails },
	'approval-before-sharing': { 'Ask the Owner': emails },
	'asked-approve-by-mail-or-slack': {
		'Ask by Email': emails,
		'Ask in Slack': { channelId: byId('C0123456789') },
		'Tell the Person': { fromEmail: 'n8n@example.com' },
	},
	'ask-a-customer-for-documents': { 'Email the Customer': { fromEmail: 'n8n@example.com' } },
	'check-rules-every-night': { 'Email What Breaks the Policy': emails },
	'email-attachments-to-one-container': {
		'Encrypt the Attachments': { recipients: 'contracts@example.com, legal@example.com' },
		'Notify the Team': { fromEmail: 'n8n@example.com', toEmail: 'contracts@example.com' },
	},
	'encrypt-a-report-from-text': { 'Encrypt the Report': { recipients: 'management@example.com' } },
	'encrypt-an-invoice': { 'Encrypt the Invoice': { recipients: 'ada.lindqvist@example.com' } },
	'end-access-after-90-days': { 'Email What Changed': emails },
	'extend-access-after-approval': { 'Ask for Approval': emails },
	'form-to-mailed-link': { 'Email the Recipient': { fromEmail: 'n8n@example.com' } },
	'gmail-attachments-to-one-container': {
		'Encrypt the Attachments': { recipients: 'anna@example.com, bob@example.com' },
	},
	'help-a-recipient': { 'Mail the Link': { fromEmail: 'n8n@example.com' } },
	'invoice-from-drive-to-recipient': {
		'When an Invoice Arrives': { folderToWatch: byId('a-folder') },
		'Get the Customers': spreadsheet,
		'Email the Customer': { fromEmail: 'invoices@example.com' },
	},
	'outlook-attachments-to-one-container': {
		'Encrypt the Attachments': { recipients: 'anna@example.com, bob@example.com' },
	},
	'received-files-to-google-drive': {
		'Save to Drive': { folderId: byId('a-folder') },
		'Thank the Sender': { fromEmail: 'n8n@example.com' },
	},
	'recipients-follow-a-google-sheet': {
		'Get the Group': spreadsheet,
		'Sync the Recipients': { containerId: byId('a-container') },
	},
	'remind-who-has-not-opened': { 'Remind the Recipient': { fromEmail: 'n8n@example.com' } },
	's3-files-to-containers': {
		'List the Files': { bucketName: 'a-bucket' },
		'Download the File': { bucketName: 'a-bucket' },
		'Encrypt the File': { recipients: 'anna@example.com' },
	},
	'signed-copy-back': {
		'File the Contract': { folderId: byId('a-folder') },
		'File the Signed Copy': { folderId: byId('a-folder') },
		'Email the Signer': { fromEmail: 'n8n@example.com' },
	},
	'slack-alarm-for-changed-rules': { 'Tell the Channel': { channelId: byId('C0123456789') } },
	'slack-message-for-opening': { 'Tell the Sender': { channelId: byId('C0123456789') } },
	'slack-message-for-first-opening': { 'Tell the Channel': { channelId: byId('C0123456789') } },
	'sync-contacts-from-google-sheets': {
		'Get the Rows': spreadsheet,
		'Email the Changes': { sendTo: 'owner@example.com' },
	},
	'who-can-open-what': { 'Encrypt the List': { recipients: 'auditor@example.com' } },
};

/** Returns an example with these parameters in its nodes. */
export function fillIn(
	workflow: WorkflowJson,
	parameters: Record<string, INodeParameters> = {},
): WorkflowJson {
	const nodes = workflow.nodes.map((node) => ({
		...node,
		parameters: { ...node.parameters, ...parameters[node.name] },
	}));
	return { ...workflow, nodes };
}
