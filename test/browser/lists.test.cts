import {
	closePanel,
	getParameter,
	openList,
	openPanel,
	searchList,
} from '../../tools/editor/nodePanel.cts';
import { getN8nVersion } from '../../tools/realN8n/installN8n.cts';
import { editorTests } from './support/editorTests.cts';

describe('the lists of the resource locators', () => {
	const inEditor = editorTests();
	const entries = '[data-test-id=rlc-item]:visible';

	inEditor(
		'show containers by name, id and date, the newest first, and find them',
		async (editorTest) => {
			const { page, sandbox, show, node } = editorTest;
			const [first, second, contract] = await sandbox.addContainers([
				{ name: 'Invoice 2026-0042', created: '2026-11-01T08:00:00.000Z' },
				{ name: 'Invoice 2026-0042', created: '2026-11-03T08:00:00.000Z' },
				{ name: 'Contract', created: '2026-11-02T08:00:00.000Z' },
			]);
			const shown = ({ name, uuid, created }: { name: string; uuid: string; created: string }) =>
				`${name} (${uuid.slice(0, 8)}, ${created.slice(0, 10)})`;
			await show([node('Get', { resource: 'container', operation: 'get' })]);
			await openPanel(page, 'Get');

			await openList(page, 'containerId');
			expect(await page.locator(entries).allInnerTexts()).toEqual(
				[second, contract, first].map(shown),
			);
			expect(await searchList(page, 'contr', 1)).toEqual([shown(contract)]);
			expect(await searchList(page, second.uuid, 1)).toEqual([shown(second)]);

			await page.locator(entries).click();
			const field = getParameter(page, 'containerId').locator('[data-test-id=rlc-input]');
			const input = field.locator('input').or(field.locator('xpath=self::input'));
			expect(await input.inputValue()).toBe(shown(second));
			await closePanel(page);
		},
	);

	inEditor('show entries of usual length completely', async (editorTest) => {
		const { page, sandbox, show, node } = editorTest;
		// The panel of n8n 1 is narrower.
		const name = getN8nVersion().name === '1' ? 'Invoice 0042' : 'Invoice 2026-0042';
		await sandbox.addContainers([{ name }]);
		await show([node('Get', { resource: 'container', operation: 'get' })]);
		await openPanel(page, 'Get');
		await openList(page, 'containerId');

		const isCut = await page
			.locator(`${entries} span`)
			.first()
			.evaluate((text) => {
				const line = text.parentElement ?? text;
				return line.scrollWidth > line.clientWidth || text.scrollWidth > text.clientWidth;
			});

		expect(isCut).toBe(false);
		await page.keyboard.press('Escape');
		await closePanel(page);
	});

	inEditor('show contacts by name and email address, and find them', async (editorTest) => {
		const { page, sandbox, show, node } = editorTest;
		await sandbox.addContacts([
			{ email: 'anna@example.com', fields: { first_name: 'Anna', last_name: 'Berg' } },
			{ email: 'bob@example.com' },
		]);
		const anna = 'Anna Berg (anna@example.com)';
		await show([node('Get', { resource: 'contact', operation: 'get' })]);
		await openPanel(page, 'Get');

		await openList(page, 'contactEmail');
		// Whoever was created a millisecond later comes first.
		const shown = await page.locator(entries).allInnerTexts();
		expect(shown.sort()).toEqual([anna, 'bob@example.com']);
		expect(await searchList(page, 'berg', 1)).toEqual([anna]);
		await page.keyboard.press('Escape');
		await closePanel(page);
	});

	inEditor('store nothing that n8n would evaluate', async (editorTest) => {
		const { editor, page, sandbox, show, node } = editorTest;
		const evil = "={{ $('Start').all() }}";
		const harmless = { uuid: '5d0d9c1e-0000-4000-8000-000000000001', name: evil };
		const ids = [evil, ` ${evil}`, `\u200b${evil}`, `\u202e\ufeff${evil}`, evil.replace('=', '＝')];
		const body = JSON.stringify([harmless, ...ids.map((uuid) => ({ uuid, name: 'Contract' }))]);
		await sandbox.faults.add({ kind: 'body', path: /\/containers/, times: Infinity, body });
		await show([node('Get', { resource: 'container', operation: 'get' })]);
		await openPanel(page, 'Get');

		await openList(page, 'containerId');
		const offered = page.locator(entries);
		expect(await offered.allInnerTexts()).toEqual([`"${evil} (5d0d9c1e)"`]);
		await offered.click();
		await closePanel(page);

		const { nodes } = await editor.saveWorkflow();
		const stored = nodes.find(({ name }) => name === 'Get')?.parameters.containerId;
		expect(stored).toMatchObject({ value: harmless.uuid });
		const texts = Object.values(stored as object).filter((value) => typeof value === 'string');
		expect(texts.filter((text) => text.startsWith('='))).toEqual([]);
	});

	inEditor('explain that the API key is wrong', async (editorTest) => {
		const { page, addCredential, show, node } = editorTest;
		const credentials = await addCredential('Wrong key', { apiKey: 'not-a-key' });
		await show([node('Get', { resource: 'container', operation: 'get' }, { credentials })]);
		await openPanel(page, 'Get');
		await openList(page, 'containerId');

		const error = page.locator('[data-test-id=rlc-error-container]:visible');
		expect(await error.innerText()).toContain('The service did not accept the API key');
		expect(await error.innerText()).toContain('Check your credential');
		await page.keyboard.press('Escape');
		await closePanel(page);
	});
});
