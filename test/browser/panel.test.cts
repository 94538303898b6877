import { basename } from 'node:path';
import { editorTests } from './support/editor.cts';
import {
	addToCollection,
	closePanel,
	executeNode,
	fillParameter,
	getDisplayedError,
	getHints,
	getOutputJson,
	getParameter,
	getVisibleLabels,
	openList,
	openPanel,
	searchList,
	selectOption,
	toggleParameter,
} from './support/nodePanel.cts';
import { NODE_TYPE } from '../../tools/realN8n/workflow.cts';
import type { StoredContainer } from '../../tools/serviceClient.cts';

const ADA = 'ada@example.com';
const encode = { resource: 'container', operation: 'encode' };
const get = { resource: 'container', operation: 'get' };
const entries = '[data-test-id=rlc-item]:visible';
// High enough for the output.
const inEditor = editorTests({ width: 1280, height: 1500 });

describe('encoding in the editor', () => {
	inEditor('encrypts a text with rules, and shows the envelope', async (editorTest) => {
		const { page, service, show, node } = editorTest;
		await show([node('Encrypt', encode)]);
		await openPanel(page, 'Encrypt');

		await selectOption(page, 'fileSource', 'Text');
		await fillParameter(page, 'textContent', 'Revenue grew by 4 %.');
		await fillParameter(page, 'textFileName', 'report.txt');
		await fillParameter(page, 'name', 'Quarterly report');
		await fillParameter(page, 'recipients', `${ADA}, *@example.org`);
		await toggleParameter(page, 'downloadable');
		await selectOption(page, 'accessEnds', 'On a Date');
		await fillParameter(page, 'timeEnd', '2030-12-24');
		await page.keyboard.press('Enter');
		await addToCollection(page, 'Add Rule', 'Max Opens');
		await fillParameter(page, 'opens', '3');

		expect(await executeNode(page)).toBe('success');
		const [{ uuid, name, files }] = await service.getContainers();
		expect(await getOutputJson(page)).toMatchObject([{ container: { uuid, name } }]);
		expect(name).toBe('Quarterly report');
		expect(await service.getRules(uuid)).toEqual({
			...{ dynamic: true, opens: 3, time: { end: '2030-12-24' }, downloadable: true },
			recipients: [ADA, '*@example.org'],
		});
		const size = Buffer.byteLength('Revenue grew by 4 %.');
		expect(files).toMatchObject([{ name: 'report.txt', type: 'text/plain', size }]);
		await closePanel(page);
	});

	inEditor('encrypts the file of the previous node', async (editorTest) => {
		const { page, service, file, show, node } = editorTest;
		const read = { fileSelector: file, options: {} };
		await show([
			{ name: 'Read', type: 'n8n-nodes-base.readWriteFile', parameters: read },
			node('Encrypt', { ...encode, name: 'Invoice', recipients: ADA }),
		]);
		await openPanel(page, 'Encrypt');

		expect(await executeNode(page)).toBe('success');
		const [{ files }] = await service.getContainers();
		expect(files).toMatchObject([{ name: basename(file), type: 'application/pdf' }]);
		await closePanel(page);
	});

	inEditor('names the item and the field of a bad recipient', async (editorTest) => {
		const { page, service, show, node } = editorTest;
		const parameters = { fileSource: 'text', textContent: 'A', textFileName: 'a.txt', name: 'A' };
		await show([node('Encrypt', { ...encode, ...parameters })]);
		await openPanel(page, 'Encrypt');
		await fillParameter(page, 'recipients', `${ADA}, bob`);

		expect(await executeNode(page)).toBe('error');
		const { message, description } = await getDisplayedError(page);
		expect(message).toBe('"bob" in "Recipients" is not an email address [item 0]');
		expect(description).toContain('Enter addresses such as anna@example.com');
		expect(await service.getContainers()).toEqual([]);
		await closePanel(page);
	});

	inEditor('warns where nobody is named and where rules are sealed', async (editorTest) => {
		const { page, show, node } = editorTest;
		const sealed =
			"The rules will be sealed into the container permanently. Access can't be revoked then.";
		const manifestJson = '{ "container": { "name": "A" } }';
		const json = node('JSON', { ...encode, specifyManifest: 'json', manifestJson });
		await show([node('Encrypt', encode), json]);
		await openPanel(page, 'Encrypt');
		const noRecipients = page.getByText('Without recipients, only the owner');
		expect(await noRecipients.isVisible()).toBe(false);
		expect(await page.getByText(sealed).isVisible()).toBe(false);

		await addToCollection(page, 'Add Option', 'Allow No Recipients');
		await toggleParameter(page, 'allowNoRecipients');
		await noRecipients.waitFor();
		await toggleParameter(page, 'dynamic');
		await page.getByText(sealed).waitFor();
		await closePanel(page);

		await openPanel(page, 'JSON');
		expect(await getHints(page)).toEqual([sealed]);
		await closePanel(page);
	});
});

describe('the panel of the node', () => {
	inEditor('says after a dry run that nothing changed', async (editorTest) => {
		const { page, service, show, node } = editorTest;
		const rules = { dynamic: true, recipients: [ADA] };
		const id = await service.addContainer({ name: 'Contract', rules });
		const remove = { resource: 'drm', operation: 'removeEverywhere', email: ADA, dryRun: true };
		await show([node('Remove', remove)]);
		await openPanel(page, 'Remove');

		expect(await executeNode(page)).toBe('success');
		const hints = ['This was a dry run. No rules were changed.', 'The service listed 1 container.'];
		expect(await getHints(page)).toEqual(hints);
		expect(await service.getRules(id)).toEqual(rules);
		await closePanel(page);
	});

	inEditor('shows the fields of an output before a node ran', async ({ page, show, node }) => {
		await show([node('Encrypt', encode), { name: 'Next', type: 'n8n-nodes-base.noOp' }]);
		await openPanel(page, 'Next');

		const input = page.locator('[data-test-id=ndv-input-panel]');
		await input.getByText('Usually outputs the following fields').waitFor();
		for (const field of ['org_id', 'container', 'uuid']) {
			await input.getByText(field, { exact: true }).waitFor();
		}
		await closePanel(page);
	});

	inEditor('shows the fields of a tool of an agent, and advice', async ({ page, show, node }) => {
		const more = { type: `${NODE_TYPE}Tool`, to: [] };
		const revoke = { resource: 'drm', operation: 'revoke' };
		await show([node('Share', encode, more), node('End', revoke, more)]);
		await openPanel(page, 'Share');
		const labels = await getVisibleLabels(page);
		expect(labels.slice(labels.indexOf('Operation') + 1, labels.indexOf('Options'))).toEqual([
			...['File Source', 'Text', 'File Name', 'Container Name', 'Recipients', 'Access Ends'],
			...['Days Until Access Ends', 'Allow Changes Later', 'Downloadable', 'More Access Rules'],
			'Specify Manifest',
		]);
		await page.getByText('Let the model define at least').waitFor();
		await closePanel(page);

		await openPanel(page, 'End');
		await page.getByText('Add a human review step between').waitFor();
		await closePanel(page);
	});

	inEditor('has the countries with names before a credential is chosen', async (editorTest) => {
		const { page, show, node } = editorTest;
		const rules = { geoAllow: ['CH'] };
		const parameters = { resource: 'drm', operation: 'update', rules };
		await show([node('Update', parameters, { credentials: undefined })]);
		await openPanel(page, 'Update');

		const field = getParameter(page, 'geoAllow');
		await field.getByText('Switzerland (CH)').waitFor();
		await field.locator('input').first().click();
		await page.locator('.el-select-dropdown__item', { hasText: 'Germany (DE)' }).click();
		await field.getByText('Germany (DE)').waitFor();
		await closePanel(page);
	});
});

describe('the lists of the resource locators', () => {
	inEditor('show containers by name, id and date, and find them', async (editorTest) => {
		const { page, service, show, node } = editorTest;
		for (const name of ['Invoice 2026-0042', 'Contract', 'Invoice 2026-0042']) {
			await service.addContainer({ name });
		}
		const [first, contract, second] = await service.getContainers();
		const shown = ({ name, uuid, created_date: created }: StoredContainer) =>
			`${name} (${uuid.slice(0, 8)}, ${created.slice(0, 10)})`;
		await show([node('Get', get)]);
		await openPanel(page, 'Get');

		await openList(page, 'containerId');
		const newestFirst = [second, contract, first].map(shown);
		expect(await page.locator(entries).allInnerTexts()).toEqual(newestFirst);
		expect(await searchList(page, 'contr', 1)).toEqual([shown(contract)]);
		expect(await searchList(page, second.uuid, 1)).toEqual([shown(second)]);

		await page.locator(entries).click();
		const field = getParameter(page, 'containerId').locator('[data-test-id=rlc-input]');
		const input = field.locator('input').or(field.locator('xpath=self::input'));
		expect(await input.inputValue()).toBe(shown(second));
		await closePanel(page);
	});

	inEditor('show contacts by name and email address, and find them', async (editorTest) => {
		const { page, service, show, node } = editorTest;
		await service.addContact(ADA, { first_name: 'Ada', last_name: 'Berg' });
		await service.addContact('bob@example.com');
		await show([node('Get', { resource: 'contact', operation: 'get' })]);
		await openPanel(page, 'Get');

		await openList(page, 'contactEmail');
		// Whoever was created a millisecond later comes first.
		const shown = await page.locator(entries).allInnerTexts();
		expect(shown.sort()).toEqual([`Ada Berg (${ADA})`, 'bob@example.com']);
		expect(await searchList(page, 'berg', 1)).toEqual([`Ada Berg (${ADA})`]);
		await page.keyboard.press('Escape');
		await closePanel(page);
	});

	inEditor('store nothing that n8n would evaluate', async (editorTest) => {
		const { editor, page, service, show, node } = editorTest;
		const evil = "={{ $('Start').all() }}";
		const id = await service.addContainer({ name: evil });
		await show([node('Get', get)]);
		await openPanel(page, 'Get');

		await openList(page, 'containerId');
		const offered = page.locator(entries);
		expect(await offered.innerText()).toMatch(`"${evil} (${id.slice(0, 8)}`);
		await offered.click();
		await closePanel(page);

		const { nodes } = await editor.saveWorkflow();
		const stored = nodes.find(({ name }) => name === 'Get')?.parameters.containerId;
		expect(stored).toMatchObject({ value: id });
		expect(Object.values(stored as object)).not.toContainEqual(expect.stringMatching(/^=/));
	});
});
