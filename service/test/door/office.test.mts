import { createContainer } from '../support/api.mts';
import { startGotenberg } from '../support/gotenberg.mts';
import { createPdf, toTextContent } from '../support/pdf.mts';
import { createFolder, describeService, runService } from '../support/service.mts';
import { startService, type Service } from '../support/service.mts';

const ADA = 'ada@example.com';
const OLIVE = 'olive@example.com';
const BEN = 'ben@example.com';
const BYTES = 'application/octet-stream';
/** A zip begins so, as .docx and its like do. */
const zip = Buffer.from('PK\x03\x04 what the letter says');
const pdf = createPdf([
	{ content: toTextContent('Words of the letter') },
	{ content: toTextContent('The other page') },
]);

interface Described {
	files: object[];
}

describeService('Office files for viewing only', () => {
	let service: Service;
	let gotenberg: Awaited<ReturnType<typeof startGotenberg>>;

	beforeAll(async () => {
		gotenberg = await startGotenberg(pdf);
		service = await startService({ env: { OWNER_EMAIL: OLIVE, OFFICE: gotenberg.url } });
	});
	afterAll(async () => await gotenberg.close());
	beforeEach(() => {
		gotenberg.answerWith(200);
		gotenberg.converted.length = 0;
	});

	const create = async (files: Record<string, string | Buffer>, by = service) => {
		const types = Object.fromEntries(Object.keys(files).map((name) => [name, BYTES]));
		const sent = { recipients: [ADA, BEN], downloadable: false, files, types };
		return await createContainer(by, sent);
	};
	const open = async (files: Record<string, string | Buffer>) => {
		const container = await create(files);
		const visitor = service.visit(container);
		const page = await visitor.signIn(ADA);
		return { container, visitor, page, home: `/c/${container.uuid}` };
	};

	it('are shown by their pages, which are made once', async () => {
		const { container, visitor, page, home } = await open({ 'Brief Größe 東京.docx': zip });
		expect(page.text).toMatch(/Document, 2 pages.*Words of the letter.*The other page/);
		expect(gotenberg.converted).toEqual([{ name: 'document.docx', content: zip }]);
		const picture = await visitor.go(`${home}/files/0/pages/2`);
		expect([picture.status, picture.headers['content-type']]).toEqual([200, 'image/png']);
		const other = service.visit(container);
		expect((await other.signIn(BEN)).text).toContain('Words of the letter');
		expect(gotenberg.converted).toHaveLength(1);
		expect((await visitor.getFile(0)).status).toBe(403);
		const { body } = await service.api.get<Described>(`/containers/${container.uuid}`);
		expect(body.files).toMatchObject([{ viewable: true }]);
	});

	it('are converted once for many who ask at once', async () => {
		const { visitor, home } = await open({ 'a.zip': zip, 'b.pptx': zip });
		const asked = ['1', '1', '1'].map(async (index) => await visitor.go(`${home}?file=${index}`));
		for (const { text } of await Promise.all(asked)) expect(text).toContain('The other page');
		expect(gotenberg.converted).toHaveLength(1);
	});

	it('are a sentence where they are something else, and nothing is converted', async () => {
		const { page } = await open({ 'list.xlsx': '<html><table>' });
		expect(page.text).toContain(`It is damaged, or it isn’t what its name says.`);
		expect(gotenberg.converted).toEqual([]);
	});

	it('are a sentence where they can not be read, and not tried again', async () => {
		gotenberg.answerWith(400);
		const { page, visitor, home } = await open({ 'letter.docx': zip });
		expect(page.text).toContain('It is damaged, it has a password of its own, or it isn’t');
		expect(page.text).toContain(`Ask ${OLIVE} for a PDF of it.`);
		gotenberg.answerWith(200);
		expect((await visitor.go(home)).text).toContain('It is damaged');
		expect(gotenberg.converted).toHaveLength(1);
	});

	it('are shown later where the converter fails', async () => {
		gotenberg.answerWith(503);
		const { page, visitor, home } = await open({ 'letter.docx': zip });
		expect(page.text).toContain('It can’t be shown at the moment.');
		expect(page.text).not.toContain('PDF of it');
		gotenberg.answerWith(200);
		expect((await visitor.go(home)).text).toContain('Words of the letter');
	});

	it('are shown later where the converter answers with something else than a PDF', async () => {
		gotenberg.answerWith(200, Buffer.from('<html>Sign in</html>'));
		const { page, visitor, home } = await open({ 'letter.docx': zip });
		expect(page.text).toContain('It can’t be shown at the moment.');
		gotenberg.answerWith(200);
		expect((await visitor.go(home)).text).toContain('Words of the letter');
	});

	it('are not shown where OFFICE is not set, and the sender is told', async () => {
		const plain = await startService({ env: { OWNER_EMAIL: OLIVE } });
		const container = await create({ 'letter.docx': zip }, plain);
		const { body } = await plain.api.get<Described>(`/containers/${container.uuid}`);
		expect(body.files).toMatchObject([{ viewable: false }]);
		const page = await plain.visit(container).signIn(ADA);
		expect(page.text).toContain('This kind of file has no pages to show.');
		expect(page.text).toContain(`Ask ${OLIVE} for a PDF of it.`);
	});

	it('are what doctor looks at', async () => {
		gotenberg.answerWith(503);
		const env = { DATA_DIR: createFolder(), OFFICE: gotenberg.url };
		const { stdout } = await runService(['doctor'], env);
		expect(stdout).toContain("Office files can't be shown: Gotenberg answers with 503");
	});
});

describeService('the setting OFFICE', () => {
	it.each(['on', 'ftp://gotenberg:3000', 'http://user:secret@gotenberg:3000'])(
		'refuses %s',
		async (OFFICE) => {
			const { stderr, code } = await runService([], { OFFICE, DATA_DIR: createFolder() });
			expect(code).toBe(2);
			expect(stderr).toContain('OFFICE must be soffice, its path, or the URL of Gotenberg.');
			expect(stderr).not.toContain('secret');
		},
	);

	it('starts nothing without LibreOffice', async () => {
		const { stderr } = await runService([], {
			OFFICE: '/nowhere/bin/soffice',
			DATA_DIR: createFolder(),
		});
		expect(stderr).toContain('no program /nowhere/bin/soffice: install LibreOffice.');
	});
});
