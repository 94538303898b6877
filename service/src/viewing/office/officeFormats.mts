/** Documents that LibreOffice turns into pages, by the endings of their names. */
const TYPES: Record<string, string> = {
	doc: 'application/msword',
	docm: 'application/vnd.ms-word.document.macroenabled.12',
	docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
	odt: 'application/vnd.oasis.opendocument.text',
	rtf: 'application/rtf',
	xls: 'application/vnd.ms-excel',
	xlsm: 'application/vnd.ms-excel.sheet.macroenabled.12',
	xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
	ods: 'application/vnd.oasis.opendocument.spreadsheet',
	ppt: 'application/vnd.ms-powerpoint',
	pptm: 'application/vnd.ms-powerpoint.presentation.macroenabled.12',
	pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
	odp: 'application/vnd.oasis.opendocument.presentation',
};
const TABLES = new Set(['xls', 'xlsm', 'xlsx', 'ods']);

/** A zip, what Office wrote before 2007, and RTF. */
const BEGINNINGS = ['504b0304', 'd0cf11e0a1b11ae1', '7b5c727466'];
export const BEGINNING_BYTES = 8;

/** @returns the ending that goes with its name, or else with its type; nothing where it is no such document */
export function findOfficeEnding({ name, type }: { name: string; type: string }) {
	const ending = name.toLowerCase().split('.').at(-1)!;
	if (Object.hasOwn(TYPES, ending)) return ending;
	const sent = type.toLowerCase().split(';', 1)[0].trim();
	return Object.keys(TYPES).find((known) => TYPES[known] === sent);
}

export const isSpreadsheet = (ending: string) => TABLES.has(ending);

/** Whether a file begins as such documents do: nothing else is given to a converter. */
export function beginsAsOffice(bytes: Uint8Array): boolean {
	const beginning = Buffer.from(bytes).toString('hex');
	return BEGINNINGS.some((known) => beginning.startsWith(known));
}
