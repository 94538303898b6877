import { deflateSync } from 'node:zlib';
import type { ViewingProblem } from '../../src/viewing/viewingError.mts';
import { createPdf, PdfWriter, toTextContent } from './pdf.mts';

export interface HostileFile {
	name: string;
	create(): Buffer;
	/** How it ends: it is shown, or refused for one of these reasons. */
	ends: Array<'shown' | ViewingProblem>;
	/** One of its kind, which is tested each time. */
	isExample?: boolean;
}

const times = (count: number, text: string) => text.repeat(count);

function createFilled(resources: string, add: (writer: PdfWriter) => string): Buffer {
	const writer = new PdfWriter();
	const reference = add(writer);
	const content = '/Pattern cs /P1 scn 0 0 595 842 re f';
	return createPdf([{ content, resources: resources.replace('REFERENCE', reference) }], { writer });
}

/** It evaluates a long function for each of its points. */
export function createEndlessPdf(): Buffer {
	return createFilled('/Pattern << /P1 REFERENCE >>', (writer) => {
		const steps = times(30_000, 'dup sin add cos ');
		const code = writer.addStream(
			`{ add ${steps} }`,
			'/FunctionType 4 /Domain [0 1 0 1] /Range [0 1]',
		);
		const shading = `<< /ShadingType 1 /ColorSpace /DeviceGray /Matrix [595 0 0 842 0 0] /Function ${code} >>`;
		return writer.add(`<< /Type /Pattern /PatternType 2 /Shading ${shading} >>`);
	});
}

function createTiling(): Buffer {
	return createFilled('/Pattern << /P1 REFERENCE >>', (writer) =>
		writer.addStream(
			'0 0 0.005 0.005 re f',
			'/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 0.01 0.01] /XStep 0.01 /YStep 0.01 /Resources << >>',
		),
	);
}

const createPath = () =>
	createPdf([{ content: `0 0 m ${times(4_000_000, '595 842 l 0 0 l ')} S` }]);

function createStreamBomb(): Buffer {
	const writer = new PdfWriter();
	const bomb = deflateSync(deflateSync(Buffer.alloc(700_000_000, ' ')));
	const stream = bomb.toString('latin1');
	const content = writer.addStream(stream, '/Filter [/FlateDecode /FlateDecode]');
	return createPdf([{ content: '', entries: `/Contents ${content}` }], { writer });
}

function createImageBomb(): Buffer {
	const writer = new PdfWriter();
	const data = deflateSync(Buffer.alloc(4_000_000)).toString('latin1');
	const image = writer.addStream(
		data,
		'/Type /XObject /Subtype /Image /Width 60000 /Height 60000 /BitsPerComponent 8 /ColorSpace /DeviceRGB /Filter /FlateDecode',
	);
	const resources = `/XObject << /X1 ${image} >>`;
	return createPdf([{ content: '595 0 0 842 0 0 cm /X1 Do', resources }], { writer });
}

function createSelfReference(): Buffer {
	const writer = new PdfWriter();
	const own = writer.next();
	const form = writer.addStream(
		times(50, '/X1 Do '),
		`/Type /XObject /Subtype /Form /BBox [0 0 595 842] /Resources << /XObject << /X1 ${own} >> >>`,
	);
	return createPdf([{ content: '/X1 Do', resources: `/XObject << /X1 ${form} >>` }], { writer });
}

/** Each form draws the next one ten times. */
function createFormBomb(): Buffer {
	const writer = new PdfWriter();
	let form = writer.addStream('0 0 1 1 re f', '/Type /XObject /Subtype /Form /BBox [0 0 1 1]');
	for (let depth = 0; depth < 12; depth += 1) {
		form = writer.addStream(
			times(10, '/X1 Do '),
			`/Type /XObject /Subtype /Form /BBox [0 0 595 842] /Resources << /XObject << /X1 ${form} >> >>`,
		);
	}
	return createPdf([{ content: '/X1 Do', resources: `/XObject << /X1 ${form} >>` }], { writer });
}

function createPageLoop(): Buffer {
	const writer = new PdfWriter();
	const pages = writer.add('<< /Type /Pages /Count 2 /Kids [1 0 R 1 0 R] >>');
	return writer.write(writer.add(`<< /Type /Catalog /Pages ${pages} >>`));
}

function createLie(): Buffer {
	const file = createPdf([{ content: toTextContent('One page') }]).toString('latin1');
	return Buffer.from(file.replace('/Count 1 ', '/Count 2000000000 '), 'latin1');
}

function createLocked(): Buffer {
	const writer = new PdfWriter();
	const secret = `<${times(64, 'a')}>`;
	const pages = writer.add('<< /Type /Pages /Count 0 /Kids [] >>');
	const root = writer.add(`<< /Type /Catalog /Pages ${pages} >>`);
	const encryption = `/Encrypt << /Filter /Standard /V 1 /R 2 /O ${secret} /U ${secret} /P -4 >>`;
	return writer.write(root, `${encryption} /ID [<00> <00>]`);
}

const createPages = (count: number) =>
	createPdf(Array.from({ length: count }, () => ({ content: '0 0 9 9 re f' })));

const createLarge = () => createPdf([{ content: '0 0 9 9 re f', width: 14_400, height: 14_400 }]);

const createNesting = () =>
	createPdf([
		{ content: `/A ${times(200_000, '[')}${times(200_000, ']')} DP ${times(200_000, 'q ')}` },
	]);

const createHalf = () => {
	const file = createPages(50);
	return file.subarray(0, file.length / 2);
};

export const HOSTILE_DOCUMENTS: HostileFile[] = [
	{ name: 'an endless function', create: createEndlessPdf, ends: ['timedOut'] },
	{
		name: 'a tiling of 1/100 point',
		create: createTiling,
		ends: ['timedOut', 'tooHeavy', 'shown'],
	},
	{ name: 'eight million lines', create: createPath, ends: ['timedOut', 'tooHeavy', 'shown'] },
	{ name: 'a stream of 700 MB', create: createStreamBomb, ends: ['tooHeavy', 'timedOut', 'shown'] },
	{
		name: 'an image of 10 GB',
		create: createImageBomb,
		ends: ['tooHeavy', 'shown'],
		isExample: true,
	},
	{
		name: 'a form that draws itself',
		create: createSelfReference,
		ends: ['timedOut', 'tooHeavy', 'shown'],
	},
	{ name: 'forms in forms', create: createFormBomb, ends: ['timedOut', 'tooHeavy', 'shown'] },
	{ name: 'pages in a circle', create: createPageLoop, ends: ['broken', 'shown'] },
	{ name: 'a lie about its pages', create: createLie, ends: ['shown', 'broken'] },
	{ name: 'a password', create: createLocked, ends: ['locked'], isExample: true },
	{ name: '10,000 pages', create: () => createPages(10_000), ends: ['shown'] },
	{ name: 'a page of 200 inches', create: createLarge, ends: ['shown'], isExample: true },
	{ name: 'a nesting of 200,000', create: createNesting, ends: ['shown', 'broken', 'tooHeavy'] },
	{ name: 'half of its bytes', create: createHalf, ends: ['shown', 'broken'] },
];
