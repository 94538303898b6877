import { basename } from 'node:path';
import {
	addToCollection,
	selectOption,
	closePanel,
	executeNode,
	fillParameter,
	openPanel,
	getOutputJson,
	enterDate,
	getDisplayedError,
	getVisibleLabels,
	toggleParameter,
} from '../../tools/editor/nodePanel.cts';
import { editorTests } from './support/editorTests.cts';

describe('encoding in the editor', () => {
	const inEditor = editorTests();

	inEditor('encrypts a text with rules, and shows the envelope', async (editorTest) => {
		const { page, sandbox, show, node } = editorTest;
		await show([node('Encrypt', { resource: 'container', operation: 'encode' })]);
		await openPanel(page, 'Encrypt');

		await selectOption(page, 'fileSource', 'Text');
		await fillParameter(page, 'textContent', 'Revenue grew by 4 %.');
		await fillParameter(page, 'textFileName', 'report.txt');
		await fillParameter(page, 'name', 'Quarterly report');
		await fillParameter(page, 'recipients', 'anna@example.com, *@example.org');
		await toggleParameter(page, 'downloadable');
		await addToCollection(page, 'Add Rule', 'Available Until');
		await enterDate(page, 'timeEnd', '2030-12-24');
		await addToCollection(page, 'Add Rule', 'Maximum Opens');
		await fillParameter(page, 'opens', '3');

		expect(await executeNode(page)).toBe('success');
		const [envelope] = (await getOutputJson(page)) as [
			{ container: { uuid: string; name: string } },
		];
		const { containers } = await sandbox.state();
		expect(envelope.container).toMatchObject({
			uuid: containers[0].uuid,
			name: 'Quarterly report',
		});
		const upload = (await sandbox.requests()).find(({ parts }) => parts !== undefined);
		expect(upload?.body).toEqual({
			container: {
				name: 'Quarterly report',
				recipients: ['anna@example.com', '*@example.org'],
				downloadable: true,
				drm: { opens: 3, time: { end: '2030-12-24' } },
			},
		});
		expect(upload?.parts?.find(({ name }) => name === 'file')).toMatchObject({
			filename: 'report.txt',
			type: 'text/plain',
			size: Buffer.byteLength('Revenue grew by 4 %.'),
		});
		await closePanel(page);
	});

	inEditor('encrypts the file of the previous node', async (editorTest) => {
		const { page, sandbox, file, show, node } = editorTest;
		await show([
			{
				name: 'Read',
				type: 'n8n-nodes-base.readWriteFile',
				parameters: { fileSelector: file, options: {} },
			},
			node('Encrypt', { resource: 'container', operation: 'encode', name: 'Invoice' }),
		]);
		await openPanel(page, 'Encrypt');

		expect(await executeNode(page)).toBe('success');
		const upload = (await sandbox.requests()).find(({ parts }) => parts !== undefined);
		expect(upload?.parts?.find(({ name }) => name === 'file')).toMatchObject({
			filename: basename(file),
			type: 'application/pdf',
		});
		await closePanel(page);
	});

	inEditor(
		'names the item and the field of a bad recipient, and sends nothing',
		async (editorTest) => {
			const { page, sandbox, show, node } = editorTest;
			const parameters = { fileSource: 'text', textContent: 'A', textFileName: 'a.txt', name: 'A' };
			await show([node('Encrypt', { resource: 'container', operation: 'encode', ...parameters })]);
			await openPanel(page, 'Encrypt');
			await fillParameter(page, 'recipients', 'anna@example.com, bob');

			expect(await executeNode(page)).toBe('error');
			const { message, description } = await getDisplayedError(page);
			expect(message).toBe('"bob" in "Recipients" is not an email address [item 0]');
			expect(description).toContain('It has no @.');
			expect((await sandbox.requests()).filter(({ method }) => method === 'POST')).toEqual([]);
			await closePanel(page);
		},
	);

	inEditor(
		'warns that rules are permanent until the rule against it is added',
		async (editorTest) => {
			const { page, show, node } = editorTest;
			await show([node('Encrypt', { resource: 'container', operation: 'encode' })]);
			await openPanel(page, 'Encrypt');
			const warning = page.getByText('To change the rules or revoke access later');
			expect(await warning.isVisible()).toBe(true);

			await addToCollection(page, 'Add Rule', 'Allow Changes Later');

			await warning.waitFor({ state: 'hidden' });
			expect(await getVisibleLabels(page)).toContain('Allow Changes Later');
			await closePanel(page);
		},
	);
});
