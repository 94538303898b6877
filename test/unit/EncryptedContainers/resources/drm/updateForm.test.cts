import type { INode, INodeParameters } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';
import { EncryptedContainers } from '../../../../../nodes/EncryptedContainers/EncryptedContainers.node';

const { description } = new EncryptedContainers();

/** The notices on the form of Update, as the editor shows them. */
function noticesFor(entered: INodeParameters): string[] {
	const parameters = { resource: 'drm', operation: 'update', specifyRules: 'fields', ...entered };
	const node = { type: 'encryptedContainers', typeVersion: 1, parameters } as unknown as INode;
	return description.properties
		.filter(({ type }) => type === 'notice')
		.filter((notice) => NodeHelpers.displayParameter(parameters, notice, node, description))
		.map(({ displayName }) => displayName);
}

const KEPT = "Rules you don't add stay as they are.";
const NO_RECIPIENTS = 'Without recipients, it is up to the service who can open the container.';

it.each<[string, INodeParameters, string[]]>([
	['nothing yet', {}, [KEPT]],
	['recipients to replace all', { rules: { recipients: 'anna@example.com' } }, [KEPT]],
	['recipients from an expression', { rules: { recipients: '={{ $json.to }}' } }, [KEPT]],
	['nobody to replace all', { rules: { recipients: '' } }, [KEPT, NO_RECIPIENTS]],
	['nobody to add', { rules: { addRecipients: '' } }, [KEPT]],
	['JSON', { specifyRules: 'json', rules: { recipients: '' } }, [KEPT]],
	['other rules that are not kept', { options: { keepOtherRules: false } }, []],
])('the form of Update says what applies to %s', (_what, entered, notices) => {
	expect(noticesFor(entered)).toEqual(notices);
});

it('the form of Revoke Access says what it does', () => {
	const [notice] = noticesFor({ operation: 'revoke' });

	expect(notice).toMatch(/^Ends access for everyone/);
});
