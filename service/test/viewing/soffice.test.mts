import { execFileSync } from 'node:child_process';
import {
	chmodSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { downloadZip } from 'client-zip';
import { waitFor } from '../../../tools/processes.cts';
import type { Converter } from '../../src/viewing/office/converter.mts';
import { createSoffice } from '../../src/viewing/office/soffice.mts';
import { createFolder } from '../support/service.mts';
import { openViewing, toView } from '../support/viewing.mts';

const SOFFICE = '/usr/bin/soffice';
const isolates = isAllowed('bwrap', ['--unshare-all', '--ro-bind', '/', '/', 'true']);
const describeIsolated = isolates ? describe : describe.skip;
const describeOffice = isolates && existsSync(SOFFICE) ? describe : describe.skip;

function isAllowed(program: string, args: string[]): boolean {
	try {
		execFileSync(program, args, { stdio: 'ignore' });
		return true;
	} catch {
		return false;
	}
}

/** A program in the place of LibreOffice: what it prints becomes the PDF. */
function createFake(script: string): Converter {
	const folder = join(createFolder(), 'bin');
	mkdirSync(folder);
	const program = join(folder, 'soffice');
	writeFileSync(program, `#!/bin/sh\n{ ${script}\n} > out/document.pdf 2>&1\n`);
	chmodSync(program, 0o755);
	return createSoffice(program);
}

async function convert(
	converter: Converter,
	content: Uint8Array | string,
	{ ending = 'docx', signal = AbortSignal.timeout(120_000) } = {},
): Promise<Buffer> {
	async function* pieces() {
		yield Buffer.from(content);
	}
	return Buffer.from(await converter.convert({ ending, content: pieces() }, signal));
}

/** Whether a process with these words runs on the machine. */
const isRunning = (words: string) =>
	readdirSync('/proc')
		.filter((id) => /^\d+$/.test(id))
		.some((id) => {
			try {
				return readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ').includes(words);
			} catch {
				return false;
			}
		});

describeIsolated('a converter (needs bubblewrap)', () => {
	it('sees its file, and neither a network, nor files, nor the environment of the machine', async () => {
		const script = `cat document.docx; ls /; ls ${process.cwd()}; cat /etc/passwd; tail -n +3 /proc/net/dev; env; id -u`;
		const seen = String(await convert(createFake(script), 'the letter'));
		expect(seen).toMatch(/^the letter/);
		expect(seen).not.toMatch(/\b(root|home|eth\d|node)\b/);
		expect(seen).toMatch(/cannot access[^]*passwd: No such file[^]* lo:[^]*65534/);
	});

	it('ends with all that it started when its time is over', async () => {
		// Others of this machine sleep too, but not so long.
		const times = [1, 2, 3].map((n) => `${process.pid}${n}`);
		const [one, two, three] = times;
		const converter = createFake(
			`sleep ${one} & setsid sleep ${two} & trap "" TERM INT; sleep ${three}`,
		);
		const signal = AbortSignal.timeout(1500);
		await expect(convert(converter, 'a', { signal })).rejects.toThrow('aborted');
		const areOver = () => !times.some((time) => isRunning(`sleep ${time}`));
		await waitFor(areOver, 5000, 'A process that it started still runs.');
	});

	it('fills no disk, and leaves nothing', async () => {
		const before = readdirSync('/tmp').length;
		const script = 'cat /dev/zero > /tmp/full; size=$(wc -c < /tmp/full); rm /tmp/full; echo $size';
		const full = String(await convert(createFake(script), 'a'));
		expect(Number(/\d+$/m.exec(full))).toBeLessThanOrEqual(512 * 2 ** 20);
		expect(String(await convert(createFake('touch /usr/x /dev/shm/x /x'), 'a'))).toMatch(
			/(Read-only[^]*){3}/,
		);
		expect(readdirSync('/tmp').length).toBeLessThan(before + 6);
	});

	it('says what is wrong where it writes no PDF, or is ended', async () => {
		await expect(convert(createFake('exit 1'), 'a')).rejects.toMatchObject({ problem: 'unread' });
		await expect(convert(createFake('kill -9 $$'), 'a')).rejects.toMatchObject({
			problem: 'tooHeavy',
		});
		const large = createFake('head -c 100000000 /dev/zero');
		await expect(convert(large, 'a')).rejects.toMatchObject({ problem: 'tooHeavy' });
	});
});

const NAMESPACE = 'http://schemas.openxmlformats.org';
const OFFICE = `${NAMESPACE}/officeDocument/2006/relationships`;
const toRelation = (id: string, type: string, target: string, mode = 'Internal') =>
	`<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}" TargetMode="${mode}"/>`;
const toRelations = (...relations: string[]) =>
	`<Relationships xmlns="${NAMESPACE}/package/2006/relationships">${relations.join('')}</Relationships>`;

async function zip(files: Record<string, string>): Promise<Buffer> {
	const entries = Object.entries(files).map(([name, input]) => ({ name, input }));
	return Buffer.from(await downloadZip(entries).arrayBuffer());
}

const toTypes = (part: string, type: string) =>
	`<Types xmlns="${NAMESPACE}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/${part}" ContentType="application/vnd.openxmlformats-officedocument.${type}.main+xml"/></Types>`;

/** A sheet in whose last column of the first row is a word. */
async function createSheet(columns: number, word: string): Promise<Buffer> {
	const toCell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`;
	const cells = Array.from({ length: columns }, (_, n) =>
		toCell(n === columns - 1 ? word : `C${n}`),
	);
	const row = `<row>${cells.join('')}</row>`;
	const main = `xmlns="${NAMESPACE}/spreadsheetml/2006/main"`;
	return await zip({
		'[Content_Types].xml': toTypes('xl/workbook.xml', 'spreadsheetml.sheet'),
		'_rels/.rels': toRelations(toRelation('r1', 'officeDocument', 'xl/workbook.xml')),
		'xl/_rels/workbook.xml.rels': toRelations(toRelation('r1', 'worksheet', 'sheet.xml')),
		'xl/workbook.xml': `<workbook ${main} xmlns:r="${OFFICE}"><sheets><sheet name="A" sheetId="1" r:id="r1"/></sheets></workbook>`,
		'xl/sheet.xml': `<worksheet ${main}><sheetData>${row.repeat(80)}</sheetData></worksheet>`,
	});
}

/** A letter with a picture and a template of another server. */
async function createLinked(url: string): Promise<Buffer> {
	const word = `xmlns:w="${NAMESPACE}/wordprocessingml/2006/main" xmlns:r="${OFFICE}"`;
	const picture = `<w:pict><v:shape xmlns:v="urn:schemas-microsoft-com:vml" style="width:99pt;height:99pt"><v:imagedata r:id="r2"/></v:shape></w:pict>`;
	return await zip({
		'[Content_Types].xml': toTypes('word/document.xml', 'wordprocessingml.document'),
		'_rels/.rels': toRelations(toRelation('r1', 'officeDocument', 'word/document.xml')),
		'word/_rels/document.xml.rels': toRelations(
			toRelation('r1', 'attachedTemplate', `${url}/letter.dotm`, 'External'),
			toRelation('r2', 'image', `${url}/picture.png`, 'External'),
		),
		'word/document.xml': `<w:document ${word}><w:body><w:p><w:r><w:t>The letter</w:t>${picture}</w:r></w:p></w:body></w:document>`,
	});
}

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

	it('shows a letter, and fetches nothing', async () => {
		const asked: string[] = [];
		const server = createServer(({ url }, response) => {
			asked.push(url!);
			response.end();
		});
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		const { port } = server.address() as AddressInfo;
		const pdf = await convert(converter, await createLinked(`http://127.0.0.1:${port}`));
		server.close();
		expect((await read(pdf)).texts.join()).toContain('The letter');
		expect(asked).toEqual([]);
	}, 120_000);

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

	it('says that it can not read what is no document', async () => {
		const broken = (await createSheet(4, 'LAST')).subarray(0, 700);
		const failed = convert(converter, broken, { ending: 'xlsx' });
		await expect(failed).rejects.toMatchObject({ problem: 'unread' });
	}, 240_000);
});
