import { closePanel, getParameter, openList, openPanel, searchList } from './support/nodePanel.cts';
import { getN8nVersion } from '../../tools/realN8n/installN8n.cts';
import type { StoredContainer } from '../../tools/serviceClient.cts';
import { editorTests } from './support/editorTests.cts';

describe('the lists of the resource locators', () => {
	const inEditor = editorTests();
	const entries = '[data-test-id=rlc-item]:visible';

	inEditor(
		'show containers by name, id and date, the newest first, and find them',
		async (editorTest) => {
			const { page, service, show, node } = editorTest;
			for (const name of ['Invoice 2026-0042', 'Contract', 'Invoice 2026-0042']) {
				await service.addContainer({ name });
			}
			const [first, contract, second] = await service.getContainers();
			const shown = ({ name, uuid, created_date: created }: StoredContainer) =>
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
		const { page, service, show, node } = editorTest;
		// The panel of n8n 1 is narrower.
		const name = getN8nVersion().name === '1' ? 'Invoice 0042' : 'Invoice 2026-0042';
		await service.addContainer({ name });
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
		const { page, service, show, node } = editorTest;
		await service.addContact('anna@example.com', { first_name: 'Anna', last_name: 'Berg' });
		await service.addContact('bob@example.com');
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
		const { editor, page, service, show, node } = editorTest;
		const evil = "={{ $('Start').all() }}";
		const id = await service.addContainer({ name: evil });
		await show([node('Get', { resource: 'container', operation: 'get' })]);
		await openPanel(page, 'Get');

		await openList(page, 'containerId');
		const offered = page.locator(entries);
		const [text] = await offered.allInnerTexts();
		expect(text.startsWith(`"${evil} (${id.slice(0, 8)}`)).toBe(true);
		await offered.click();
		await closePanel(page);

		const { nodes } = await editor.saveWorkflow();
		const stored = nodes.find(({ name }) => name === 'Get')?.parameters.containerId;
		expect(stored).toMatchObject({ value: id });
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

describe('the countries of an access rule', () => {
	const inEditor = editorTests();

	inEditor('are there, with names, also before a credential is chosen', async (editorTest) => {
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
