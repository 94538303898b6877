import { join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import { closePanel, getOptions, getVisibleLabels, openPanel } from './support/nodePanel.cts';
import { editorTests, screenshots } from './support/editorTests.cts';

const manifest = [
	'Container Name',
	'Recipients',
	'Access Ends',
	'Days Until Access Ends',
	'Allow Changes Later',
	'Downloadable',
	'More Access Rules',
];
const modes = ['Container Mode', 'Specify Manifest'];
const paging = ['Return All', 'Limit'];

/** The fields of each operation, from top to bottom, between Operation and Options. */
const panels: Array<[operation: string, labels: string[], parameters?: INodeParameters]> = [
	['container encode', ['File Source', 'Input Binary Field', ...manifest, ...modes]],
	[
		'container encode',
		['File Source', 'Text', 'File Name', ...manifest, ...modes],
		{ fileSource: 'text' },
	],
	[
		'container encode',
		['File Source', ...modes, 'Manifest (JSON)'],
		{ fileSource: 'all', specifyManifest: 'json' },
	],
	['container get', ['Container']],
	['container getEnvelope', ['Container']],
	['container getAll', paging],
	['container delete', ['Container']],
	['drm get', ['Container']],
	['drm update', ['Container', 'Specify Rules', 'Rules to Change']],
	['drm update', ['Container', 'Specify Rules', 'Rules (JSON)'], { specifyRules: 'json' }],
	['drm revoke', ['Container']],
	[
		'drm check',
		['Containers', 'Policy', 'Policy Fields', 'Require End', 'On Violation', 'Dry Run'],
	],
	['drm syncRecipients', ['Containers', 'Container', 'Email', 'Keep Addresses', 'Dry Run']],
	[
		'drm removeEverywhere',
		['Email', 'If Nobody Is Left', 'If a Wildcard Covers the Address', 'Dry Run'],
	],
	['contact getAll', paging],
	['contact get', ['Contact']],
	['contact upsert', ['Email', 'Data to Send', 'Fields']],
	[
		'contact upsert',
		['Email', 'Data to Send', 'Inputs to Ignore'],
		{ dataToSend: 'autoMapInputData' },
	],
	['contact upsert', ['Email', 'Data to Send', 'Fields (JSON)'], { dataToSend: 'json' }],
	[
		'contact sync',
		['Email', 'Data to Send', 'Inputs to Ignore', 'Delete Missing Contacts', 'Dry Run'],
	],
	['contact delete', ['Contact']],
	['user getMe', []],
];

describe('the panel of the node', () => {
	const inEditor = editorTests({ height: 1400 });

	inEditor('shows exactly the fields of each operation', async (editorTest) => {
		const { page, show, node } = editorTest;
		const names = panels.map(([name, , more = {}]) => [name, ...Object.values(more)].join(' '));
		await show(
			panels.map(([name, , more = {}], index) => {
				const [resource, operation] = name.split(' ');
				const position: [number, number] = [220 * (index % 6), 160 * Math.floor(index / 6)];
				return node(names[index], { resource, operation, ...more }, { position, to: [] });
			}),
		);

		const shown: Record<string, string[]> = {};
		for (const name of names) {
			await openPanel(page, name);
			const labels = await getVisibleLabels(page);
			shown[name] = labels.slice(labels.indexOf('Operation') + 1, labels.indexOf('Options'));
			const path = join(screenshots, `panel-${name.replaceAll(' ', '-')}.png`);
			await page.locator('[data-test-id=node-parameters]').screenshot({ path });
			await closePanel(page);
		}

		expect(shown).toEqual(
			Object.fromEntries(panels.map(([, labels], index) => [names[index], labels])),
		);
	});

	inEditor('lists the resources and their operations', async ({ page, show, node }) => {
		await show([node('Me', { resource: 'drm', operation: 'get' })]);
		await openPanel(page, 'Me');

		expect(await getOptions(page, 'resource')).toEqual([
			'Container',
			'Access Rules (DRM)',
			'Contact',
			'User',
			// n8n's own.
			'Custom API Call',
		]);
		expect(await getOptions(page, 'operation')).toEqual([
			'Check Rules',
			'Get',
			'Remove Recipient Everywhere',
			'Revoke Access',
			'Sync Recipients',
			'Update',
			'Custom API Call',
		]);
		await closePanel(page);
	});
});
