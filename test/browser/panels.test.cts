import { join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import {
	closePanel,
	getOptions,
	getVisibleLabels,
	openPanel,
} from '../../tools/editor/nodePanel.cts';
import { editorTests, screenshots } from './support/editorTests.cts';

const manifest = [
	'Container Name',
	'Recipients',
	'Access Ends',
	'Allow Changes Later',
	'Downloadable',
	'More Access Rules',
];
const modes = ['Container Mode', 'Specify Manifest'];
const paging = ['Return All', 'Limit'];

/** The fields of each operation, from top to bottom, between Operation and Options. */
const panels: Array<[name: string, parameters: INodeParameters, labels: string[]]> = [
	[
		'Encode files',
		{ resource: 'container', operation: 'encode' },
		['File Source', 'Input Binary Field', ...manifest, ...modes],
	],
	[
		'Encode text',
		{ resource: 'container', operation: 'encode', fileSource: 'text' },
		['File Source', 'Text', 'File Name', ...manifest, ...modes],
	],
	[
		'Encode by JSON',
		{ resource: 'container', operation: 'encode', fileSource: 'all', specifyManifest: 'json' },
		['File Source', ...modes, 'Manifest (JSON)'],
	],
	['Get container', { resource: 'container', operation: 'get' }, ['Container']],
	['Get envelope', { resource: 'container', operation: 'getEnvelope' }, ['Container']],
	['Get containers', { resource: 'container', operation: 'getAll' }, paging],
	['Delete container', { resource: 'container', operation: 'delete' }, ['Container']],
	['Get rules', { resource: 'drm', operation: 'get' }, ['Container']],
	[
		'Update rules',
		{ resource: 'drm', operation: 'update' },
		['Container', 'Specify Rules', 'Rules to Change'],
	],
	[
		'Update rules by JSON',
		{ resource: 'drm', operation: 'update', specifyRules: 'json' },
		['Container', 'Specify Rules', 'Rules (JSON)'],
	],
	['Revoke access', { resource: 'drm', operation: 'revoke' }, ['Container']],
	[
		'Check rules',
		{ resource: 'drm', operation: 'check' },
		['Containers', 'Policy', 'On Violation'],
	],
	[
		'Sync recipients',
		{ resource: 'drm', operation: 'syncRecipients' },
		['Containers', 'Container', 'Email', 'Keep Addresses'],
	],
	[
		'Remove recipient',
		{ resource: 'drm', operation: 'removeEverywhere' },
		['Email', 'If Nobody Is Left', 'If a Wildcard Covers the Address'],
	],
	['Get contacts', { resource: 'contact', operation: 'getAll' }, paging],
	['Get contact', { resource: 'contact', operation: 'get' }, ['Contact']],
	[
		'Upsert contact',
		{ resource: 'contact', operation: 'upsert' },
		['Email', 'Data to Send', 'Fields'],
	],
	[
		'Upsert contact from input',
		{ resource: 'contact', operation: 'upsert', dataToSend: 'autoMapInputData' },
		['Email', 'Data to Send', 'Inputs to Ignore'],
	],
	[
		'Upsert contact by JSON',
		{ resource: 'contact', operation: 'upsert', dataToSend: 'json' },
		['Email', 'Data to Send', 'Fields (JSON)'],
	],
	[
		'Sync contacts',
		{ resource: 'contact', operation: 'sync' },
		['Email', 'Data to Send', 'Inputs to Ignore', 'Delete Missing Contacts'],
	],
	['Delete contact', { resource: 'contact', operation: 'delete' }, ['Contact']],
	['Get me', { resource: 'user', operation: 'getMe' }, []],
];

describe('the panel of the node', () => {
	const inEditor = editorTests({ height: 1400 });

	inEditor('shows exactly the fields of each operation', async (editorTest) => {
		const { page, show, node } = editorTest;
		await show(
			panels.map(([name, parameters], index) =>
				node(name, parameters, {
					position: [220 * (index % 6), 160 * Math.floor(index / 6)],
					to: [],
				}),
			),
		);

		const shown: Record<string, string[]> = {};
		for (const [name] of panels) {
			await openPanel(page, name);
			const labels = await getVisibleLabels(page);
			shown[name] = labels.slice(labels.indexOf('Operation') + 1, labels.indexOf('Options'));
			const path = join(screenshots, `panel-${name.replaceAll(' ', '-')}.png`);
			await page.locator('[data-test-id=node-parameters]').screenshot({ path });
			await closePanel(page);
		}

		expect(shown).toEqual(Object.fromEntries(panels.map(([name, , labels]) => [name, labels])));
	});

	inEditor('lists the resources and their operations', async ({ page, show, node }) => {
		await show([node('Me', { resource: 'drm', operation: 'get' })]);
		await openPanel(page, 'Me');

		expect(await getOptions(page, 'resource')).toEqual([
			'Container',
			'DRM (Access Rules)',
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
