/** Small Office files, written by hand: what a test is about stands in them. */
import { randomBytes } from 'node:crypto';
import { downloadZip } from 'client-zip';

const NAMESPACE = 'http://schemas.openxmlformats.org';
const OFFICE = `${NAMESPACE}/officeDocument/2006/relationships`;
const toRelation = (id: string, type: string, target: string, mode = 'Internal') =>
	`<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}" TargetMode="${mode}"/>`;
const toRelations = (...relations: string[]) =>
	`<Relationships xmlns="${NAMESPACE}/package/2006/relationships">${relations.join('')}</Relationships>`;

async function zip(files: Record<string, string | Uint8Array>): Promise<Buffer> {
	const entries = Object.entries(files).map(([name, input]) => ({ name, input }));
	return Buffer.from(await downloadZip(entries).arrayBuffer());
}

const toTypes = (part: string, type: string) =>
	`<Types xmlns="${NAMESPACE}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/${part}" ContentType="application/vnd.openxmlformats-officedocument.${type}.main+xml"/></Types>`;

/** A sheet in whose last column of the first row is a word. */
export async function createSheet(columns: number, word: string): Promise<Buffer> {
	return await createBook([columns], word);
}

/** A workbook with a sheet for each number of columns. */
export async function createBook(sheets: number[], word: string): Promise<Buffer> {
	const main = `xmlns="${NAMESPACE}/spreadsheetml/2006/main"`;
	const files = Object.fromEntries(
		sheets.map((columns, n) => [
			`xl/sheet${n}.xml`,
			`<worksheet ${main}><sheetData>${toRow(columns, word).repeat(80)}</sheetData></worksheet>`,
		]),
	);
	const relations = sheets.map((_, n) => toRelation(`r${n}`, 'worksheet', `sheet${n}.xml`));
	const named = sheets.map((_, n) => `<sheet name="S${n}" sheetId="${n + 1}" r:id="r${n}"/>`);
	return await zip({
		'[Content_Types].xml': toTypes('xl/workbook.xml', 'spreadsheetml.sheet'),
		'_rels/.rels': toRelations(toRelation('r1', 'officeDocument', 'xl/workbook.xml')),
		'xl/_rels/workbook.xml.rels': toRelations(...relations),
		'xl/workbook.xml': `<workbook ${main} xmlns:r="${OFFICE}"><sheets>${named.join('')}</sheets></workbook>`,
		...files,
	});
}

function toRow(columns: number, word: string): string {
	const toCell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`;
	const cells = Array.from({ length: columns }, (_, n) =>
		toCell(n === columns - 1 ? word : `C${n}`),
	);
	return `<row>${cells.join('')}</row>`;
}

/** A letter with a picture and a template of another server. */
export async function createLinkedLetter(url: string): Promise<Buffer> {
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

const DOCUMENT = 'urn:oasis:names:tc:opendocument:xmlns';
const TEXT = 'application/vnd.oasis.opendocument.text';
const toEntry = (path: string, type = 'text/xml', content = '') =>
	`<manifest:file-entry manifest:full-path="${path}" manifest:media-type="${type}" manifest:size="1008">${content}</manifest:file-entry>`;
const toManifest = (...entries: string[]) =>
	`<manifest:manifest xmlns:manifest="${DOCUMENT}:manifest:1.0" manifest:version="1.2">${toEntry('/', TEXT)}${entries.join('')}</manifest:manifest>`;
const toOpenText = (body: string, head = '') =>
	`<office:document-content xmlns:office="${DOCUMENT}:office:1.0" xmlns:text="${DOCUMENT}:text:1.0" xmlns:script="${DOCUMENT}:script:1.0" xmlns:draw="${DOCUMENT}:drawing:1.0" xmlns:svg="${DOCUMENT}:svg-compatible:1.0" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dom="http://www.w3.org/2001/xml-events" office:version="1.2">${head}<office:body><office:text><text:p>The letter</text:p>${body}</office:text></office:body></office:document-content>`;

/** A letter of LibreOffice with a picture and a part of another server. */
export async function createLinkedOpenLetter(url: string): Promise<Buffer> {
	const picture = `<text:p><draw:frame svg:width="3cm" svg:height="3cm"><draw:image xlink:href="${url}/picture.png" xlink:type="simple" xlink:show="embed" xlink:actuate="onLoad"/></draw:frame></text:p>`;
	const part = `<text:section text:name="A"><text:section-source xlink:href="${url}/part.odt" xlink:type="simple"/><text:p/></text:section>`;
	return await zip({
		mimetype: TEXT,
		'META-INF/manifest.xml': toManifest(toEntry('content.xml')),
		'content.xml': toOpenText(picture + part),
	});
}

export const createLinkedRtf = (url: string) =>
	Buffer.from(
		String.raw`{\rtf1\ansi The letter\par {\field{\*\fldinst INCLUDEPICTURE "${url}/picture.png" \\d}{\fldrslt }}{\field{\*\fldinst INCLUDETEXT "${url}/part.rtf"}{\fldrslt }}}`,
	);

const MACRO_TYPE = 'application/vnd.ms-word.document.macroEnabled.main+xml';

/** A letter of Word with a project of macros: what is in it can't be read. */
export async function createMacroLetter(): Promise<Buffer> {
	const types = toTypes('word/document.xml', 'wordprocessingml.document');
	const plain = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';
	const main = `xmlns:w="${NAMESPACE}/wordprocessingml/2006/main"`;
	return await zip({
		'[Content_Types].xml': types.replace(plain, MACRO_TYPE),
		'_rels/.rels': toRelations(toRelation('r1', 'officeDocument', 'word/document.xml')),
		'word/_rels/document.xml.rels': toRelations(toRelation('r1', 'vbaProject', 'vbaProject.bin')),
		'word/vbaProject.bin': randomBytes(500),
		'word/document.xml': `<w:document ${main}><w:body><w:p><w:r><w:t>The letter</w:t></w:r></w:p></w:body></w:document>`,
	});
}

const MACRO = `<script:module xmlns:script="http://openoffice.org/2000/script" script:name="Module1" script:language="StarBasic">
Sub Main
	ThisComponent.Text.String = "THE MACRO RAN"
End Sub
</script:module>`;
const LIBRARY = 'xmlns:library="http://openoffice.org/2000/library"';

/** A letter of LibreOffice that writes another text into itself when it is opened. */
export async function createOpenMacroLetter(): Promise<Buffer> {
	const listeners = ['dom:load', 'office:load-finished', 'office:new'].map(
		(event) =>
			`<script:event-listener script:language="ooo:script" script:event-name="${event}" xlink:href="vnd.sun.star.script:Standard.Module1.Main?language=Basic&amp;location=document" xlink:type="simple"/>`,
	);
	const head = `<office:scripts><office:event-listeners>${listeners.join('')}</office:event-listeners></office:scripts>`;
	const files = {
		'content.xml': toOpenText('', head),
		'Basic/Standard/Module1.xml': MACRO,
		'Basic/Standard/script-lb.xml': `<library:library ${LIBRARY} library:name="Standard" library:readonly="false" library:passwordprotected="false"><library:element library:name="Module1"/></library:library>`,
		'Basic/script-lc.xml': `<library:libraries ${LIBRARY}><library:library library:name="Standard" library:link="false"/></library:libraries>`,
	};
	const entries = Object.keys(files).map((path) => toEntry(path));
	return await zip({
		mimetype: TEXT,
		'META-INF/manifest.xml': toManifest(...entries),
		...files,
	});
}

/** A letter of LibreOffice with a password. */
export async function createLockedLetter(): Promise<Buffer> {
	const random = (bytes: number) => randomBytes(bytes).toString('base64');
	const encryption = `<manifest:encryption-data manifest:checksum-type="${DOCUMENT}:manifest:1.0#sha256-1k" manifest:checksum="${random(32)}"><manifest:algorithm manifest:algorithm-name="http://www.w3.org/2001/04/xmlenc#aes256-cbc" manifest:initialisation-vector="${random(16)}"/><manifest:start-key-generation manifest:start-key-generation-name="http://www.w3.org/2000/09/xmldsig#sha256" manifest:key-size="32"/><manifest:key-derivation manifest:key-derivation-name="PBKDF2" manifest:key-size="32" manifest:iteration-count="100000" manifest:salt="${random(16)}"/></manifest:encryption-data>`;
	return await zip({
		mimetype: TEXT,
		'META-INF/manifest.xml': toManifest(toEntry('content.xml', 'text/xml', encryption)),
		'content.xml': randomBytes(1008),
	});
}
