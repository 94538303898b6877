import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createSoffice } from '../../src/viewing/office/soffice.mts';
import { convert, mayIsolate } from '../support/converters.mts';
import {
	createBook,
	createLinkedLetter,
	createLinkedOpenLetter,
	createLinkedRtf,
	createLockedLetter,
	createMacroLetter,
	createOpenMacroLetter,
	createSheet,
} from '../support/officeFiles.mts';
import { openViewing, toView } from '../support/viewing.mts';

const SOFFICE = '/usr/bin/soffice';
/** A letter of Word. Office encrypts sheets and slides in the same way. */
const PASSWORD_FILE = join(import.meta.dirname, '../fixtures/office/password.docx');
const describeOffice = mayIsolate() && existsSync(SOFFICE) ? describe : describe.skip;

describeOffice('LibreOffice (needs it, and bubblewrap)', () => {
	const converter = createSoffice(SOFFICE);
	const read = async (pdf: Buffer) => {
		const viewing = openViewing();
		const pages = { from: 1, to: 20 };
		const { pageCount, pages: shapes } = await viewing.describe(toView(pdf), pages);
		const texts = (await viewing.readText(toView(pdf), pages)).map(({ text }) => text);
		return { pageCount, texts, shapes };
	};

	it('can be used here', async () => {
		expect(await converter.findProblem()).toBeUndefined();
	});

	it.each([
		['docx', createLinkedLetter],
		['odt', createLinkedOpenLetter],
		['rtf', createLinkedRtf],
	])(
		'shows a letter (.%s), and fetches nothing that it names',
		async (ending, create) => {
			const asked: string[] = [];
			const server = createServer(({ url }, response) => {
				asked.push(url!);
				response.end();
			});
			await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
			const { port } = server.address() as AddressInfo;
			const letter = await create(`http://127.0.0.1:${port}`);
			const pdf = await convert(converter, letter, { ending });
			server.close();
			expect((await read(pdf)).texts.join()).toContain('The letter');
			expect(asked).toEqual([]);
		},
		240_000,
	);

	it.each([
		['docx', createMacroLetter],
		['docm', createMacroLetter],
		['odt', createOpenMacroLetter],
	])(
		'shows a letter with macros (.%s), and runs none',
		async (ending, create) => {
			const { texts } = await read(await convert(converter, await create(), { ending }));
			expect(texts.join()).toContain('The letter');
			expect(texts.join()).not.toContain('MACRO');
		},
		240_000,
	);

	it.each([
		[4, 'upright'],
		[40, 'wide'],
	])(
		'shows all of %i columns of a sheet on its first page',
		async (columns, form) => {
			const pdf = await convert(converter, await createSheet(columns, 'LAST'), { ending: 'xlsx' });
			const { texts, shapes } = await read(pdf);
			expect(texts[0]).toMatch(/C0[^]*LAST/);
			expect(shapes[0].width > shapes[0].height ? 'wide' : 'upright').toBe(form);
		},
		240_000,
	);

	it('gives each sheet of a workbook a paper of its own', async () => {
		const book = await createBook([4, 40, 3], 'LAST');
		const { shapes } = await read(await convert(converter, book, { ending: 'xlsx' }));
		const forms = shapes.map(({ width, height }) => (width > height ? 'wide' : 'upright'));
		expect(forms.join(' ')).toMatch(/^upright .*wide .*upright$/);
	}, 240_000);

	it.each([
		['is no document', 'xlsx', async () => (await createSheet(4, 'LAST')).subarray(0, 700)],
		['has a password', 'docx', async () => await readFile(PASSWORD_FILE)],
		['has a password', 'xlsx', async () => await readFile(PASSWORD_FILE)],
		['has a password', 'odt', createLockedLetter],
	])(
		'says that it can not read what %s (.%s)',
		async (_, ending, create) => {
			const failed = convert(converter, await create(), { ending });
			await expect(failed).rejects.toMatchObject({ problem: 'unread' });
		},
		240_000,
	);
});
