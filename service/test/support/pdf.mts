/** Small PDF files, written by hand: what a test is about stands in the test. */

export class PdfWriter {
	private readonly objects: string[] = [];

	/** @returns the reference of the object, as `1 0 R` */
	add(content: string): string {
		this.objects.push(content);
		return `${this.objects.length} 0 R`;
	}

	addStream(content: string, entries = ''): string {
		const length = Buffer.byteLength(content, 'latin1');
		return this.add(`<< /Length ${length} ${entries} >>\nstream\n${content}\nendstream`);
	}

	/** The reference that `add` gives next, `ahead` objects later. */
	next(ahead = 0): string {
		return `${this.objects.length + 1 + ahead} 0 R`;
	}

	write(root: string, trailer = ''): Buffer {
		let file = '%PDF-1.7\n';
		const offsets: number[] = [];
		for (const [index, content] of this.objects.entries()) {
			offsets.push(file.length);
			file += `${index + 1} 0 obj\n${content}\nendobj\n`;
		}
		const size = this.objects.length + 1;
		const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`);
		file += `xref\n0 ${size}\n0000000000 65535 f \n${table.join('')}`;
		file += `trailer << /Size ${size} /Root ${root} ${trailer} >>\nstartxref\n${file.indexOf('xref\n0')}\n%%EOF`;
		return Buffer.from(file, 'latin1');
	}
}

export interface PdfPage {
	/** Operators, as `0 0 10 10 re f`. */
	content: string;
	/** In points. */
	width?: number;
	height?: number;
	/** All of the page, where its corner is elsewhere. */
	box?: string;
	/** Entries of its resources. */
	resources?: string;
	/** Entries of the page. */
	entries?: string;
}

interface PdfOptions {
	/** Entries of the catalog, and of the trailer. */
	catalog?: string;
	trailer?: string;
	/** With what the pages refer to. */
	writer?: PdfWriter;
}

export const toTextContent = (...lines: string[]) =>
	`BT /F1 12 Tf 50 780 Td 16 TL ${lines.map((line) => `(${line}) Tj T*`).join('\n')} ET`;

/** A document of such pages, A4 unless they say otherwise. Its font is Helvetica, as `/F1`. */
export function createPdf(
	pages: PdfPage[],
	{ catalog = '', trailer = '', writer = new PdfWriter() }: PdfOptions = {},
): Buffer {
	const font = writer.add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>');
	const tree = writer.next(2 * pages.length);
	const kids = pages.map((page) => {
		const { content, width = 595, height = 842, resources = '', entries = '' } = page;
		const { box = `0 0 ${width} ${height}` } = page;
		const stream = writer.addStream(content);
		return writer.add(
			`<< /Type /Page /Parent ${tree} /MediaBox [${box}] /Contents ${stream} /Resources << /Font << /F1 ${font} >> ${resources} >> ${entries} >>`,
		);
	});
	writer.add(`<< /Type /Pages /Count ${kids.length} /Kids [${kids.join(' ')}] >>`);
	return writer.write(writer.add(`<< /Type /Catalog /Pages ${tree} ${catalog} >>`), trailer);
}

/** @returns a page with a form whose font is `/F2` */
function addForm(writer: PdfWriter, content: string, font: string): PdfPage {
	const form = writer.addStream(
		content,
		`/Type /XObject /Subtype /Form /BBox [0 0 595 842] /Resources << /Font << /F2 ${font} >> >>`,
	);
	return { content: '/X Do', resources: `/XObject << /X ${form} >>` };
}

/** A font that isn't in the document. Its letters have numbers, or places in an encoding of its language. */
interface OutsideFont {
	name: string;
	/** Whose numbers of letters these are, as `GB1`. */
	letters: string;
	encoding: string;
}

/** One line of text. @param text in hexadecimal, as the encoding has it */
export function createOutsideFontPdf({ name, letters, encoding }: OutsideFont, text: string) {
	const writer = new PdfWriter();
	const descriptor = writer.add(
		`<< /Type /FontDescriptor /FontName /${name} /Flags 6 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 900 /Descent -200 /CapHeight 700 /StemV 80 >>`,
	);
	const descendant = writer.add(
		`<< /Type /Font /Subtype /CIDFontType0 /BaseFont /${name} /CIDSystemInfo << /Registry (Adobe) /Ordering (${letters}) /Supplement 4 >> /DW 1000 /FontDescriptor ${descriptor} >>`,
	);
	const font = writer.add(
		`<< /Type /Font /Subtype /Type0 /BaseFont /${name} /Encoding /${encoding} /DescendantFonts [${descendant}] >>`,
	);
	const page = addForm(writer, `BT /F2 40 Tf 10 10 Td <${text}> Tj ET`, font);
	return createPdf([{ ...page, width: 200, height: 50 }], { writer });
}

/** Two Russian letters in a font that nobody has. In the mode 3 they are invisible, as over a scan. */
export function createRussianPdf({ mode = 0 } = {}): Buffer {
	const writer = new PdfWriter();
	const font = writer.add(
		'<< /Type /Font /Subtype /TrueType /BaseFont /ArialMT /Encoding << /Type /Encoding /Differences [65 /afii10024 /afii10026] >> >>',
	);
	const page = addForm(writer, `BT ${mode} Tr /F2 20 Tf 50 700 Td (AB) Tj ET`, font);
	return createPdf([page], { writer });
}
