import { basename } from 'node:path';
import {
	addToCollection,
	selectOption,
	closePanel,
	executeNode,
	fillParameter,
	openPanel,
	getOutputJson,
	getDisplayedError,
	toggleParameter,
} from './support/nodePanel.cts';
import { editorTests } from './support/editorTests.cts';

const encode = { resource: 'container', operation: 'encode' };

describe('encoding in the editor', () => {
	// High enough for the output.
	const inEditor = editorTests({ width: 1280, height: 1500 });

	inEditor('encrypts a text with rules, and shows the envelope', async (editorTest) => {
		const { page, service, show, node } = editorTest;
		await show([node('Encrypt', encode)]);
		await openPanel(page, 'Encrypt');

		await selectOption(page, 'fileSource', 'Text');
		await fillParameter(page, 'textContent', 'Revenue grew by 4 %.');
		await fillParameter(page, 'textFileName', 'report.txt');
		await fillParameter(page, 'name', 'Quarterly report');
		await fillParameter(page, 'recipients', 'anna@example.com, *@example.org');
		await toggleParameter(page, 'downloadable');
		await selectOption(page, 'accessEnds', 'On a Date');
		await fillParameter(page, 'timeEnd', '2030-12-24');
		await page.keyboard.press('Enter');
		await addToCollection(page, 'Add Rule', 'Maximum Opens');
		await fillParameter(page, 'opens', '3');

		expect(await executeNode(page)).toBe('success');
		const [envelope] = (await getOutputJson(page)) as [
			{ container: { uuid: string; name: string } },
		];
		const [container] = await service.getContainers();
		const { uuid, name } = container;
		expect(envelope.container).toMatchObject({ uuid, name: 'Quarterly report' });
		expect(name).toBe('Quarterly report');
		expect(await service.getRules(uuid)).toEqual({
			...{ dynamic: true, opens: 3, time: { end: '2030-12-24' }, downloadable: true },
			recipients: ['anna@example.com', '*@example.org'],
		});
		const size = Buffer.byteLength('Revenue grew by 4 %.');
		expect(container.files).toMatchObject([{ name: 'report.txt', type: 'text/plain', size }]);
		await closePanel(page);
	});

	inEditor('encrypts the file of the previous node', async (editorTest) => {
		const { page, service, file, show, node } = editorTest;
		await show([
			{
				name: 'Read',
				type: 'n8n-nodes-base.readWriteFile',
				parameters: { fileSelector: file, options: {} },
			},
			node('Encrypt', { ...encode, name: 'Invoice', recipients: 'anna@example.com' }),
		]);
		await openPanel(page, 'Encrypt');

		expect(await executeNode(page)).toBe('success');
		const [{ files }] = await service.getContainers();
		expect(files).toMatchObject([{ name: basename(file), type: 'application/pdf' }]);
		await closePanel(page);
	});

	inEditor(
		'names the item and the field of a bad recipient, and sends nothing',
		async (editorTest) => {
			const { page, service, show, node } = editorTest;
			const parameters = { fileSource: 'text', textContent: 'A', textFileName: 'a.txt', name: 'A' };
			await show([node('Encrypt', { ...encode, ...parameters })]);
			await openPanel(page, 'Encrypt');
			await fillParameter(page, 'recipients', 'anna@example.com, bob');

			expect(await executeNode(page)).toBe('error');
			const { message, description } = await getDisplayedError(page);
			expect(message).toBe('"bob" in "Recipients" is not an email address [item 0]');
			expect(description).toContain('Enter addresses such as anna@example.com');
			expect(await service.getContainers()).toEqual([]);
			await closePanel(page);
		},
	);

	inEditor('warns where nobody is named and where rules are sealed', async (editorTest) => {
		const { page, show, node } = editorTest;
		await show([node('Encrypt', encode)]);
		await openPanel(page, 'Encrypt');
		const noRecipients = page.getByText('Without recipients, only the owner');
		const sealed = page.getByText('The rules will be sealed into the container');
		expect(await noRecipients.isVisible()).toBe(false);
		expect(await sealed.isVisible()).toBe(false);

		await addToCollection(page, 'Add Option', 'Allow No Recipients');
		await toggleParameter(page, 'allowNoRecipients');
		await noRecipients.waitFor({ state: 'visible' });

		await toggleParameter(page, 'dynamic');
		await sealed.waitFor({ state: 'visible' });
		await closePanel(page);
	});
});
